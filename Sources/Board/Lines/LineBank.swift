// The seam between programs and lines. One request covers the lines that change together, so that a bulk set is one
// call to the kernel, and so that either all lines of a device are ours or none.

/// Where lines come from: the kernel's GPIO chips, or simulated ones.
public protocol LineBank: Sendable {
  /// Takes the lines of one device.
  /// - Throws: `LineFault` where the chip or a line is missing, busy or not permitted.
  func open(_ request: LineRequest) throws(LineFault) -> any LineGroup

  /// Takes the line of a button or switch.
  /// - Throws: as the other does, and if the chip does not report edges.
  func open(_ request: InputRequest) throws(LineFault) -> any InputLine

  /// The folder in which a chip that is plugged in appears, and from which one that is pulled out goes; nil where
  /// chips do not come and go.
  var arrivalDirectory: String? { get }
}

/// The lines of one device, held until this value is let go. Used by one thread at a time.
public protocol LineGroup: AnyObject, Sendable {
  /// Sets the lines in `mask` to their bits in `levels` at once; bit 0 is the request's first line.
  func set(mask: UInt32, levels: UInt32) throws(LineFault)

  /// The present level of the line, driven from either side.
  /// - Parameter line: its place in the request.
  func level(of line: Int) throws(LineFault) -> Bool

  /// The bank of `CGPIOBank` that the scan loop sets without coming through Swift; nil for lines without a kernel.
  var realTimeBank: OpaquePointer? { get }

  /// What it means that setting `realTimeBank` gave this errno.
  func fault(ofSetting code: Int32) -> LineFault
}

extension LineGroup {
  public var realTimeBank: OpaquePointer? { nil }
  public func fault(ofSetting code: Int32) -> LineFault { LineFault(.failed, "lines cannot be set: error \(code)") }
}

/// The line of a button or switch, held until this value is let go. Used by one thread at a time.
public protocol InputLine: AnyObject, Sendable {
  /// Polls readable while edges wait, and when the chip goes. It belongs to this value.
  var descriptor: Int32 { get }

  /// Whether the button is pressed now.
  func isActive() throws(LineFault) -> Bool

  /// Edges since the last call, by their time; empty where there are none. Never blocks. Some may have been lost, when
  /// there were more than the kernel keeps (16): `isActive` then says what they came to.
  func takeEdges() throws(LineFault) -> [LineEdge]
}

/// A button or switch changed.
public struct LineEdge: Hashable, Sendable {
  /// Whether it is pressed after it.
  public var isActive: Bool
  /// On the uptime clock, taken by the kernel in the interrupt.
  public var time: Duration

  public init(isActive: Bool, time: Duration) {
    self.isActive = isActive
    self.time = time
  }
}

/// What a button or switch needs of its board.
public struct InputRequest: Hashable, Sendable {
  /// The resistor inside the chip that gives an open contact its level. Chips without one ignore it.
  public enum Bias: String, Hashable, Sendable, CaseIterable {
    case pullUp = "pull-up"
    case pullDown = "pull-down"
    case none
  }

  /// As in `LineRequest`.
  public var chip: String
  public var line: LineName
  /// Whether the low level is that of the pressed button.
  public var activeLow: Bool
  public var bias: Bias
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
  public var drive = Drive.pushPull
  /// Bit 0 is the first line's.
  public var initialLevels: UInt32
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
