/// The limits of a board description, and the front's own limits.
public enum BoardLimits {
  /// The lines of a group, which are the bits of one word.
  public static let linesPerGroup = 32

  public static let descriptionBytes = 64 * 1024

  /// The longest label of a chip or line, in bytes: the kernel's own limit is 31.
  public static let labelBytes = 31

  /// The largest line number that a description may use.
  public static let largestOffset = 1023

  /// The digits of a multiplexed display or of a chain of shift registers. With more, each would be lit less than an
  /// eighth of the time.
  public static let multiplexedDigits = 1...8

  /// The frame rate of a multiplexed display. Below 100 a moving eye sees flicker; above 500 a digit's turn of 250 µs
  /// is close to the latency of a kernel without real-time priority.
  public static let framesPerSecond = 100...500
  public static let defaultFramesPerSecond = 125

  /// The turns of all digits behind shift registers. A turn takes 70 sets of lines, each a system call of 1 to 5 µs:
  /// turns shorter than a millisecond would take most of a small board's time.
  public static let shiftedTurnsPerSecond = 1_000

  /// The brightness steps of a scanned display: eighths of a digit's turn.
  public static let scannedBrightness = 0...7

  /// The digits of the TM1637 modules that are sold. [TM1637 V2.4: six display registers]
  public static let tm1637Digits = [4, 6]
  /// [TM1637 V2.4, display control: pulse width 1/16 to 14/16 in eight steps]
  public static let tm1637Brightness = 0...7
  public static let defaultTM1637Brightness = 4
  /// The clock of displays on clock and data. I²C's standard mode has 100 kHz [UM10204, table 10]. A TM1637 accepts 250
  /// kHz when it sends [V2.4, interface interpretation] and requires pulses of 400 ns and 1 µs between edges [timing
  /// characteristics]; the capacitors on both lines of the modules require the margin. At 500 Hz a number takes 150 ms
  /// on a TM1637, in which no lamp changes.
  public static let twoWireClockHertz = 500...100_000
  public static let defaultTwoWireClockHertz = 100_000

  /// [TM1650, address command: DIG1 to DIG4]
  public static let tm1650Digits = 1...4
  /// [TM1650, display command: eight steps]
  public static let tm1650Brightness = 0...7
  public static let defaultTM1650Brightness = 3

  /// [TM1638 V1.3: eight grids]
  public static let tm1638Digits = 1...8
  /// A number takes 160 clocks: 32 ms at 5 kHz.
  public static let tm1638ClockHertz = 5_000...100_000

  /// The tone of a buzzer that has none of its own. A small piezo is loudest at 2 to 4 kHz; each half of a period wakes a
  /// thread.
  public static let buzzerHertz = 200...4_000

  /// The lamps of a row: a change of 64 takes 5 ms.
  public static let apa102Lamps = 1...64
  /// [APA102: 31 steps; the step 0 is dark]
  public static let apa102Brightness = 0...30
  public static let defaultAPA102Brightness = 3

  /// The I²C addresses that three jumpers give. [HT16K33 Rev. 1.10, slave addressing]
  public static let ht16k33Addresses: [UInt8] = Array(0x70...0x77)
  /// A backpack takes 230 clocks: eight of them 190 ms at 10 kHz.
  public static let ht16k33ClockHertz = 10_000...100_000
  /// [HT16K33 Rev. 1.10, dimming set: 1/16 to 16/16]
  public static let ht16k33Brightness = 0...15
  public static let defaultHT16K33Brightness = 4

  /// [MAX7219 19-4452 Rev. 4, table 8: scan-limit register]
  public static let max7219Digits = 1...8
  /// [MAX7219 19-4452 Rev. 4, table 7: intensity register, 1/32 to 31/32 in sixteen steps]
  public static let max7219Brightness = 0...15
  public static let defaultMAX7219Brightness = 4

  /// The intervals between attempts to open a line that another program uses: its release is not reported. The interval
  /// begins with the lower bound and doubles up to the upper. A new presentation tries sooner, after the lower bound.
  public static let retryIntervals: ClosedRange<Duration> = .seconds(1) ... .seconds(60)

  /// The time for which a contact must keep a level for it to count. Most switches bounce for less than 6 ms; a press
  /// by a finger lasts at least 50 ms.
  public static let debounceTime: Duration = .milliseconds(10)

  /// The time between two readings of a display's keys: shorter than a press, and few wake-ups.
  public static let keyInterval: Duration = .milliseconds(40)

  /// The consecutive reads of a line's edges, 8 edges each.
  static let edgeReads = 4
}
