// The same inputs at the same moments make the same events, byte for byte: a handset has no clock and draws no lots.

import FoundationEssentials
import HandsetCore
import HandsetStore

/// Runs a journal of inputs through a handset.
public struct Replay {
  /// What was in the journal.
  public struct Summary: Hashable, Sendable {
    public var inputs = 0
    public var events = 0
    /// Lines that a daemon which was killed left unfinished, by their number; the handset began anew after each.
    public var unfinishedLines: [Int] = []
  }

  private let path: String
  private let lines: [Data]
  private let contents: Handset.Contents?

  /// - Parameters:
  ///   - journal: path of the file that `deskbell serve --journal` recorded.
  ///   - state: a copy of a state directory, to begin with what it holds instead of what the journal begins with. It
  ///     must be no running daemon's.
  /// - Throws: `DaemonError` where one of them cannot be read.
  public init(journal path: String, state: String? = nil) throws(DaemonError) {
    self.path = path
    do {
      lines = try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n"))
    } catch {
      throw DaemonError("\(path): cannot be read; name the file that 'deskbell serve --journal' recorded")
    }
    do {
      contents = try state.map { directory in
        guard SharedFiles.isFolder(directory) else {
          throw DaemonError("--state \(directory): there is no such folder")
        }
        return try HandsetStore(directory: directory).load(handset: .first).contents
      }
    } catch {
      throw DaemonError("\(error)")
    }
  }

  /// - Parameter tell: takes each event's line, as `deskbell events --json` has it.
  /// - Throws: `DaemonError` with the number of a line that cannot be read, and what `tell` throws.
  public func run(_ tell: (String) throws -> Void) throws -> Summary {
    var summary = Summary()
    var handset = Handset(contents ?? Handset.Contents())
    var isFirst = true
    let decoder = JSONDecoder()
    let events = EventEncoder()
    for (index, line) in lines.enumerated() {
      switch try read(index, line, decoder, &summary) {
      case nil: break
      case .contents(let contents):
        if !isFirst || self.contents == nil { handset = Handset(contents) }
        isFirst = false
      case .input(let input, let moment):
        isFirst = false
        summary.inputs += 1
        for event in handset.handle(input, at: moment).events {
          summary.events += 1
          try tell(events.line(event))
        }
      }
    }
    return summary
  }

  /// Nil for a line that a killed daemon left: the last one, or one after which recording began anew.
  private func read(
    _ index: Int, _ line: Data, _ decoder: JSONDecoder, _ summary: inout Summary
  ) throws -> JournalLine? {
    do {
      return try JournalLine(line, by: decoder)
    } catch {
      let next = lines.dropFirst(index + 1).first.map { try? JournalLine($0, by: decoder) }
      let isLast = next == nil
      if case .contents = next ?? nil, !(error is DaemonError) {
        summary.unfinishedLines.append(index + 1)
        return nil
      }
      if isLast && index > 0 && !(error is DaemonError) {
        summary.unfinishedLines.append(index + 1)
        return nil
      }
      throw DaemonError("\(path):\(index + 1): error: \(Replay.describe(error))")
    }
  }

  private static func describe(_ error: any Error) -> String {
    switch error {
    case DecodingError.dataCorrupted(let context) where !context.debugDescription.isEmpty:
      "is no line of a journal: \(context.debugDescription)"
    case is DecodingError: "is no line of a journal of inputs"
    default: "\(error)"
    }
  }
}
