// One line of a journal of inputs: a handset's contents when recording began or began anew, or one input and its
// moment. The form of each value is its own, in HandsetCore.

import FoundationEssentials
import HandsetCore

/// A line, as JSON: `{"contents":{…},"journal":2}` or `{"input":{"wake":{}},"uptime":[94,0],"wall":1800000000000000}`,
/// with `"handset":2` if it is not the first handset's.
struct RecordedLine {
  enum Entry {
    case contents(Handset.Contents)
    case input(Input, Moment)
  }

  var handset = HandsetID.first
  var entry: Entry

  /// The version of the form. A reader refuses a newer one, and reads all older ones: in form 1, of 0.1.0, the only
  /// handset has no number, the fields of a refusal have no `push` around them, and a publishing node is in the push.
  static let version = 2

  init(_ entry: Entry, of handset: HandsetID = .first) {
    (self.handset, self.entry) = (handset, entry)
  }

  static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension RecordedLine: Codable {
  private enum CodingKeys: CodingKey { case journal, handset, contents, input }

  /// The inputs that have another form in form 1.
  private struct InputOfForm1: Decodable {
    struct Publication: Decodable {
      var content: PushWithNode
      var propertyList: Data
    }

    struct PushWithNode: Decodable {
      var push: Push
      var node: NodeID

      init(from decoder: any Decoder) throws {
        push = try Push(from: decoder)
        node = try decoder.container(keyedBy: AnyKey.self).decode(NodeID.self, forKey: AnyKey("node"))
      }
    }

    var refused: RefusedPush?
    var publish: Publication?

    var input: Input? {
      publish.map { .publish($0.content.push, through: $0.content.node, propertyList: Array($0.propertyList)) }
        ?? refused.map { .refused($0) }
    }
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    handset = try values.decodeIfPresent(HandsetID.self, forKey: .handset) ?? .first
    if let version = try values.decodeIfPresent(Int.self, forKey: .journal) {
      guard version <= RecordedLine.version else {
        throw RecordingError(
          "it was recorded by a newer deskbell (form \(version), this one reads \(RecordedLine.version)); "
            + "replay it with that version or a later one")
      }
      entry = .contents(try values.decode(Handset.Contents.self, forKey: .contents))
    } else if values.contains(.input) {
      let moment = try Moment(from: decoder)
      do {
        entry = .input(try values.decode(Input.self, forKey: .input), moment)
      } catch {
        guard let old = try? values.decode(InputOfForm1.self, forKey: .input).input else { throw error }
        entry = .input(old, moment)
      }
    } else {
      throw RecordingError("it has neither contents nor an input with its moment")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    if handset != .first { try values.encode(handset, forKey: .handset) }
    switch entry {
    case .contents(let contents):
      try values.encode(RecordedLine.version, forKey: .journal)
      try values.encode(contents, forKey: .contents)
    case .input(let input, let moment):
      try values.encode(input, forKey: .input)
      try moment.encode(to: encoder)
    }
  }
}

/// The reason why a journal cannot be recorded or replayed, for a person to read.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
