// Errors in a file are reported in the form of compilers, so that editors jump to them and users fix all of them at
// once: a position, a sentence, and as many of them as one reading can find.

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

  public var description: String { "\(file):\(line):\(column)" }
}

/// One error and its place. Its description is the line to print.
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

/// All errors in a file, in the order of the file. Never empty.
public struct StrictYAMLError: Error, Hashable, Sendable, CustomStringConvertible {
  public var diagnostics: [Diagnostic]

  public init(diagnostics: [Diagnostic]) {
    self.diagnostics = diagnostics
  }

  /// The diagnostics, one line each, without a newline at the end.
  public var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}

/// The collector of errors while a file is read. It belongs to one reading and never leaves its thread.
public final class Diagnostics {
  private var reported: [Diagnostic] = []

  /// True if further diagnostics are dropped.
  var isFull: Bool { reported.count >= YAMLLimits.diagnostics }

  /// Reports a diagnostic; a repeated one counts once. Past `YAMLLimits.diagnostics` the rest is dropped.
  public func report(_ diagnostic: Diagnostic) {
    guard !isFull, !reported.contains(diagnostic) else { return }
    reported.append(diagnostic)
  }

  public func report(_ message: String, at position: SourcePosition) {
    report(Diagnostic(message, at: position))
  }

  /// - Throws: the reported diagnostics, in the order of the file, if there are any.
  public func throwIfAny() throws(StrictYAMLError) {
    guard !reported.isEmpty else { return }
    throw StrictYAMLError(
      diagnostics: reported.sorted {
        ($0.position.file, $0.position.line, $0.position.column)
          < ($1.position.file, $1.position.line, $1.position.column)
      })
  }
}

/// Quotes text from a file for a message: in single quotes, cut short, on one line.
func quoted(_ text: String) -> String {
  let shown = text.unicodeScalars.prefix(YAMLLimits.quotedScalars)
  let words = shown.map { $0.value < 0x20 || $0.value == 0x7F ? $0.escaped(asASCII: true) : String($0) }
  return "'\(words.joined())\(shown.endIndex == text.endIndex ? "" : "…")'"
}

/// Lists names for a message: `'a', 'b'`.
func listed(_ names: [String]) -> String {
  names.map(quoted).joined(separator: ", ")
}
