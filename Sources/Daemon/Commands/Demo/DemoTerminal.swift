// The terminal of the demo: keys as they are pressed, and the whole screen at each change.

import CommandSupport
import Glibc
import Synchronization
import SystemThreads

/// A terminal without echo and line editing, until `restore`.
final class DemoTerminal: Sendable {
  /// The keys as they are pressed; q at the end of input.
  let keys: AsyncStream<Character>
  private let before: termios
  private let isColoured: Bool

  /// Counts the changes of the terminal's size. The handler of SIGWINCH may do little else.
  static let resizes = Atomic<Int>(0)

  /// True if input and output are a terminal whose size is known.
  static var isUsable: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && windowSize != nil
  }

  init(environment: Environment) throws {
    var settings = termios()
    tcgetattr(STDIN_FILENO, &settings)
    before = settings
    isColoured = environment["NO_COLOR"] == nil
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else {
      throw Failure("the terminal cannot be set up: \(SystemError.last)")
    }
    let (keys, continuation) = AsyncStream<Character>.makeStream()
    self.keys = keys
    let reader = try SystemThread(named: "demo-keys") {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) == 1 { continuation.yield(Character(UnicodeScalar(byte))) }
      continuation.yield("q")
    }
    // The thread waits for a key while the program runs.
    reader.detach()
    // The alternate screen, which keeps the earlier output; without cursor, and without line breaks at the right edge:
    // on a narrower terminal a picture is cut until it is drawn again.
    Output.prompt("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
  }

  func show(_ canvas: Canvas, over shown: Canvas?) {
    Output.prompt(canvas.drawing(over: shown, isColoured: isColoured))
  }

  var size: (columns: Int, rows: Int) {
    DemoTerminal.windowSize ?? (DemoLayout.leastColumns, DemoLayout.leastRows)
  }

  var isLargeEnough: Bool { DemoLayout.isLargeEnough(columns: size.columns, rows: size.rows) }

  func restore() {
    Output.prompt("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    var settings = before
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  private static var windowSize: (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}
