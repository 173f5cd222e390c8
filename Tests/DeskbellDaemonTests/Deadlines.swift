// A deadline has no public initialiser: only a handset has wishes. Tests have them too.

@testable import HandsetCore

func deadline(uptime: Duration? = nil, wall: WallTime? = nil) -> Deadline? { Deadline(uptime: uptime, wall: wall) }
