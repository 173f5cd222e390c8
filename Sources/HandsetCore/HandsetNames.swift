// People and programs know a handset by its name, the daemon by its number.

/// The handsets of one daemon by name. One of them is on the board.
public struct HandsetNames: Hashable, Sendable {
  /// Meant where no handset is named.
  public let board: HandsetID
  private let names: [HandsetID: String]
  private let identifiers: [String: HandsetID]

  /// - Parameters:
  ///   - names: no two alike.
  ///   - board: one of them.
  public init(_ names: [HandsetID: String], board: HandsetID) {
    self.names = names
    self.board = board
    identifiers = Dictionary(names.map { ($1, $0) }, uniquingKeysWith: min)
  }

  /// A daemon with one handset, named "1".
  public static let one = HandsetNames([.first: "1"], board: .first)

  public var count: Int { names.count }

  /// Nil if no handset has that name.
  public func handset(named name: String) -> HandsetID? { identifiers[name] }

  /// The number of a handset that has no name here.
  public func name(of handset: HandsetID) -> String { names[handset] ?? "\(handset)" }

  /// What a log calls an app: `com.example.mail`, and `com.example.mail on two` where there are several handsets.
  public func label(_ address: AppAddress) -> String {
    count > 1 ? "\(address.app) on \(name(of: address.handset))" : address.app.text
  }
}
