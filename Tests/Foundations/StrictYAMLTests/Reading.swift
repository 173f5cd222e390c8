// Shared by the tests of this module: a file of one reading, and its errors as the lines that are printed.

@testable import StrictYAML

/// Returns the lines that parsing and decoding `text` prints as `board.yaml`; empty if there are no errors.
func errors<Value>(
  _ text: String, limits: YAMLLimits = YAMLLimits(), _ body: (MappingReader) -> Value?
) -> [String] {
  do {
    _ = try YAMLDocument.parse(text, file: "board.yaml", limits: limits).decode(body)
    return []
  } catch {
    return error.diagnostics.map(\.description)
  }
}

/// Returns the lines that parsing alone prints.
func syntaxErrors(_ bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) -> [String] {
  do {
    _ = try YAMLDocument.parse(bytes, file: "board.yaml", limits: limits)
    return []
  } catch {
    return error.diagnostics.map(\.description)
  }
}

func syntaxErrors(_ text: String, limits: YAMLLimits = YAMLLimits()) -> [String] {
  syntaxErrors(Array(text.utf8), limits: limits)
}

/// Returns the line that reading `value` as the only key prints, without its place; nil if it can be read.
func complaint<Value>(_ value: String, _ read: (YAMLNode) throws -> Value) -> String? {
  let prefix = "board.yaml:1:4: error: "
  let lines = errors("k: \(value)\n") { $0.required("k", read) }
  guard let line = lines.first else { return nil }
  return lines.count == 1 && line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : "\(lines)"
}

/// Returns `value` read as the only key; nil if it is refused.
func reading<Value>(_ value: String, _ read: (YAMLNode) throws -> Value) -> Value? {
  try? YAMLDocument.parse("k: \(value)\n", file: "board.yaml").decode { $0.required("k", read) }
}
