// Setup tests each wire before the daemon uses it: it lights a device, and the user who wired it looks. It uses the
// daemon's own drivers, so the trial shows the same as the daemon.

import Board
import HandsetCore
import Speaker
import Synchronization

/// A board without a daemon, whose lamp and digits are set directly. Used by one task.
///
/// Each trial returns the reason why the device cannot be driven, and the remedy; nil if it was driven. Only the user
/// can tell if it lit.
public final class BoardTrial {
  public let lamp: BoardDescription.Lamp?
  public let digits: Int
  /// The order of the display's digits on its chip; nil if it has no such key.
  public let digitOrder: DigitOrder?
  /// The other devices that the board file has: motor, buzzer, buttons, switch, light sensor.
  public let others: [BoardDevice]

  private let front: Front
  private var reports: AsyncStream<BoardReport>.AsyncIterator
  private var shown = Presentation.dark
  let contacts = ContactLog()

  /// Requests the board's lines, dark.
  public init(_ description: BoardDescription, bank: any LineBank) throws {
    lamp = description.lamp
    digits = description.display?.driver.digits ?? 0
    digitOrder = description.display?.driver.digitOrder
    others = description.devices.filter { $0 != .lamp && $0 != .display }
    let (reports, continuation) = AsyncStream<BoardReport>.makeStream()
    self.reports = reports.makeAsyncIterator()
    let contacts = contacts
    front = try Front(description: description, bank: bank) { report in
      contacts.add(report)
      continuation.yield(report)
    }
  }

  /// Lights the lamp, in a colour if it has colours; nil darkens it.
  public func light(_ colour: LampColour?) async -> String? {
    let pattern = colour.flatMap { $0 == .white ? .steady : LampPattern(named: "steady-\($0.rawValue)") }
    shown.lamp = pattern.map { Presentation.Lamp(pattern: $0, since: .zero) }
    return await show(.lamp) {
      if case .lamp(let isLit, let name, _) = $0 { isLit == (pattern != nil) && name == pattern?.name } else { false }
    }
  }

  /// Shows a number on the digits; 0 darkens them.
  public func show(number: Int128) async -> String? {
    shown.badge = number
    return await show(.display) { if case .digits = $0 { true } else { false } }
  }

  public func vibrate() async -> String? {
    front.vibrate(.pulse)
    return await next(of: .motor) { if case .motor(runs: false, _) = $0 { true } else { false } }
  }

  public func beep() async -> String? {
    front.beep(.pulse)
    return await next(of: .buzzer) { if case .buzzer(sounds: false, _) = $0 { true } else { false } }
  }

  /// Returns the buttons, switch and sensor that were moved since the last call, and those whose lines cannot be read.
  public func movedContacts() -> (moved: Set<BoardDevice>, problems: [BoardDevice: String]) {
    contacts.state.withLock { (exchange(&$0.moved, with: []), $0.problems) }
  }

  public func end() { front.stop() }

  private func show(_ device: BoardDevice, until isShown: (BoardReport) -> Bool) async -> String? {
    front.show(shown)
    return await next(of: device, until: isShown)
  }

  private func next(of device: BoardDevice, until isShown: (BoardReport) -> Bool) async -> String? {
    if let problem = contacts.state.withLock({ $0.problems[device] }) { return problem }
    while let report = await reports.next() {
      switch report {
      case .lost(device, let reason), .unanswered(device, let reason): return reason
      default: if isShown(report) { return nil }
      }
    }
    return "the board's thread has ended"
  }
}

/// The moved contacts and the lost devices, passed from the front's thread to the caller's.
final class ContactLog: Sendable {
  struct State {
    var moved: Set<BoardDevice> = []
    var problems: [BoardDevice: String] = [:]
    /// Those whose first report has come, which is their position at the start.
    var known: Set<BoardDevice> = []

    mutating func note(_ device: BoardDevice) {
      if !known.insert(device).inserted { moved.insert(device) }
    }
  }

  let state = Mutex(State())

  func add(_ report: BoardReport) {
    state.withLock { state in
      switch report {
      case .pressed(.view, _, _): state.moved.insert(.viewButton)
      case .pressed(.close, _, _): state.moved.insert(.closeButton)
      case .pressed(.dim, _, _): state.moved.insert(.dimButton)
      case .silentSwitch: state.note(.silentSwitch)
      case .darkness: state.note(.lightSensor)
      case .lost(let device, let reason): state.problems[device] = reason
      case .back(let device): state.problems[device] = nil
      default: break
      }
    }
  }
}

public enum SoundTrial {
  /// - Returns: nil once it was played; the reason once it has failed.
  /// - Throws: `InstallationError` if the shipped sounds are missing, or an error if no thread can be started.
  public static func play(on pcm: String) async throws -> String? {
    guard let folder = SharedFiles.folder("Sounds") else { throw InstallationError("the shipped sounds are missing") }
    let (reports, continuation) = AsyncStream<SpeakerReport>.makeStream()
    let speaker = try Speaker(output: ALSASink(pcm: pcm)) { continuation.yield($0) }
    defer { speaker.shutdown() }
    speaker.play(Sound(name: "chime", path: "\(folder)/chime.wav"), id: PlaybackID(1))
    for await report in reports {
      switch report {
      case .ended(_, .failed(let message), _): return message
      case .ended: return nil
      default: continue
      }
    }
    return "the speaker's thread has ended"
  }
}
