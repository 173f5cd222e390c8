/// The two kinds of users of a fleet.
public enum FleetUserKind: String, CaseIterable, Sendable {
  case desk, gateway

  var folder: String { "\(rawValue)s" }
  var other: String { self == .desk ? "gateway" : "desk" }
  /// The file with the lines for its settings.
  public var settings: String { self == .desk ? "fleet.yaml" : "gateway.yaml" }
}

extension Fleet {
  subscript(kind: FleetUserKind) -> [User] {
    get { kind == .desk ? desks : gateways }
    set { if kind == .desk { desks = newValue } else { gateways = newValue } }
  }

  /// Nil where nobody has that name.
  public func kind(of name: String) -> FleetUserKind? {
    FleetUserKind.allCases.first { self[$0].contains { $0.name == name } }
  }

  /// For a name that neither a desk nor a gateway has.
  public func unknown(_ name: String) -> FleetError {
    let names = (desks + gateways).map(\.name)
    return FleetError(
      "the fleet has no desk or gateway '\(name)'",
      hint: names.isEmpty ? "add one: deskbell fleet add \(name)" : "there are \(names.joined(separator: ", "))")
  }

  /// Where a daemon has the files of the fleet.
  public static let daemonFolder = "/etc/deskbell/fleet"

  /// The lines for the settings of a desk or gateway.
  func settings(of name: String, _ kind: FleetUserKind) -> String {
    """
    # Add these lines to /etc/deskbell/deskbell.yaml.
    fleet:
      servers: [\(nodes.map(\.url).joined(separator: ", "))]
      \(kind.rawValue): \(name)
      seed: \(Fleet.daemonFolder)/seed
      ca: \(Fleet.daemonFolder)/authority.pem

    """
  }
}
