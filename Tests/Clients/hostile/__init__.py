"""Attacks on the daemon, and their effect on a provider of another app.

Each attack runs in a process of its own against the daemon as it is shipped, with its limits as they are shipped:
anonymously, and with the valid credentials of one app where that makes a difference. A provider of another app pushes
meanwhile, on a connection that it keeps and on new ones. Before the attack it makes a push that is accepted and one
that is refused; afterwards the daemon must still explain both, and pushes from during the attack.
"""
