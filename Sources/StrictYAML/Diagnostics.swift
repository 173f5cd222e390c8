// What is wrong with a file is said the way compilers say it, so that editors jump to it and people fix all of it
// in one go: a position, a sentence, and as many of them as one reading can find.

/// A place in a file. Lines and columns count from 1; a column counts Unicode scalars, as editors do.
public struct SourcePosition: Hashable, Sendable, CustomStringConvertible {
  public var file: String
  public var line: Int
  public var column: Int

  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `file:line:column`.
  public var description: String { "\(file):\(line):\(column)" }
}

/// One thing that is wrong, and where. Its description is the line to print.
public struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  public var position: SourcePosition
  public var message: String

  public init(_ message: String, at position: SourcePosition) {
    self.position = position
    self.message = message
  }

  /// `file:line:column: error: message`.
  public var description: String { "\(position): error: \(message)" }
}

/// Everything that is wrong with a file, in the order of the file. Never empty.
public struct StrictYAMLError: Error, Hashable, Sendable, CustomStringConvertible {
  public var diagnostics: [Diagnostic]

  public init(diagnostics: [Diagnostic]) {
    self.diagnostics = diagnostics
  }

  /// One line a diagnostic, without a newline at the end.
  public var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}

/// Collects what is wrong while a file is read. It belongs to one reading and never leaves its thread.
public final class Diagnostics {
  private var reported: [Diagnostic] = []

  /// Whether further ones are dropped.
  var isFull: Bool { reported.count >= YAMLLimits.diagnostics }

  /// Reports a diagnostic; the same one twice counts once. Past `YAMLLimits.diagnostics` the rest is dropped.
  public func report(_ diagnostic: Diagnostic) {
    guard !isFull, !reported.contains(diagnostic) else { return }
    reported.append(diagnostic)
  }

  public func report(_ message: String, at position: SourcePosition) {
    report(Diagnostic(message, at: position))
  }

  /// - Throws: what was reported, in the order of the file, if anything was.
  public func throwIfAny() throws(StrictYAMLError) {
    guard !reported.isEmpty else { return }
    throw StrictYAMLError(
      diagnostics: reported.sorted {
        ($0.position.file, $0.position.line, $0.position.column)
          < ($1.position.file, $1.position.line, $1.position.column)
      })
  }
}

/// Text from a file as a message quotes it: in single quotes, cut short, on one line.
func quoted(_ text: String) -> String {
  let shown = text.unicodeScalars.prefix(YAMLLimits.quotedScalars)
  let words = shown.map { $0.value < 0x20 || $0.value == 0x7F ? $0.escaped(asASCII: true) : String($0) }
  return "'\(words.joined())\(shown.endIndex == text.endIndex ? "" : "…")'"
}

/// Names as a message lists them: `'a', 'b'`.
func listed(_ names: [String]) -> String {
  names.map(quoted).joined(separator: ", ")
}
