/// The number of a handset of a daemon, by which everything that is stored, sent or addressed names it; people and
/// programs use its name. The first is 1; a number is never given to another handset.
public struct HandsetID: Hashable, Comparable, Sendable, CustomStringConvertible, SingleValueCodable {
  public let number: Int64

  public init(_ number: Int64) {
    self.number = number
  }

  public static let first = HandsetID(1)

  public var description: String { "\(number)" }

  public static func < (left: HandsetID, right: HandsetID) -> Bool { left.number < right.number }

  public var coded: Int64 { number }
  public init(coded number: Int64) { self.init(number) }
}

public struct AppAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var handset: HandsetID
  public var app: AppID

  public init(_ app: AppID, on handset: HandsetID) {
    self.handset = handset
    self.app = app
  }

  public var description: String { "\(app) on handset \(handset)" }

  public static func < (left: AppAddress, right: AppAddress) -> Bool {
    (left.handset, left.app) < (right.handset, right.app)
  }
}

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

  public func handset(named name: String) -> HandsetID? { identifiers[name] }

  /// Returns the handset's name; its number if it has no name here.
  public func name(of handset: HandsetID) -> String { names[handset] ?? "\(handset)" }

  /// Returns an app's label in logs: `com.example.mail`, or `com.example.mail on two` if there are several handsets.
  public func label(_ address: AppAddress) -> String {
    count > 1 ? "\(address.app) on \(name(of: address.handset))" : address.app.text
  }
}
