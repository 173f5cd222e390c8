import FoundationEssentials
import HandsetCore
import HandsetStore

/// A replay of recorded inputs on the handsets that they were recorded from: the same inputs at the same moments make
/// the same events, byte for byte.
public struct Replay {
  public struct Summary: Hashable, Sendable {
    public var inputs = 0
    public var events = 0
    /// The numbers of lines that a killed daemon left unfinished; the handsets began anew after each.
    public var unfinishedLines: [Int] = []
  }

  private let path: String
  private let lines: [Data]
  private let contents: [HandsetID: Handset.Contents]

  /// - Parameters:
  ///   - path: the file that `deskbell serve --record` made.
  ///   - state: a copy of a state directory, which replaces the contents that the file begins with. It must not be a
  ///     running daemon's.
  /// - Throws: `RecordingError` if one of them cannot be read.
  public init(of path: String, state: String? = nil) throws(RecordingError) {
    self.path = path
    do {
      lines = try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n"))
    } catch {
      throw RecordingError("\(path): cannot be read; name the file that 'deskbell serve --record' made")
    }
    do {
      contents = try state.map(Replay.contents) ?? [:]
    } catch {
      throw RecordingError("\(error)")
    }
  }

  private static func contents(of directory: String) throws -> [HandsetID: Handset.Contents] {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: directory, isDirectory: &isFolder), isFolder else {
      throw RecordingError("--state \(directory): there is no such folder")
    }
    let store = try HandsetStore(directory: directory)
    var contents: [HandsetID: Handset.Contents] = [:]
    for id in [.first] + (try store.storedHandsets().map(\.id)) { contents[id] = try store.load(handset: id).contents }
    return contents
  }

  /// Applies the inputs in order, each at its own moment.
  /// - Parameter emit: takes the line of each event, as `deskbell events --json` has it, and its handset.
  /// - Throws: `RecordingError` with the number of a line that cannot be read, and the errors of `emit`.
  public func run(_ emit: (HandsetID, String) throws -> Void) throws -> Summary {
    var summary = Summary()
    var handsets = contents.mapValues { Handset($0) }
    var begun: Set<HandsetID> = []
    let decoder = JSONDecoder()
    for (index, line) in lines.enumerated() {
      guard let line = try read(index, line, decoder, &summary) else { continue }
      let isFirst = begun.insert(line.handset).inserted
      switch line.entry {
      case .contents(let contents):
        if !isFirst || self.contents[line.handset] == nil { handsets[line.handset] = Handset(contents) }
      case .input(let input, let moment):
        summary.inputs += 1
        var turn = handsets[line.handset, default: Handset()].handle(input, at: moment)
        for push in line.replaced { turn.dropSound(of: push, .soundReplaced) }
        if let push = line.speakerLost { turn.dropSound(of: push, .speakerLost) }
        for event in turn.events {
          summary.events += 1
          try emit(line.handset, EventReport(event).line)
        }
      }
    }
    return summary
  }

  /// Returns a line; nil for one that a killed daemon left: the last one, or one after which recording began anew.
  private func read(
    _ index: Int, _ line: Data, _ decoder: JSONDecoder, _ summary: inout Summary
  ) throws -> RecordedLine? {
    do {
      return try decoder.decode(RecordedLine.self, from: line)
    } catch {
      let next = lines.dropFirst(index + 1).first
      var isUnfinished = next == nil && index > 0
      if case .contents = next.flatMap({ try? decoder.decode(RecordedLine.self, from: $0) })?.entry {
        isUnfinished = true
      }
      guard isUnfinished, !(error is RecordingError) else {
        throw RecordingError("\(path):\(index + 1): error: \(Replay.describe(error))")
      }
      summary.unfinishedLines.append(index + 1)
      return nil
    }
  }

  private static func describe(_ error: any Error) -> String {
    switch error {
    case DecodingError.dataCorrupted(let context) where !context.debugDescription.isEmpty:
      "is no recorded input: \(context.debugDescription)"
    case is DecodingError: "is no recorded input"
    default: "\(error)"
    }
  }
}
