/// What a board description may ask for, and what the panel allows itself.
public enum BoardLimits {
  /// A group's lines are the bits of one word.
  public static let linesPerGroup = 32

  /// Bytes of a board description.
  public static let descriptionBytes = 64 * 1024

  /// Bytes of a chip's or line's label: the kernel's own limit is 31.
  public static let labelBytes = 31

  /// Lines of the largest GPIO chip that a number may address.
  public static let largestOffset = 1023

  /// Digits of a multiplexed display, or of a chain of shift registers. With more, each would be lit less than an eighth of the time.
  public static let multiplexedDigits = 1...8

  /// Frames of a multiplexed display. Below 100 the eye sees flicker when it moves; above 500 a digit's turn of
  /// 250 µs comes near to what a kernel without real-time priority is late.
  public static let framesPerSecond = 100...500
  public static let defaultFramesPerSecond = 125

  /// Turns of all digits behind shift registers. A turn takes 70 sets of lines, each a call to the kernel of 1 to 5 µs:
  /// in a turn of less than a millisecond a small board would do little else.
  public static let shiftedTurnsPerSecond = 1_000

  /// Steps of a scanned display's brightness: eighths of a digit's turn.
  public static let scannedBrightness = 0...7

  /// Digits of the TM1637 modules that are sold. [TM1637 V2.4: six display registers]
  public static let tm1637Digits = [4, 6]
  /// [TM1637 V2.4, display control: pulse width 1/16 to 14/16 in eight steps]
  public static let tm1637Brightness = 0...7
  public static let defaultTM1637Brightness = 4
  /// The chip takes 250 kHz when it talks itself [TM1637 V2.4, interface interpretation] and asks for pulses of 400 ns
  /// and 1 µs between edges [timing characteristics]; the capacitors that modules have on both lines need the rest. At
  /// 500 Hz a number takes 150 ms, in which no lamp changes.
  public static let tm1637ClockHertz = 500...100_000
  public static let defaultTM1637ClockHertz = 100_000

  /// [MAX7219 19-4452 Rev. 4, table 8: scan-limit register]
  public static let max7219Digits = 1...8
  /// [MAX7219 19-4452 Rev. 4, table 7: intensity register, 1/32 to 31/32 in sixteen steps]
  public static let max7219Brightness = 0...15
  public static let defaultMAX7219Brightness = 4

  /// A line that is used by another program gives no sign when it is free again. It is asked for after the first of
  /// these, then after twice as long each time, up to the last; by a new presentation, not sooner than after the first.
  public static let retryIntervals: ClosedRange<Duration> = .seconds(1) ... .seconds(60)

  /// How long a contact must keep a level for it to count. Most switches bounce for less than 6 ms; a finger is never
  /// quicker than 50.
  public static let debounceTime: Duration = .milliseconds(10)

  /// Reads of a line's edges in a row, 8 edges each.
  static let edgeReads = 4
}
