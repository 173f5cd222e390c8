// Music dims while a sound is heard and comes back (rule A3). A ramp takes its time and a sound must not wait for it, so
// it has a thread of its own, which sleeps while no music is lowered.

import Glibc
import Synchronization
import SystemThreads

/// Which music dims, and how far.
public struct Ducking: Sendable {
  public var element: any MixerElement
  /// What is left of its amplitude, 0 to 1.
  public var amplitude: Double
  /// The file that says what to go back to, while music is lowered.
  public var record: String
  /// Milliseconds between two steps of a ramp.
  var stepMilliseconds: Int32 = Ramp.stepMilliseconds

  public init(element: any MixerElement, amplitude: Double, record: String) {
    self.element = element
    self.amplitude = amplitude
    self.record = record
  }
}

/// Down quickly, because the sound has begun; up slowly, because it is pleasant. A step to a fifth is 0.7 dB down and
/// half of that up: no click.
enum Ramp {
  static let stepMilliseconds: Int32 = 10
  /// 400 ms up.
  static let steps = 40
  /// Taken at a time on the way down: 200 ms.
  static let stepsDown = 2
}

/// Lowers and restores; newest wish wins.
final class Ducker: Sendable {
  private let desk: DuckingDesk
  private let thread: Mutex<SystemThread?>

  /// Starts the thread, which first restores what a daemon before it left lowered.
  init(
    _ ducking: Ducking, report: @escaping @Sendable (SpeakerReport) -> Void
  ) throws(SystemError) {
    let desk = try DuckingDesk()
    self.desk = desk
    thread = Mutex(
      try SystemThread(named: "ducking", stackBytes: Speaker.Limits.stackBytes) {
        DuckingRun(ducking, desk: desk, report: report).run()
      })
  }

  func lower() { desk.want(.lowered) }
  func restore() { desk.want(.restored) }

  /// Restores, and waits for it.
  func shutdown() {
    desk.shut()
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    running?.join()
  }
}

/// Where callers and the thread meet.
private final class DuckingDesk: Sendable {
  enum Wish: Sendable { case lowered, restored }

  let bell: Doorbell
  private let state = Mutex((wish: Wish.restored, isShut: false))

  init() throws(SystemError) { bell = try Doorbell() }

  /// Nobody waits for a thread that has nothing to do.
  func want(_ wish: Wish) {
    let isNew = state.withLock { state in
      defer { state.wish = wish }
      return state.wish != wish
    }
    if isNew { bell.ring() }
  }

  func shut() {
    state.withLock { $0 = (.restored, true) }
    bell.ring()
  }

  var wish: Wish { state.withLock { $0.wish } }
  var isShut: Bool { state.withLock { $0.isShut } }
}

/// What the thread does.
private struct DuckingRun {
  private let ducking: Ducking
  private let desk: DuckingDesk
  private let report: @Sendable (SpeakerReport) -> Void
  private var isLost = false

  init(_ ducking: Ducking, desk: DuckingDesk, report: @escaping @Sendable (SpeakerReport) -> Void) {
    self.ducking = ducking
    self.desk = desk
    self.report = report
  }

  consuming func run() {
    if DuckedLevels.read(ducking.record) != nil { lowerAndRestore() }
    while !desk.isShut {
      desk.bell.hear()
      if desk.wish == .lowered { lowerAndRestore() }
      // Whether it failed or was done: there is nothing to do before the next wish.
      if !desk.isShut { _ = desk.bell.wait() }
    }
  }

  /// From the first step down to the last step up.
  private mutating func lowerAndRestore() {
    do throws(SpeakerError) {
      let control = try ducking.element.open()
      try follow(control)
      if isLost { report(.duckingBack) }
      isLost = false
    } catch {
      if !isLost { report(.duckingLost(message: error.description)) }
      isLost = true
    }
  }

  private func follow(_ control: any MixerControl) throws(SpeakerError) {
    let now = try control.levels()
    let owed = DuckedLevels.read(ducking.record).flatMap { $0.element == ducking.element.name ? $0.levels : nil }
    let high = DuckingRun.higher(now, owed)
    let low: [MixerLevel]
    var place: Int
    if desk.wish == .lowered {
      low = try control.scaled(high, to: ducking.amplitude)
      try DuckedLevels(element: ducking.element.name, levels: high).write(to: ducking.record)
      // From where it is, which is on the way already where an earlier try failed.
      place = (0...Ramp.steps).first { DuckingRun.reaches(now, DuckingRun.between(high, low, $0)) } ?? Ramp.steps
    } else {
      // What a daemon before this one left: from where it is to where it was.
      (low, place) = (now, now == high ? 0 : Ramp.steps)
    }
    var shown = now
    while true {
      desk.bell.hear()
      let target = desk.wish == .lowered ? Ramp.steps : 0
      if place == target && place == 0 { break }
      if place == target {
        // Lowered, until somebody wants it back.
        _ = desk.bell.wait()
        continue
      }
      // Somebody has moved it by hand: it is theirs.
      if try control.levels() != shown { break }
      place = place < target ? min(place + Ramp.stepsDown, target) : place - 1
      try control.set(DuckingRun.between(high, low, place))
      shown = try control.levels()
      if place != target { _ = desk.bell.wait(milliseconds: ducking.stepMilliseconds) }
    }
    DuckedLevels.remove(ducking.record)
  }

  /// What was owed, but for a channel that somebody has put higher since.
  private static func higher(_ now: [MixerLevel], _ owed: [MixerLevel]?) -> [MixerLevel] {
    now.map { level in
      let before = owed?.first { $0.channel == level.channel }?.steps ?? level.steps
      return MixerLevel(channel: level.channel, steps: max(level.steps, before))
    }
  }

  /// Whether no channel would be raised.
  private static func reaches(_ now: [MixerLevel], _ levels: [MixerLevel]) -> Bool {
    zip(now, levels).allSatisfy { $0.steps >= $1.steps }
  }

  private static func between(_ high: [MixerLevel], _ low: [MixerLevel], _ place: Int) -> [MixerLevel] {
    zip(high, low).map { high, low in
      MixerLevel(channel: high.channel, steps: high.steps + (low.steps - high.steps) * place / Ramp.steps)
    }
  }
}
