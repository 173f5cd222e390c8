"""Attacks on the daemon, and their effect on a provider of another app.

Each attack runs in a process of its own against the daemon as shipped, with its shipped limits: anonymously, and with
the valid credentials of one app if that makes a difference. Meanwhile a provider of another app pushes, on one lasting
connection and on new ones. Before the attack it makes a push that is accepted and one that is refused; afterwards the
daemon must still explain both, and pushes from during the attack.
"""
