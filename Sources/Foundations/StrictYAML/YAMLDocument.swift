// Board descriptions, the daemon's settings and app manifests are YAML written by people. This module reads them
// strictly: everything in a file that its schema does not name is an error with its place. A reading continues after an
// error, so that one run finds all of them.

import Glibc
import SystemThreads

public struct YAMLLimits: Sendable {
  public var bytes: Int
  /// The nesting of mappings and sequences; the outermost counts as 1.
  public var depth: Int
  /// The number of scalars, mappings and sequences, keys included.
  public var nodes: Int

  public init(bytes: Int = 512 * 1024, depth: Int = 32, nodes: Int = 20_000) {
    self.bytes = bytes
    self.depth = depth
    self.nodes = nodes
  }

  /// The bytes of one string, unless its schema has another limit.
  public static let stringBytes = 4_096
  /// The diagnostics of one reading; more are dropped.
  public static let diagnostics = 100
  /// The Unicode scalars of a word that a message quotes.
  static let quotedScalars = 60
  /// The Unicode scalars of a word that is compared with valid names.
  static let comparedScalars = 64
}

/// A YAML document, composed to nodes with their places.
public struct YAMLDocument: Sendable {
  public let root: YAMLNode

  public init(root: YAMLNode) {
    self.root = root
  }

  /// Composes the only document of `bytes`.
  /// - Parameters:
  ///   - bytes: UTF-8, with or without a byte order mark.
  ///   - file: the name at the beginning of messages.
  ///   - emptyAsMapping: true to read a file without a document, or with an empty one, as a mapping without keys. Right
  ///     if every key is optional.
  /// - Throws: the errors: size, depth or count past `limits`, bytes that are not UTF-8, control characters, syntax, a
  ///   second document, anchors, aliases, tags, keys that are no scalars or occur twice.
  public static func parse(
    _ bytes: [UInt8], file: String, limits: YAMLLimits = YAMLLimits(), emptyAsMapping: Bool = false
  ) throws(StrictYAMLError) -> YAMLDocument {
    let diagnostics = Diagnostics()
    let root = YAMLComposer.compose(bytes, file: file, limits: limits, diagnostics: diagnostics)
    try diagnostics.throwIfAny()
    let start = SourcePosition(file: file, line: 1, column: 1)
    guard let root, !(emptyAsMapping && root.isMissingValue) else {
      if emptyAsMapping {
        return YAMLDocument(root: YAMLNode(content: .mapping([]), position: start, subject: YAMLNode.rootSubject))
      }
      throw StrictYAMLError(diagnostics: [Diagnostic("the file is empty: expected a mapping (key: value)", at: start)])
    }
    return YAMLDocument(root: root)
  }

  /// Reads and composes the file at `path`; messages begin with `path` as given.
  /// - Throws: as `parse(_:file:limits:emptyAsMapping:)`, or one diagnostic at 1:1 about the file that cannot be read.
  public static func parse(
    contentsOf path: String, limits: YAMLLimits = YAMLLimits(), emptyAsMapping: Bool = false
  ) throws(StrictYAMLError) -> YAMLDocument {
    try parse(readRegularFile(path, atMost: limits.bytes), file: path, limits: limits, emptyAsMapping: emptyAsMapping)
  }

  /// Reads the document as a mapping.
  /// - Parameter body: reads the keys; nil means that a needed value was wrong, and has been reported.
  /// - Throws: all reported errors, unread keys included.
  public func decode<Value>(_ body: (MappingReader) -> Value?) throws(StrictYAMLError) -> Value {
    let diagnostics = Diagnostics()
    let value = MappingReader.read(root, diagnostics: diagnostics, body)
    try diagnostics.throwIfAny()
    guard let value else {
      throw StrictYAMLError(diagnostics: [Diagnostic("the document could not be read", at: root.position)])
    }
    return value
  }
}

/// Returns all bytes of a regular file, or `limit` + 1 of them if it has more. Any other path is refused: a pipe would
/// block for ever.
private func readRegularFile(_ path: String, atMost limit: Int) throws(StrictYAMLError) -> [UInt8] {
  func unreadable(_ reason: String) -> StrictYAMLError {
    let start = SourcePosition(file: path, line: 1, column: 1)
    return StrictYAMLError(diagnostics: [Diagnostic("cannot be read: \(reason)", at: start)])
  }
  do throws(SystemError) {
    let descriptor = try openFile(path).descriptor
    defer { close(descriptor) }
    return try readAll(from: descriptor, atMost: limit)
  } catch {
    throw unreadable(error.code == EINVAL ? "not a regular file" : error.reason)
  }
}
