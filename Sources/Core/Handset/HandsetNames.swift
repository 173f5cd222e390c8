// People and programs use a handset's name, the daemon its number.

/// The handsets of one daemon by name. One of them is on the board.
public struct HandsetNames: Hashable, Sendable {
  /// The handset that is meant if none is named.
  public let board: HandsetID
  private let names: [HandsetID: String]
  private let identifiers: [String: HandsetID]

  /// - Parameters:
  ///   - names: all different.
  ///   - board: one of them.
  public init(_ names: [HandsetID: String], board: HandsetID) {
    self.names = names
    self.board = board
    identifiers = Dictionary(names.map { ($1, $0) }, uniquingKeysWith: min)
  }

  /// A daemon with one handset, named "1".
  public static let one = HandsetNames([.first: "1"], board: .first)

  public var count: Int { names.count }

  /// Returns the handset with that name; nil if there is none.
  public func handset(named name: String) -> HandsetID? { identifiers[name] }

  /// Returns the handset's name; its number if it has no name here.
  public func name(of handset: HandsetID) -> String { names[handset] ?? "\(handset)" }

  /// Returns an app's label in logs: `com.example.mail`, or `com.example.mail on two` if there are several handsets.
  public func label(_ address: AppAddress) -> String {
    count > 1 ? "\(address.app) on \(name(of: address.handset))" : address.app.text
  }
}
