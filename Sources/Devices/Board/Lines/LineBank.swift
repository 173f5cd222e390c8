// The seam between programs and lines. One request covers the lines that change together, so that a bulk set is one
// system call, and so that either all lines of a device are opened or none.

/// A source of lines: the kernel's GPIO chips, or simulated ones.
public protocol LineBank: Sendable {
  /// Opens the lines of one device.
  /// - Throws: `LineFault` if the chip or a line is missing, busy or not permitted.
  func open(_ request: LineRequest) throws(LineFault) -> any LineGroup

  /// Opens the line of a button or switch.
  /// - Throws: as the other `open`, and if the chip does not report edges.
  func open(_ request: InputRequest) throws(LineFault) -> any InputLine

  /// The folder in which a chip that is plugged in appears, and from which an unplugged one disappears; nil if chips do
  /// not come and go.
  var arrivalDirectory: String? { get }
}

/// The lines of one device, held until this value is released. Used by one thread at a time.
public protocol LineGroup: AnyObject, Sendable {
  /// Sets the lines in `mask` to their bits in `levels` at once; bit 0 is the request's first line.
  func set(mask: UInt32, levels: UInt32) throws(LineFault)

  /// Returns the present level of the line, whichever side drives it.
  /// - Parameter line: its index in the request.
  func level(of line: Int) throws(LineFault) -> Bool

  /// The bank of `CGPIOBank` that the scan loop sets without calling Swift; nil for lines without a kernel.
  var realTimeBank: OpaquePointer? { get }

  /// Returns the fault for the errno of a set of `realTimeBank`.
  func fault(ofSetting code: Int32) -> LineFault
}

extension LineGroup {
  public var realTimeBank: OpaquePointer? { nil }
  public func fault(ofSetting code: Int32) -> LineFault { LineFault(.failed, "lines cannot be set: error \(code)") }
}

/// The line of a button or switch, held until this value is released. Used by one thread at a time.
public protocol InputLine: AnyObject, Sendable {
  /// The descriptor that polls readable while edges wait, and after the chip disappears. This value owns it.
  var descriptor: Int32 { get }

  /// Returns true if the button is pressed now.
  func isActive() throws(LineFault) -> Bool

  /// Returns the edges since the last call, in the order of their times; empty if there are none. Never blocks. Edges
  /// may have been lost if there were more than the kernel keeps (16): `isActive` then gives the final level.
  func takeEdges() throws(LineFault) -> [LineEdge]
}

/// An edge of a button's or switch's line.
public struct LineEdge: Hashable, Sendable {
  /// True if the button is pressed after the edge.
  public var isActive: Bool
  /// The time on the uptime clock, taken by the kernel in the interrupt.
  public var time: Duration

  public init(isActive: Bool, time: Duration) {
    self.isActive = isActive
    self.time = time
  }
}

/// The requirements of a button or switch.
public struct InputRequest: Hashable, Sendable {
  /// The resistor inside the chip that sets the level of an open contact. Chips without one ignore it.
  public enum Bias: String, Hashable, Sendable, CaseIterable {
    case pullUp = "pull-up"
    case pullDown = "pull-down"
    case none
  }

  /// As in `LineRequest`.
  public var chip: String
  public var line: LineName
  /// True if the line is low while the button is pressed.
  public var activeLow: Bool
  public var bias: Bias
}

/// A line as a board description names it.
public enum LineName: Hashable, Sendable, CustomStringConvertible {
  /// The label that the kernel gives the line, such as `GPIO17`.
  case label(String)
  /// The number on the chip, for boards without labels.
  case offset(UInt32)

  public var description: String {
    switch self {
    case .label(let label): label
    case .offset(let offset): "\(offset)"
    }
  }
}

/// The requirements of a device that is driven.
public struct LineRequest: Hashable, Sendable {
  /// The source of a line's high level.
  public enum Drive: Hashable, Sendable {
    case pushPull
    /// The board only pulls low; a resistor pulls high, and the device may pull low as well.
    case openDrain
  }

  /// The chip's label, such as `pinctrl-bcm2711`, its name, such as `gpiochip0`, or `BoardDescription.anyChip`.
  public var chip: String
  /// The lines, at most `BoardLimits.linesPerGroup`.
  public var lines: [LineName]
  public var drive = Drive.pushPull
  /// The first levels; bit 0 is the first line.
  public var initialLevels: UInt32
}

/// The reason why a line cannot be used.
public struct LineFault: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    case chipMissing, lineMissing, busy, notPermitted, failed
  }

  public var kind: Kind
  /// A sentence that names the chip and line and the remedy.
  public var description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
