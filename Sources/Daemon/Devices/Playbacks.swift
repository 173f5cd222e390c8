// The speaker identifies a sound by its number; this table has the sound of each number.

import Clocks
import HandsetCore
import Speaker
import Synchronization

/// The sounds that play or are about to, with the speaker's reports about them.
final class Playbacks: Sendable {
  static let deviceName = "speaker"
  static let duckingDevice = "music volume"

  struct Playing: Sendable {
    var name: String
    /// The push of the sound; nil if the user asked for the sound itself.
    var push: PushID?
    var isCritical = false
    /// The continuation that is resumed when the sound begins, or cannot begin.
    var begun: CheckedContinuation<String?, Never>?
  }

  private struct State {
    /// The sounds by number: at most one plays and one waits.
    var playing: [PlaybackID: Playing] = [:]
    var next: UInt64 = 1
  }

  private let reporter: DeviceReporter
  private let screen: BoardScreen?
  private let state = Mutex(State())

  init(_ reporter: DeviceReporter, screen: BoardScreen?) {
    self.reporter = reporter
    self.screen = screen
  }

  func add(_ playing: Playing) -> PlaybackID {
    state.withLock { state in
      let id = PlaybackID(state.next)
      state.next += 1
      state.playing[id] = playing
      return id
    }
  }

  func ids(where isMeant: (Playing) -> Bool) -> [PlaybackID] {
    state.withLock { state in state.playing.compactMap { isMeant($0.value) ? $0.key : nil } }
  }

  /// Handles a report. Called on the speaker's thread.
  func handle(_ report: SpeakerReport) {
    switch report {
    case .started(let id, let sound, let uptime):
      let (push, begun) = state.withLock { state in
        defer { state.playing[id]?.begun = nil }
        return (state.playing[id]?.push, state.playing[id]?.begun)
      }
      begun?.resume(returning: nil)
      screen?.say("sound ♪ \(sound)")
      reporter.emit(.soundStarted(name: sound), push: push, at: reporter.clock.uptime(ofSystem: uptime))
    case .ended(let id, let ending, let uptime):
      guard let ended = state.withLock({ $0.playing.removeValue(forKey: id) }) else { return }
      ended.begun?.resume(returning: ending.word)
      reporter.emit(
        .soundEnded(name: ended.name, reason: ending.word), push: ended.push,
        at: reporter.clock.uptime(ofSystem: uptime))
    case .deviceLost(let message): reporter.lost(Playbacks.deviceName, message)
    case .deviceBack: reporter.back(Playbacks.deviceName)
    case .duckingLost(let message): reporter.lost(Playbacks.duckingDevice, message)
    case .duckingBack: reporter.back(Playbacks.duckingDevice)
    }
  }
}

extension SpeakerReport.Ending {
  fileprivate var word: String {
    switch self {
    case .finished: "finished"
    case .replaced: "replaced"
    case .stopped: "stopped"
    case .failed(let message): message
    }
  }
}
