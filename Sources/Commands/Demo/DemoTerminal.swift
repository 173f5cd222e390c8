// The terminal of the demo: keys as they are pressed, and the whole screen at each change.

import Glibc
import SystemThreads

/// A terminal without echo and line editing, until `restore`.
final class DemoTerminal: Sendable {
  enum Key: Sendable {
    case next, quit, view, close, panel
  }

  /// Each as it is pressed.
  let keys: AsyncStream<Key>
  private let before: termios
  private let isColoured: Bool

  /// Nil unless a person sits at a terminal that is large enough.
  static var isUsable: Bool {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, let size = size else { return false }
    return size.columns >= DemoPicture.width && size.rows >= DemoPicture.leastHeight
  }

  /// - Throws: `Failure` where it is no terminal after all.
  init(environment: Environment) throws {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw Failure("standard input is no terminal", hint: "run it without one: deskbell demo < /dev/null")
    }
    before = settings
    isColoured = environment["NO_COLOR"] == nil
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else {
      throw Failure("the terminal cannot be set up: \(SystemError.last)")
    }
    let (keys, continuation) = AsyncStream<Key>.makeStream()
    self.keys = keys
    let reader = try SystemThread(named: "demo-keys") {
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) == 1 {
        switch Character(UnicodeScalar(byte)) {
        case " ", "\r", "\n": continuation.yield(.next)
        // Without signals of the terminal Ctrl-C and Ctrl-D are bytes.
        case "q", "Q", "\u{3}", "\u{4}": continuation.yield(.quit)
        case "v", "V": continuation.yield(.view)
        case "c", "C": continuation.yield(.close)
        case "p", "P": continuation.yield(.panel)
        default: break
        }
      }
      continuation.yield(.quit)
    }
    // It waits for a key for as long as the program runs.
    reader.detach()
    // The other screen, which leaves what was printed before; without cursor.
    Output.prompt("\u{1B}[?1049h\u{1B}[?25l")
  }

  /// - Parameter shown: what was shown last; nil at first.
  func show(_ canvas: Canvas, over shown: Canvas?) {
    Output.prompt(canvas.drawing(over: shown, isColoured: isColoured))
  }

  var height: Int { max(DemoPicture.leastHeight, min(50, DemoTerminal.size?.rows ?? 0)) }

  func restore() {
    Output.prompt("\u{1B}[?25h\u{1B}[?1049l")
    var settings = before
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  private static var size: (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}
