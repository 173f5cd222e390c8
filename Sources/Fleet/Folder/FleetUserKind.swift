import FleetLink

/// The two kinds of users of a fleet.
public enum FleetUserKind: String, CaseIterable, Sendable {
  case desk, gateway

  var folder: String { "\(rawValue)s" }
  var other: FleetUserKind { self == .desk ? .gateway : .desk }
  /// The folder of the credentials on the daemon's machine. Both kinds may be on one machine.
  public var place: String { self == .desk ? "/etc/deskbell/fleet" : "/etc/deskbell/gateway" }
  /// The name of the file with the lines for the settings.
  public var settings: String { self == .desk ? "fleet.yaml" : "gateway.yaml" }
}

extension Fleet {
  subscript(kind: FleetUserKind) -> [User] {
    get { kind == .desk ? desks : gateways }
    set { if kind == .desk { desks = newValue } else { gateways = newValue } }
  }

  /// Returns the kind of a user; nil if there is no user of that name.
  public func kind(of name: String) -> FleetUserKind? {
    FleetUserKind.allCases.first { self[$0].contains { $0.name == name } }
  }

  /// Checks the name of a new or existing user.
  /// - Throws: `FleetError` if the name is not permitted, or belongs to the other kind.
  public func checkNew(_ name: String, _ kind: FleetUserKind) throws(FleetError) {
    try FleetNames.check(name, kind: kind.rawValue)
    guard self.kind(of: name) != kind.other else {
      throw FleetError("'\(name)' is a \(kind.other.rawValue) of this fleet", hint: "take another name")
    }
  }

  /// Returns the kind of a user that can be removed.
  /// - Throws: `FleetError` if there is no user of that name, or a group has it.
  public func checkRemovable(_ name: String) throws(FleetError) -> FleetUserKind {
    guard let kind = kind(of: name) else {
      let names = (desks + gateways).map(\.name)
      throw FleetError(
        "the fleet has no desk or gateway '\(name)'",
        hint: names.isEmpty ? "add one: deskbell fleet add \(name)" : "there are \(names.joined(separator: ", "))")
    }
    if kind == .desk, let group = groups(of: name).first {
      throw FleetError(
        "the desk '\(name)' is in the group '\(group.name)'",
        hint: "remove the group first: deskbell fleet group remove \(group.name)")
    }
    return kind
  }

  /// Returns the lines for the settings of a desk, or all settings of a gateway.
  func settings(of name: String, _ kind: FleetUserKind) -> String {
    """
    # \(kind == .desk ? "Add these lines to /etc/deskbell/deskbell.yaml." : "The settings that a gateway needs.")
    fleet:
      servers: [\(servers.map(\.url).joined(separator: ", "))]
      \(kind.rawValue): \(name)
      seed: \(kind.place)/seed
      ca: \(kind.place)/authority.pem

    """
  }
}
