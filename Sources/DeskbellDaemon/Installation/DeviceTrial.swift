// Each wire is tried before a daemon is built on it: lit, and looked at by the person who soldered it. The devices are
// driven by what drives them later, so that what is seen here is what will be seen.

import Board
import Glibc
import HandsetCore
import Speaker

/// What came of driving a device.
public enum TrialOutcome: Hashable, Sendable {
  /// It was driven; whether anything can be seen or heard, only a person can say.
  case driven
  /// It cannot be: which device, why, and what to do.
  case failed(String)
}

/// A board without a daemon: its lamp and digits are lit at will. Used by one task.
public final class BoardTrial {
  /// The board's own name.
  public let board: String
  public let isSimulated: Bool
  public let hasLamp: Bool
  /// Digits of the display; 0 without one.
  public let digits: Int

  private let panel: Panel?
  private var reports: AsyncStream<BoardReport>.AsyncIterator
  private var shown = Presentation.dark
  private var problems: [BoardDevice: String] = [:]

  /// Takes the board's lines, dark. A simulated board has nothing to be tried, and takes none.
  /// - Parameter board: path of a board file, or the name of a shipped one.
  /// - Throws: `DaemonError` with each line of the file that is wrong.
  public init(board: String) throws {
    let description = try BoardSetup.description(of: board)
    (self.board, isSimulated) = (description.board, description.isSimulated)
    hasLamp = description.lamp != nil
    digits = description.display?.driver.digits ?? 0
    let (reports, continuation) = AsyncStream<BoardReport>.makeStream()
    self.reports = reports.makeAsyncIterator()
    panel =
      description.isSimulated
      ? nil : try Panel(description: description, bank: GPIOLines()) { continuation.yield($0) }
  }

  /// Lights the lamp, or darkens it.
  public func light(_ isLit: Bool) async -> TrialOutcome {
    shown.lamp = isLit ? Presentation.Lamp(pattern: .steady, since: .zero) : nil
    return await show(.lamp) { if case .lamp(isLit, _, _) = $0 { true } else { false } }
  }

  /// Shows a number on the digits; 0 darkens them.
  public func show(number: Int) async -> TrialOutcome {
    shown.badge = Int128(number)
    return await show(.display) { if case .digits = $0 { true } else { false } }
  }

  /// Darkens the board and lets its lines go.
  public func end() { panel?.stop() }

  /// The board says either that a device shows what it should, or that it cannot.
  private func show(_ device: BoardDevice, until isShown: (BoardReport) -> Bool) async -> TrialOutcome {
    guard let panel else { return .driven }
    panel.show(shown)
    if let problem = problems[device] { return .failed(problem) }
    while let report = await reports.next() {
      switch report {
      case .lost(let lost, let reason):
        problems[lost] = reason
        if lost == device { return .failed(reason) }
      case .unanswered(device, let reason): return .failed(reason)
      case .back(let found): problems[found] = nil
      default: if isShown(report) { return .driven }
      }
    }
    return .failed("the board's thread has ended")
  }
}

/// Plays one of the shipped sounds.
public enum SoundTrial {
  /// Returns when it was played, or could not be.
  /// - Parameter pcm: the ALSA PCM.
  /// - Throws: `DaemonError` where the shipped sounds are missing, or there is no thread left.
  public static func play(on pcm: String) async throws -> TrialOutcome {
    guard let folder = SharedFiles.folder("Sounds") else { throw DaemonError("the shipped sounds are missing") }
    let (reports, continuation) = AsyncStream<SpeakerReport>.makeStream()
    let speaker = try Speaker(output: ALSASink(pcm: pcm)) { continuation.yield($0) }
    defer { speaker.shutdown() }
    speaker.play(Sound(name: "chime", path: "\(folder)/chime.wav"), id: PlaybackID(1))
    for await report in reports {
      switch report {
      case .ended(_, .failed(let message), _): return .failed(message)
      case .ended: return .driven
      default: continue
      }
    }
    return .failed("the speaker's thread has ended")
  }
}
