// How small values are written in a journal of inputs: as people know them, so that a line can be read and written by
// hand, and stays what it is when a type's inside changes.

import FoundationEssentials
import HandsetCore

// What has a word of its own in Swift has the same word there.
extension PushType: Codable {}
extension InterruptionLevel: Codable {}
extension AlertButton: Codable {}
extension PressLength: Codable {}
extension Start: Codable {}
extension Lifecycle: Codable {}
extension Condition: Codable {}
extension DeliveryResult: Codable {}
extension LifecycleCommand: Codable {}
extension AppSettings.Key: Codable {}
extension HandsetSettings.Key: Codable {}

/// A value that is written as one text. Public because what everybody may decode must be decodable for everybody.
public protocol JournaledText: Codable {
  var journaledText: String { get }
  /// Nil where the text is none of this type's.
  init?(journaledText: String)
}

extension JournaledText {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Self(journaledText: text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no \(Self.self)")
    }
    self = value
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(journaledText)
  }
}

extension AppID: JournaledText {
  public var journaledText: String { text }
  public init?(journaledText: String) { self.init(journaledText) }
}

extension DeviceToken: JournaledText {
  public var journaledText: String { hex }
  public init?(journaledText: String) { self.init(hex: journaledText) }
}

extension PushID: JournaledText {
  public var journaledText: String { description }
  public init?(journaledText: String) { self.init(journaledText) }
}

extension LampPattern: JournaledText {
  public var journaledText: String { name }
  public init?(journaledText: String) { self.init(named: journaledText) }
}

extension WallTime: Codable {
  /// Microseconds.
  public init(from decoder: any Decoder) throws {
    self.init(microseconds: try decoder.singleValueContainer().decode(Int64.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(microseconds)
  }
}

extension NotificationKinds {
  init(journaled names: [String]) throws {
    guard let kinds = NotificationKinds(names: names) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "\(names) are not kinds of notification"))
    }
    self = kinds
  }
}

/// A time on the uptime clock, exact: events round to microseconds, and must round as they did.
struct JournaledUptime: Codable, Hashable {
  var seconds: Int64
  var attoseconds: Int64

  init(_ duration: Duration) {
    (seconds, attoseconds) = duration.components
  }

  var duration: Duration { Duration(secondsComponent: seconds, attosecondsComponent: attoseconds) }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    seconds = try container.decode(Int64.self)
    attoseconds = try container.decode(Int64.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(seconds)
    try container.encode(attoseconds)
  }
}

/// Bytes, in Base64.
typealias JournaledBytes = Data

/// A moment of the past, on both clocks.
struct JournaledMoment: Codable {
  var uptime: JournaledUptime
  var wall: WallTime

  init(_ moment: Moment) {
    (uptime, wall) = (JournaledUptime(moment.uptime), moment.wall)
  }

  var moment: Moment { Moment(uptime: uptime.duration, wall: wall) }
}
