// Every limit of the board in one place.

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

  /// Digits of a multiplexed display. With more, each would be lit less than an eighth of the time.
  public static let multiplexedDigits = 1...8

  /// Frames of a multiplexed display. Below 100 the eye sees flicker when it moves; above 500 a digit's turn of
  /// 250 µs comes near to what a kernel without real-time priority is late.
  public static let framesPerSecond = 100...500
  public static let defaultFramesPerSecond = 125

  /// Digits of the TM1637 modules that are sold. [TM1637 V2.4: six display registers]
  public static let tm1637Digits = [4, 6]
  /// [TM1637 V2.4, display control: pulse width 1/16 to 14/16 in eight steps]
  public static let tm1637Brightness = 0...7
  public static let defaultTM1637Brightness = 4

  /// A busy line gives no sign when it is free again: a new presentation asks again, at most once in this time.
  static let busyRetryInterval: Duration = .seconds(1)
}
