// A deadline has no public initialiser, as only a handset makes them. Tests make them too.

@testable import HandsetCore

func deadline(uptime: Duration? = nil, wall: WallTime? = nil) -> Deadline? { Deadline(uptime: uptime, wall: wall) }
