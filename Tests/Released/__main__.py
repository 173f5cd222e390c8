"""Records a version before its release: what it leaves on disk (`record`), then what it promises (`forms`).

    DESKBELL=path/to/deskbell .build/clients/bin/python -m Tests.Released

A version that is not released yet is recorded again.
"""

from Tests.Released import forms, record

record.main()
forms.main()
