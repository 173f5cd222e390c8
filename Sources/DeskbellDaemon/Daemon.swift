// What `deskbell serve` runs: the appliance, until a signal ends it.

import Glibc
import Logging
import NIOPosix
import ServiceLifecycle
