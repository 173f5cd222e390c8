import Board
import BoardSimulator
import Clocks
import Glibc
import HandsetCore
import Host
import Installation
import Logging
import Synchronization
import SystemThreads

struct BoardSetup: Sendable {
  let description: BoardDescription?
  let front: Front?
  let screen: BoardScreen?

  /// - Parameter report: called on the front's thread.
  /// - Throws: `InstallationError` with each line of the files that is wrong.
  init(
    _ board: String?, display: String? = nil, clock: any Clock, report: @escaping @Sendable (BoardReport) -> Void
  ) throws {
    guard let board else {
      (description, front, screen) = (nil, nil, nil)
      return
    }
    let description = try ShippedBoard.description(of: board, display: display)
    self.description = description
    let virtual = (clock as? VirtualClock).map(VirtualBoardClock.init)
    let uptime: any BoardClock = virtual ?? MonotonicClock()
    if description.isSimulated {
      let screen = BoardScreen()
      // A test on a virtual clock does not wait for pulses on wires that do not exist.
      let wire: (any BoardClock)? = virtual.map { _ in SimulatedWireClock() }
      let simulated = SimulatedBoard(description: description, clock: wire ?? MonotonicClock()) { screen.show($0) }
      screen.begin(simulated.picture)
      front = try Front(description: description, bank: simulated, clock: uptime, wireClock: wire) { event in
        screen.show(event)
        report(event)
      }
      self.screen = screen
    } else {
      front = try Front(
        description: description, bank: GPIOLines(), clock: uptime, wireClock: virtual.map { _ in MonotonicClock() },
        report: report)
      screen = nil
    }
  }

  /// Adds the board's devices to the table, and logs the reason if its display cannot be refreshed in time.
  func announce(in devices: DeviceTable, logger: Logger) {
    for device in description?.devices ?? [] { devices.add(device.rawValue) }
    guard let why = front?.scanReport?.priorityFault else { return }
    let advice = "give the daemon CAP_SYS_NICE, or LimitRTPRIO=\(ScanReport.priority) in its systemd unit"
    logger.notice("scan: no real-time priority, the display may flicker under load: \(why); \(advice)")
  }
}

/// A simulated board on standard output: printed in place on a terminal, otherwise one line per change.
final class BoardScreen: Sendable {
  private let picture = Mutex<TerminalPicture?>(nil)

  func begin(_ first: BoardPicture) {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    picture.withLock { picture in
      picture = TerminalPicture(picture: first, isTerminal: isTerminal)
      print(picture?.opening())
    }
  }

  func end() {
    picture.withLock { picture in
      print(picture?.closing())
      picture = nil
    }
  }

  func show(_ new: BoardPicture) {
    picture.withLock { print($0?.text(for: new)) }
  }

  func show(_ report: BoardReport) {
    picture.withLock { print($0?.text(for: report)) }
  }

  /// Prints a separate line, such as the name of the sound that plays.
  func say(_ line: String) {
    picture.withLock { _ in print(line + "\n") }
  }

  private func print(_ text: String?) {
    guard let text else { return }
    write(text, to: STDOUT_FILENO)
  }
}
