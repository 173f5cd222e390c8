// Music is lowered while a sound plays, and restored (rule A3). A ramp takes time and a sound must not wait for it, so
// the ramp has its own thread, which sleeps while no music is lowered.

import FoundationEssentials
import Glibc
import HeldFolders
import Synchronization
import SystemThreads

/// The music to lower, and its remaining amplitude.
public struct Ducking: Sendable {
  public var element: any MixerElement
  /// The remaining amplitude, 0 to 1.
  public var amplitude: Double
  /// The file with the previous level while music is lowered.
  public var record: String
  /// Milliseconds between two steps of a ramp.
  var stepMilliseconds: Int32 = Ramp.stepMilliseconds

  public init(element: any MixerElement, amplitude: Double, record: String) {
    self.element = element
    self.amplitude = amplitude
    self.record = record
  }
}

/// The steps of a ramp: fast down, because the sound has started, and slow up. For 20% a step is 0.7 dB down and half
/// of that up, which is inaudible.
enum Ramp {
  static let stepMilliseconds: Int32 = 10
  /// The number of steps: 400 ms up.
  static let steps = 40
  /// The steps taken at a time on the way down: 200 ms.
  static let stepsDown = 2
}

/// A thread that lowers and restores the music; the newest request wins.
final class Ducker: Sendable {
  private let request: DuckingRequest
  private let thread: SystemThread

  /// Starts the thread, which first restores a level that an earlier daemon left lowered.
  init(
    _ ducking: Ducking, report: @escaping @Sendable (SpeakerReport) -> Void
  ) throws(SystemError) {
    let request = try DuckingRequest()
    self.request = request
    thread = try SystemThread(named: "ducking", stackBytes: Speaker.Limits.stackBytes) {
      DuckingRun(ducking: ducking, request: request, report: report).run()
    }
  }

  func lower() { request.set(.lowered) }
  func restore() { request.set(.restored) }

  /// Restores the level and waits until that is done.
  func shutdown() {
    request.shut()
    thread.join()
  }
}

/// The requested level, shared by callers and the thread.
private final class DuckingRequest: Sendable {
  enum Level: Sendable { case lowered, restored }

  let bell: Doorbell
  private let state = Mutex((level: Level.restored, isShut: false))

  init() throws(SystemError) { bell = try Doorbell() }

  /// Sets the level and returns at once; without a change, the thread does not wake.
  func set(_ level: Level) {
    let isNew = state.withLock { state in
      defer { state.level = level }
      return state.level != level
    }
    if isNew { bell.ring() }
  }

  func shut() {
    state.withLock { $0 = (.restored, true) }
    bell.ring()
  }

  var level: Level { state.withLock { $0.level } }
  var isShut: Bool { state.withLock { $0.isShut } }
}

private struct DuckingRun {
  let ducking: Ducking
  let request: DuckingRequest
  let report: @Sendable (SpeakerReport) -> Void
  var isLost = false

  consuming func run() {
    if DuckedLevels.read(ducking.record) != nil { lowerAndRestore() }
    while !request.isShut {
      request.bell.clear()
      if request.level == .lowered { lowerAndRestore() }
      // Done or failed: wait for the next request.
      if !request.isShut { _ = request.bell.wait() }
    }
  }

  /// Runs one ramp, from the first step down to the last step up.
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
    if request.level == .lowered {
      low = try control.scaled(high, to: ducking.amplitude)
      try DuckedLevels(element: ducking.element.name, levels: high).write(to: ducking.record)
      // Begins at the current level, which may be between the two if an earlier attempt failed.
      let places = 0...Ramp.steps
      place =
        places.first { zip(now, DuckingRun.between(high, low, $0)).allSatisfy { $0.steps >= $1.steps } } ?? Ramp.steps
    } else {
      // An earlier daemon left the level lowered: from the current level to the previous one.
      (low, place) = (now, now == high ? 0 : Ramp.steps)
    }
    var shown = now
    while true {
      request.bell.clear()
      let target = request.level == .lowered ? Ramp.steps : 0
      if place == target && place == 0 { break }
      if place == target {
        // Lowered until the next request.
        _ = request.bell.wait()
        continue
      }
      // The user moved the control: it stays there.
      if try control.levels() != shown { break }
      place = place < target ? min(place + Ramp.stepsDown, target) : place - 1
      try control.set(DuckingRun.between(high, low, place))
      shown = try control.levels()
      if place != target { _ = request.bell.wait(milliseconds: ducking.stepMilliseconds) }
    }
    // If the removal is lost, the same levels are set once more at the next start.
    unlink(ducking.record)
  }

  /// Returns the previous levels, or the current one of a channel if that is higher.
  private static func higher(_ now: [MixerLevel], _ owed: [MixerLevel]?) -> [MixerLevel] {
    now.map { level in
      let before = owed?.first { $0.channel == level.channel }?.steps ?? level.steps
      return MixerLevel(channel: level.channel, steps: max(level.steps, before))
    }
  }

  private static func between(_ high: [MixerLevel], _ low: [MixerLevel], _ place: Int) -> [MixerLevel] {
    zip(high, low).map { high, low in
      MixerLevel(channel: high.channel, steps: high.steps + (low.steps - high.steps) * place / Ramp.steps)
    }
  }
}

/// The levels to restore, stored before the first step down: they must be restored also after a crash or a power cut.
struct DuckedLevels: Codable, Equatable {
  /// The value of `MixerElement.name`: levels of another card or element must not be set on this one.
  var element: String
  var levels: [MixerLevel]

  /// The largest file; more than the channels of any card need.
  static let byteLimit = 16 * 1024

  /// - Returns: nil if there is no level to restore, or the file is not ours.
  static func read(_ path: String) -> DuckedLevels? {
    guard let file = try? openFile(path).descriptor else { return nil }
    defer { close(file) }
    guard let bytes = try? readAll(from: file, atMost: byteLimit), bytes.count <= byteLimit else { return nil }
    return try? JSONDecoder().decode(DuckedLevels.self, from: Data(bytes))
  }

  func write(to path: String) throws(SpeakerError) {
    do throws(HeldFolder.Fault) {
      // The encoding of texts and numbers cannot fail.
      try HeldFolder.replace(path, with: (try? JSONEncoder().encode(self)).map { Array($0) } ?? [], mode: 0o600)
    } catch {
      throw SpeakerError(
        device: element,
        cause: "the level to restore cannot be written to '\(path)': \(SystemError(code: error.code))",
        remedy: "music is not lowered; free space there, or let the daemon write to it")
    }
  }
}

/// A volume control of a sound card, identified by its names in ALSA.
public protocol MixerElement: Sendable {
  /// The name in errors and in the record of levels to restore: `element 'Music' of card 'default'`.
  var name: String { get }

  /// Opens the control while music is lowered; it is closed in between.
  /// - Throws: `SpeakerError` if the card or the element is missing, or has no volume.
  func open() throws(SpeakerError) -> any MixerControl
}

/// The open control, used by one thread; closed when it is released.
public protocol MixerControl: AnyObject {
  func levels() throws(SpeakerError) -> [MixerLevel]

  /// Returns the levels at a fraction of the amplitude.
  /// - Parameter amplitude: 0 to 1.
  func scaled(_ levels: [MixerLevel], to amplitude: Double) throws(SpeakerError) -> [MixerLevel]

  func set(_ levels: [MixerLevel]) throws(SpeakerError)
}

public struct MixerLevel: Hashable, Sendable, Codable {
  /// The channel in ALSA's numbering: 0 is front left, or mono.
  public var channel: Int
  /// The level in the card's own steps, so that the restored level is exactly the previous one.
  public var steps: Int
}
