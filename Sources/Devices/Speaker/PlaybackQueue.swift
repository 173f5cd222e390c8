import Synchronization
import SystemThreads

struct Request: Sendable {
  var sound: Sound
  var volume: Volume
  var id: PlaybackID
  /// True if a lost device is tried for this sound at once.
  var skipsPause = false
}

/// The queue between callers and the speaker's thread. It holds one waiting sound and the reason why the playing one is
/// to end; the caller that drops a waiting sound reports it.
final class PlaybackQueue: Sendable {
  let bell: Doorbell
  let output: any SpeakerOutput
  let ducker: Ducker?
  /// Returns the time of CLOCK_MONOTONIC.
  let now: @Sendable () -> Duration
  let report: @Sendable (SpeakerReport) -> Void
  private let state = Mutex(State())

  private struct State {
    var waiting: Request?
    var playing: PlaybackID?
    var ending: SpeakerReport.Ending?
    var checkIsDue = false
    var isShut = false
    /// The time of the next try of a lost device; nil if it works.
    var retryAt: Duration?

    mutating func stop(where matches: (PlaybackID) -> Bool) -> PlaybackID? {
      // A stop overrides a replacement that the thread has not carried out: it was requested later.
      if let playing, matches(playing) { ending = .stopped }
      guard let request = waiting, matches(request.id) else { return nil }
      waiting = nil
      return request.id
    }
  }

  init(
    bell: Doorbell, output: any SpeakerOutput, ducker: Ducker?, now: @escaping @Sendable () -> Duration,
    report: @escaping @Sendable (SpeakerReport) -> Void
  ) {
    self.bell = bell
    self.output = output
    self.ducker = ducker
    self.now = now
    self.report = report
  }

  // MARK: Callers

  func put(_ request: Request) {
    let dropped = state.withLock { state -> (id: PlaybackID, ending: SpeakerReport.Ending)? in
      if state.isShut { return (request.id, .stopped) }
      let older = state.waiting
      state.waiting = request
      if state.playing != nil && state.ending == nil { state.ending = .replaced }
      return older.map { ($0.id, .replaced) }
    }
    bell.ring()
    if let dropped { ended(dropped.id, dropped.ending) }
  }

  func stop(where matches: (PlaybackID) -> Bool) {
    let dropped = state.withLock { state in state.stop(where: matches) }
    bell.ring()
    if let dropped { ended(dropped, .stopped) }
  }

  func requestCheck() {
    state.withLock { $0.checkIsDue = true }
    bell.ring()
  }

  /// True while a lost device is not tried: until then a sound fails, unless it skips the pause.
  var isLost: Bool { state.withLock(\.retryAt).map { now() < $0 } ?? false }

  func shut() {
    let dropped = state.withLock { state in
      state.isShut = true
      return state.stop { _ in true }
    }
    bell.ring()
    if let dropped { ended(dropped, .stopped) }
  }

  // MARK: The thread

  enum Work {
    case play(Request)
    case check
    case sleep
    case end
  }

  /// Returns the next work. A returned sound counts as playing until `finish`.
  func next() -> Work {
    state.withLock { state in
      if state.isShut { return .end }
      if let request = state.waiting {
        state.waiting = nil
        state.playing = request.id
        state.ending = nil
        return .play(request)
      }
      if state.checkIsDue {
        state.checkIsDue = false
        return .check
      }
      return .sleep
    }
  }

  /// The reason why the playing sound is to end now; nil if it continues.
  var ending: SpeakerReport.Ending? { state.withLock { $0.ending } }

  var isWanted: Bool { state.withLock { $0.waiting != nil || $0.checkIsDue || $0.isShut } }

  /// - Parameter pause: the pause before a lost device is tried again; nil if it works.
  func lose(for pause: Duration?) {
    let retryAt = pause.map { now() + $0 }
    state.withLock { $0.retryAt = retryAt }
  }

  func finish() {
    state.withLock { $0.playing = nil }
  }

  func ended(_ id: PlaybackID, _ ending: SpeakerReport.Ending) {
    report(.ended(id, ending, uptime: now()))
  }
}
