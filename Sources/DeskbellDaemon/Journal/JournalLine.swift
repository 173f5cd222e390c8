// One line of a journal of inputs: what the handset was made of when recording began or began anew, or one input and
// its moment.

import FoundationEssentials
import HandsetCore

/// A line, as JSON: `{"contents":{…},"journal":1}` or `{"input":{"wake":{}},"uptime":[94,0],"wall":1800000000000000}`.
enum JournalLine {
  case contents(Handset.Contents)
  case input(Input, Moment)

  /// The version of the form. A reader refuses a newer one.
  static let version = 1

  private struct Form: Codable {
    var journal: Int?
    var contents: JournaledContents?
    var input: JournaledInput?
    var uptime: JournaledUptime?
    var wall: WallTime?
  }

  /// Without a line break.
  func encoded(by encoder: JSONEncoder) throws -> Data {
    switch self {
    case .contents(let contents):
      try encoder.encode(Form(journal: JournalLine.version, contents: JournaledContents(contents)))
    case .input(let input, let moment):
      try encoder.encode(
        Form(input: JournaledInput(input), uptime: JournaledUptime(moment.uptime), wall: moment.wall))
    }
  }

  /// - Throws: what is wrong with it.
  init(_ line: Data, by decoder: JSONDecoder) throws {
    let form = try decoder.decode(Form.self, from: line)
    if let contents = form.contents, let version = form.journal {
      guard version <= JournalLine.version else {
        throw DaemonError(
          "it was recorded by a newer deskbell (form \(version), this one reads \(JournalLine.version)); "
            + "replay it with that version or a later one")
      }
      self = .contents(try contents.contents())
    } else if let input = form.input, let uptime = form.uptime, let wall = form.wall {
      self = .input(try input.input(), Moment(uptime: uptime.duration, wall: wall))
    } else {
      throw DaemonError("it has neither contents nor an input with its moment")
    }
  }

  static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
