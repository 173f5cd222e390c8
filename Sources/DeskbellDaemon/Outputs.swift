// From the handset's decisions to the devices, and from what the devices report back to its events. No decisions here.

import AppLink
import Board
import Clocks
import HandsetCore
import Logging
import Speaker
import Synchronization

/// The board, the speaker, the timer and the followers of events, as the host sees them.
final class Outputs: HostOutput, SoundPlayer {
  /// What dims the music, as the device table has it.
  static let duckingDevice = "music volume"

  /// The database, as the device table has it.
  static let storeDevice = "store"

  private let library: SoundLibrary
  private let devices: DeviceTable
  private let eventBell: EventBell
  private let waker: Waker
  private let clock: any Clock
  private let logger: Logger

  /// A sound that plays or waits to.
  private struct Playing {
    var name: String
    /// Nil where somebody asked for the sound itself.
    var push: PushID?
    var isCritical = false
    /// Waits for its beginning.
    var begun: CheckedContinuation<String?, Never>?
  }

  private struct State {
    weak var host: Host?
    var panel: Panel?
    var speaker: Speaker?
    var screen: BoardScreen?
    var link: AppLink?
    var presentation = Presentation.dark
    /// What plays or is about to, by the number the speaker knows it by. At most one plays and one waits.
    var playing: [PlaybackID: Playing] = [:]
    var nextPlayback: UInt64 = 1
    /// Whether the board has a motor.
    var hasMotor = false
    /// What the motor plays, or played last, since when on the system's own clock, and for which push; nil once it was
    /// stopped.
    var vibration: (pattern: VibrationPattern, push: PushID, since: Duration)?
    /// A pattern that blinks is one event when it begins, not two a second for as long as it lasts.
    var lampIsAwaited = false
  }

  private let state = Mutex(State())

  init(
    library: SoundLibrary, devices: DeviceTable, eventBell: EventBell, waker: Waker, clock: any Clock, logger: Logger
  ) {
    self.library = library
    self.devices = devices
    self.eventBell = eventBell
    self.waker = waker
    self.clock = clock
    self.logger = logger
  }

  /// - Parameter alarms: on the wall clock; nil where the handset's clock does not run by itself.
  func connect(host: Host, alarms: WallAlarms?) {
    state.withLock { $0.host = host }
    waker.start(alarms: alarms) { [weak host] in host?.report(.wake) }
  }

  func connect(_ board: BoardSetup) {
    state.withLock { state in
      state.panel = board.panel
      state.screen = board.screen
      state.hasMotor = board.description?.motor != nil
    }
  }

  func connect(link: AppLink) { state.withLock { $0.link = link } }
  func connect(speaker: Speaker) { state.withLock { $0.speaker = speaker } }

  func storeChanged(problem: String?) { devices.set(Outputs.storeDevice, problem: problem) }

  /// The virtual clock was moved: the board draws what is due by it.
  func clockMoved() { state.withLock(\.panel)?.wake() }

  /// Nothing is due any more.
  func stopWaking() { waker.stop() }

  // MARK: From the host

  func show(_ presentation: Presentation) {
    let panel = state.withLock { state in
      if presentation.lamp != state.presentation.lamp { state.lampIsAwaited = true }
      state.presentation = presentation
      return state.panel
    }
    panel?.show(presentation)
  }

  func perform(_ effect: Effect) {
    switch effect {
    case .play(let choice):
      play(
        library.sound(for: choice.source, on: .first), at: Volume(choice.volume),
        Playing(name: choice.name, push: choice.push, isCritical: choice.isCritical))
    case .stopSound(let push):
      stop {
        $0.push == push
      } alsoVibrating: {
        $0 == push
      }
    case .silence(let what):
      stop {
        what == .all || !$0.isCritical
      } alsoVibrating: { push in
        // What a critical push does goes on where its sound does.
        what == .all || !state.withLock { $0.playing.values.contains { $0.push == push && $0.isCritical } }
      }
    case .vibrate(let pattern, let push):
      let panel = state.withLock { state in
        state.vibration = (pattern, push, SystemClock().now().uptime)
        return state.panel
      }
      panel?.vibrate(pattern)
    case .launchApp(let app):
      state.withLock(\.link)?.launch(AppAddress(app, on: .first))
    case .stopApp(let app):
      state.withLock(\.link)?.stop(AppAddress(app, on: .first))
    case .deliver:
      // The host reads its payload first and calls `deliver`.
      break
    }
  }

  /// What the motor plays; nil where it is still, or there is none.
  /// - Parameter uptime: the system's own, whatever clock the handset has.
  func vibration(at uptime: Duration) -> (pattern: VibrationPattern, elapsed: Duration)? {
    let (hasMotor, vibration) = state.withLock { ($0.hasMotor, $0.vibration) }
    guard hasMotor, let vibration else { return nil }
    let elapsed = max(uptime - vibration.since, .zero)
    return elapsed < vibration.pattern.duration ? (vibration.pattern, elapsed) : nil
  }

  func play(_ sound: Sound, at volume: Volume) async -> String? {
    await withCheckedContinuation { begun in play(sound, at: volume, Playing(name: sound.name, begun: begun)) }
  }

  private func play(_ sound: Sound, at volume: Volume, _ playing: Playing) {
    let (speaker, id) = state.withLock { state in
      let id = PlaybackID(state.nextPlayback)
      state.nextPlayback += 1
      if state.speaker != nil { state.playing[id] = playing }
      return (state.speaker, id)
    }
    guard let speaker else {
      playing.begun?.resume(returning: "there is no speaker")
      return
    }
    speaker.play(sound, at: volume, id: id)
  }

  /// Stops the sounds that it is true of, and the motor for a push that it is true of.
  private func stop(_ isMeant: (Playing) -> Bool, alsoVibrating isMeantToo: (PushID) -> Bool) {
    let (speaker, panel, choices, vibrating) = state.withLock { state in
      (state.speaker, state.panel, state.playing, state.vibration?.push)
    }
    if let vibrating, isMeantToo(vibrating) {
      state.withLock { if $0.vibration?.push == vibrating { $0.vibration = nil } }
      panel?.stopVibrating()
    }
    for (id, choice) in choices where isMeant(choice) { speaker?.stop(id) }
  }

  func deliver(_ delivery: Delivery, payload: [UInt8]) {
    state.withLock(\.link)?.deliver(
      AppDelivery(
        app: AppAddress(delivery.app, on: .first), push: delivery.push, payload: payload, state: delivery.state,
        attempt: delivery.attempt))
  }

  func wake(at deadline: Deadline?, after pause: Duration) {
    waker.set(deadline, after: pause)
  }

  func eventsArrived() {
    eventBell.ring()
  }

  // MARK: From the devices

  func heard(_ report: BoardReport) {
    switch report {
    case .lamp(let lit, let pattern, let uptime):
      let isNew = state.withLock { state in
        // The first edge that belongs to what is shown now: lit where it should shine, dark where it should not.
        guard state.lampIsAwaited, (pattern != nil) == (state.presentation.lamp != nil) else { return false }
        guard lit == (pattern != nil) else { return false }
        state.lampIsAwaited = false
        return true
      }
      if isNew { tell(.lamp(lit: lit), at: uptime) }
    case .digits(let text, let overflows, let uptime):
      tell(overflows ? .displayOverflow(text) : .display(text), at: uptime)
    case .motor:
      // The event of the push says that it vibrates.
      break
    case .pressed(let button, let length, _):
      enter(.press(button, length), "the \(button.rawValue) button was pressed")
    case .silentSwitch(let isSilent, _):
      enter(.setCondition(.silent, isSilent), "the ring/silent switch was moved")
    case .lost(let device, let reason), .unanswered(let device, let reason):
      lost(device.rawValue, "\(device.rawValue): \(reason)")
    case .back(let device):
      back(device.rawValue)
    }
  }

  func heard(_ report: SpeakerReport) {
    switch report {
    case .started(let id, let sound, let uptime):
      let (push, screen, begun) = state.withLock { state in
        let begun = state.playing[id]?.begun
        state.playing[id]?.begun = nil
        return (state.playing[id]?.push, state.screen, begun)
      }
      begun?.resume(returning: nil)
      screen?.say("sound ♪ \(sound)")
      tell(.soundStarted(name: sound), push: push, at: clock.uptime(ofSystem: uptime))
    case .ended(let id, let ending, let uptime):
      guard let ended = state.withLock({ $0.playing.removeValue(forKey: id) }) else { return }
      ended.begun?.resume(returning: ending.word)
      tell(.soundEnded(name: ended.name, reason: ending.word), push: ended.push, at: clock.uptime(ofSystem: uptime))
    case .deviceLost(let message):
      lost("speaker", message)
    case .deviceBack:
      back("speaker")
    case .duckingLost(let message):
      lost(Outputs.duckingDevice, message)
    case .duckingBack:
      back(Outputs.duckingDevice)
    }
  }

  /// Notes that a device works no longer, or never did: once in the log, the device table and the events.
  func lost(_ device: String, _ problem: String) {
    devices.set(device, problem: problem)
    logger.error("\(problem)")
    tell(.deviceLost(problem), at: clock.now().uptime)
  }

  func back(_ device: String) {
    devices.set(device, problem: nil)
    logger.notice("\(device): works again")
    tell(.deviceBack(device), at: clock.now().uptime)
  }

  /// What a finger did is an input like any other, and nobody waits for its answer. A button that means nothing now is
  /// refused.
  private func enter(_ input: Input, _ what: String) {
    let logger = logger
    state.withLock(\.host)?.submit(input) { outcome in
      guard case .failed(let why) = outcome else { return }
      logger.error("\(what), and that could not be stored, so it did nothing: \(why)")
    }
  }

  private func tell(_ kind: DriverReport.Kind, push: PushID? = nil, at uptime: Duration) {
    state.withLock(\.host)?.report(.report(DriverReport(kind, push: push, uptime: uptime)))
  }
}

extension SpeakerReport.Ending {
  /// As events say it.
  var word: String {
    switch self {
    case .finished: "finished"
    case .replaced: "replaced"
    case .stopped: "stopped"
    case .failed(let message): message
    }
  }
}
