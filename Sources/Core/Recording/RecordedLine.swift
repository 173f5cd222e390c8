import FoundationEssentials
import HandsetCore

/// A line of recorded inputs, as JSON: a handset's contents when recording began or began anew,
/// `{"contents":{…},"journal":2}`, or one input and its moment,
/// `{"input":{"wake":{}},"uptime":[94,0],"wall":1800000000000000}`, with `"handset":2` if it is not the first
/// handset's, `"replaced":["…"]` if newer sounds replaced those of pushes, and `"speakerLost":"…"` if the speaker was lost
/// that was to play one's.
struct RecordedLine: Codable {
  enum Entry {
    case contents(Handset.Contents)
    case input(Input, Moment)
  }

  var handset = HandsetID.first
  var entry: Entry
  /// The pushes whose sounds were dropped (`Turn.dropSound`).
  var replaced: [PushID] = []
  var speakerLost: PushID?

  /// The version of the form. The lines of every release from 0.7.3 on are read for ever.
  static let version = 2

  init(_ entry: Entry, of handset: HandsetID = .first) {
    (self.handset, self.entry) = (handset, entry)
  }

  static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  private enum CodingKeys: String, CodingKey {
    case version = "journal"
    case handset, contents, input, replaced, speakerLost
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    handset = try values.decodeIfPresent(HandsetID.self, forKey: .handset) ?? .first
    if let version = try values.decodeIfPresent(Int.self, forKey: .version) {
      guard version == RecordedLine.version else {
        let (age, other) =
          version < RecordedLine.version ? ("an older", "version 0.7.3") : ("a newer", "that version or a later one")
        throw RecordingError(
          "it was recorded by \(age) deskbell (form \(version), this one reads \(RecordedLine.version)); "
            + "replay it with \(other)")
      }
      entry = .contents(try values.decode(Handset.Contents.self, forKey: .contents))
    } else if values.contains(.input) {
      entry = .input(try values.decode(Input.self, forKey: .input), try Moment(from: decoder))
      replaced = try values.decodeIfPresent([PushID].self, forKey: .replaced) ?? []
      speakerLost = try values.decodeIfPresent(PushID.self, forKey: .speakerLost)
    } else {
      throw RecordingError("it has neither contents nor an input with its moment")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    if handset != .first { try values.encode(handset, forKey: .handset) }
    switch entry {
    case .contents(let contents):
      try values.encode(RecordedLine.version, forKey: .version)
      try values.encode(contents, forKey: .contents)
    case .input(let input, let moment):
      try values.encode(input, forKey: .input)
      try moment.encode(to: encoder)
      if !replaced.isEmpty { try values.encode(replaced, forKey: .replaced) }
      try values.encodeIfPresent(speakerLost, forKey: .speakerLost)
    }
  }
}

/// The reason why inputs cannot be recorded or replayed, for a person to read.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
