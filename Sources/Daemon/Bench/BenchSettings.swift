/// What makes a daemon a test bench; a desk's daemon has none of it. Only the command line has it, never a settings file.
public struct BenchSettings: Hashable, Sendable {
  /// The folder of the bench's key and certificate authority. The daemon removes it when it ends.
  public var folder: String
  /// The number of handsets, named by their numbers: 1 to `handsetLimit`.
  public var handsets = 1
  /// True if the daemon ends with its standard input, which the program that started it holds.
  public var endsWithInput = false
  /// The file with the virtual clock's time, for providers that take their time from one; nil for none.
  public var clockFile: String?

  public static let handsetLimit = Handsets.limit

  public init(folder: String) { self.folder = folder }
}
