// The seam between programs and lines. One request covers the lines that change together, so that a bulk set is one
// call to the kernel, and so that either all lines of a device are ours or none.

/// Where lines come from: the kernel's GPIO chips, or simulated ones.
public protocol LineBank: Sendable {
  /// Takes the lines of one device.
  /// - Throws: `LineFault` where the chip or a line is missing, busy or not permitted.
  func open(_ request: LineRequest) throws(LineFault) -> any LineGroup

  /// The folder in which a chip that is plugged in appears, to be watched while a device is missing; nil where chips
  /// do not come and go.
  var arrivalDirectory: String? { get }
}

/// The lines of one device, held until this value is let go. Used by one thread at a time.
public protocol LineGroup: AnyObject, Sendable {
  /// Sets the lines in `mask` to their bits in `levels` at once; bit 0 is the request's first line.
  func set(mask: UInt32, levels: UInt32) throws(LineFault)

  /// The level that the line has now, whoever drives it.
  /// - Parameter line: its place in the request.
  func level(of line: Int) throws(LineFault) -> Bool
}

/// A line as a board description names it.
public enum LineName: Hashable, Sendable, CustomStringConvertible {
  /// By the label that the kernel gives it, such as `GPIO17`.
  case label(String)
  /// By its number on the chip, where a board has no labels.
  case offset(UInt32)

  public var description: String {
    switch self {
    case .label(let label): label
    case .offset(let offset): "\(offset)"
    }
  }
}

/// What a device needs of its board.
public struct LineRequest: Hashable, Sendable {
  /// Who drives a line's high level.
  public enum Drive: Hashable, Sendable {
    case pushPull
    /// We only pull low; a resistor pulls high, and the device may pull low as well.
    case openDrain
  }

  /// The chip's label, such as `pinctrl-bcm2711`, its name, such as `gpiochip0`, or `BoardDescription.anyChip`.
  public var chip: String
  /// At most `BoardLimits.linesPerGroup`.
  public var lines: [LineName]
  public var drive: Drive
  /// Bit 0 is the first line's.
  public var initialLevels: UInt32

  public init(chip: String, lines: [LineName], drive: Drive = .pushPull, initialLevels: UInt32) {
    self.chip = chip
    self.lines = lines
    self.drive = drive
    self.initialLevels = initialLevels
  }
}

/// Why a line cannot be used.
public struct LineFault: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    case chipMissing, lineMissing, busy, notPermitted, failed
  }

  public var kind: Kind
  /// Names chip and line and says what to do.
  public var description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
