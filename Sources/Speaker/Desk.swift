// Where callers and the speaker's thread meet. It holds one sound that waits and the wish about the one that plays;
// every sound that leaves it unheard is reported by whoever took it off.

import Glibc
import Synchronization
import SystemThreads

/// A sound that shall be played.
struct Request: Sendable {
  var sound: Sound
  var volume: Volume
  var id: PlaybackID
}

/// What callers and the thread share.
final class Desk: Sendable {
  let bell: Doorbell
  let output: any SpeakerOutput
  let ducker: Ducker?
  private let report: @Sendable (SpeakerReport) -> Void
  private let state = Mutex(State())

  private struct State {
    var waiting: Request?
    var playing: PlaybackID?
    /// Why what plays shall end.
    var ending: SpeakerReport.Ending?
    var checkIsDue = false
    var isShut = false

    /// - Returns: the sound that was waiting, and is no more.
    mutating func stop(where matches: (PlaybackID) -> Bool) -> PlaybackID? {
      // A stop outdoes a replacement that the thread has not carried out: the person asked for it last.
      if let playing, matches(playing) { ending = .stopped }
      guard let request = waiting, matches(request.id) else { return nil }
      waiting = nil
      return request.id
    }
  }

  init(
    bell: Doorbell, output: any SpeakerOutput, ducker: Ducker?, report: @escaping @Sendable (SpeakerReport) -> Void
  ) {
    self.bell = bell
    self.output = output
    self.ducker = ducker
    self.report = report
  }

  // MARK: Callers

  func put(_ request: Request) {
    let unheard = state.withLock { state -> (id: PlaybackID, ending: SpeakerReport.Ending)? in
      if state.isShut { return (request.id, .stopped) }
      let older = state.waiting
      state.waiting = request
      if state.playing != nil && state.ending == nil { state.ending = .replaced }
      return older.map { ($0.id, .replaced) }
    }
    bell.ring()
    if let unheard { ended(unheard.id, unheard.ending) }
  }

  func stop(where matches: (PlaybackID) -> Bool) {
    let unheard = state.withLock { state in state.stop(where: matches) }
    bell.ring()
    if let unheard { ended(unheard, .stopped) }
  }

  func requestCheck() {
    state.withLock { $0.checkIsDue = true }
    bell.ring()
  }

  func shut() {
    let unheard = state.withLock { state in
      state.isShut = true
      return state.stop { _ in true }
    }
    bell.ring()
    if let unheard { ended(unheard, .stopped) }
  }

  // MARK: The thread

  enum Work {
    case play(Request)
    case check
    case sleep
    case leave
  }

  /// What to do next. A sound taken is the one that plays, until `finish`.
  func next() -> Work {
    state.withLock { state in
      if state.isShut { return .leave }
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

  /// Why the sound that plays shall end now; nil where it shall go on.
  var ending: SpeakerReport.Ending? { state.withLock { $0.ending } }

  /// Whether there is something to do but to sleep.
  var isWanted: Bool { state.withLock { $0.waiting != nil || $0.checkIsDue || $0.isShut } }

  func finish() {
    state.withLock { $0.playing = nil }
  }

  func ended(_ id: PlaybackID, _ ending: SpeakerReport.Ending) {
    tell(.ended(id, ending, uptime: Desk.uptime()))
  }

  func tell(_ fact: SpeakerReport) {
    report(fact)
  }

  static func uptime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
