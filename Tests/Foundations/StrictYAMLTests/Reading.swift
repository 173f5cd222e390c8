// Shared by the tests of this module: a file of one reading, and its errors.

@testable import StrictYAML

/// Returns the errors of parsing and decoding a text: `LINE:COLUMN MESSAGE` each.
func errors<Value>(_ text: String, _ body: (MappingReader) -> Value?) -> [String] {
  do {
    _ = try YAMLDocument.parse(Array(text.utf8), file: "f").decode(body)
    return []
  } catch {
    return error.lines
  }
}

/// Returns the errors of parsing alone: `LINE:COLUMN MESSAGE` each.
func syntaxErrors(_ bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) -> [String] {
  do {
    _ = try YAMLDocument.parse(bytes, file: "f", limits: limits)
    return []
  } catch {
    return error.lines
  }
}

func syntaxErrors(_ text: String, limits: YAMLLimits = YAMLLimits()) -> [String] {
  syntaxErrors(Array(text.utf8), limits: limits)
}

extension StrictYAMLError {
  fileprivate var lines: [String] {
    diagnostics.map { "\($0.position.line):\($0.position.column) \($0.message)" }
  }
}

/// Returns the message with which `value` is refused as the only key, without its place; nil if it can be read.
func complaint<Value>(_ value: String, _ read: (YAMLNode) throws -> Value) -> String? {
  let prefix = "1:4 "
  let lines = errors("k: \(value)\n") { $0.required("k", read) }
  guard let line = lines.first else { return nil }
  return lines.count == 1 && line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : "\(lines)"
}

/// Returns `value` read as the only key; nil if it is refused.
func reading<Value>(_ value: String, _ read: (YAMLNode) throws -> Value) -> Value? {
  try? YAMLDocument.parse(Array("k: \(value)\n".utf8), file: "f").decode { $0.required("k", read) }
}
