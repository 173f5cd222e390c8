import HandsetCore

/// A display whose chip also reads keys.
public protocol KeyedDisplayDriver: DisplayDriver {
  /// The program that reads all keys.
  var keyProgram: LineProgram { get }

  /// Returns the numbers of the keys that are down; nil if no chip can have answered so.
  /// - Parameter answer: the levels that `keyProgram` read.
  func pressedKeys(in answer: [Bool]) -> Set<Int>?
}

/// The keys of a display: turns what is read of them into presses. Used on the front's thread.
///
/// A chip reports no edges, so its keys are read at intervals, and only if one of them has a meaning. One reading is
/// enough: a contact that bounces is closed for longer than an interval once it is pressed, and the chip itself scans it
/// more slowly than it bounces.
struct KeyWatch {
  private let driver: any KeyedDisplayDriver
  private let keys: [Int: BoardKey]
  private var presses: [Int: ButtonPress] = [:]
  private var down: Set<Int>
  /// The time of the next reading.
  private(set) var dueAt: Duration = .zero

  /// - Returns: nil if no key has a meaning.
  init?(_ display: BoardDescription.Display?) {
    guard let display, !display.keys.isEmpty, let driver = display.driver as? any KeyedDisplayDriver else { return nil }
    self.driver = driver
    keys = display.keys
    down = Set(display.keys.keys)
  }

  /// Returns the program to play now; nil if it is too early.
  mutating func program(at now: Duration) -> LineProgram? {
    guard now >= dueAt else { return nil }
    dueAt = now + BoardLimits.keyInterval
    return driver.keyProgram
  }

  /// - Returns: the presses that are known now; nil if the chip does not answer.
  mutating func take(_ answer: [Bool], at now: Duration) -> [(key: BoardKey, length: PressLength, at: Duration)]? {
    guard let found = driver.pressedKeys(in: answer) else {
      forget()
      return nil
    }
    var done: [(key: BoardKey, length: PressLength, at: Duration)] = []
    for (number, key) in keys.sorted(by: { $0.key < $1.key }) {
      var press = presses[number] ?? ButtonPress()
      let isDown = found.contains(number)
      let change =
        isDown == down.contains(number)
        ? press.settle(at: now) : press.change(to: Debouncer.Level(isActive: isDown, since: now))
      if let change { done.append((key, change.length, change.at)) }
      presses[number] = press
    }
    down = found
    return done
  }

  /// Discards presses after the loss of the display: the state of its keys is unknown, and one that is down when it is
  /// back does not count as pressed.
  mutating func forget() {
    presses = [:]
    down = Set(keys.keys)
  }
}
