// Reads an XML property list by the grammar of Apple's DTD and nothing beyond it, from the events of libexpat.
// Foundation's reader on Linux leaks memory at each malformed list, which any client could send.

import CExpat
import FoundationEssentials
import HTTP

/// A value of a property list [Apple, PropertyList-1.0.dtd].
enum PropertyListValue: Hashable, Sendable {
  case string(String)
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  /// A date in ISO 8601, checked, and kept as it was written.
  case date(String)
  /// Base64 without white space.
  case data(String)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])

  /// The kind of the value, for a message: `a string`.
  var kind: String {
    switch self {
    case .string: "a string"
    case .integer: "an integer"
    case .real: "a real"
    case .boolean: "a boolean"
    case .date: "a date"
    case .data: "data"
    case .array: "an array"
    case .dictionary: "a dictionary"
    }
  }

  /// The value as it was sent, or its kind, for the author of the property list.
  var quote: String {
    switch self {
    case .string(let text): text.isEmpty ? "an empty string" : "the string \(quoted(text))"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    default: kind
    }
  }

  /// The value in JSON: dates and data, which JSON does not have, are the strings that were written.
  var json: JSONValue {
    switch self {
    case .string(let text), .date(let text), .data(let text): .string(text)
    case .integer(let number): .integer(number)
    case .real(let number): .double(number)
    case .boolean(let flag): .bool(flag)
    case .array(let elements): .array(elements.map(\.json))
    case .dictionary(let members): .object(members.mapValues(\.json))
    }
  }

  /// Reads an XML property list in UTF-8.
  /// - Throws: 415 if the bytes are no XML property list in UTF-8, 400 if a value is wrong.
  static func read(_ bytes: [UInt8], depth: Int) throws(PublishingRefusal) -> PropertyListValue {
    guard !bytes.isEmpty else { throw .notPropertyList("the body is empty") }
    if bytes.starts(with: "bplist".utf8) {
      throw .notPropertyList("it is a binary property list; convert it with: plutil -convert xml1")
    }
    guard let parser = XML_ParserCreate("UTF-8") else {
      throw .notPropertyList("there is no memory to read it")
    }
    defer { XML_ParserFree(parser) }
    let reader = PropertyListReader(parser, depth: depth)
    // The parser calls back only during the parse, and the reader outlives it.
    XML_SetUserData(parser, Unmanaged.passUnretained(reader).toOpaque())
    setHandlers(parser)
    let status = bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { XML_Parse(parser, $0.baseAddress, CInt($0.count), 1) }
    }
    if status == XML_STATUS_OK, reader.error == nil, let value = reader.value { return value }
    let words = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "it is not XML"
    reader.fail(words)
    throw reader.error ?? .notPropertyList(words)
  }

  private static func setHandlers(_ parser: XML_Parser) {
    XML_SetElementHandler(
      parser,
      { reader, name, attributes in
        PropertyListReader.of(reader).begin(name.map { String(cString: $0) } ?? "", attributes)
      }, { reader, _ in PropertyListReader.of(reader).end() })
    XML_SetCharacterDataHandler(parser) { reader, text, count in
      guard let text else { return }
      text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
        PropertyListReader.of(reader).take(UnsafeBufferPointer(start: $0, count: Int(count)))
      }
    }
    XML_SetXmlDeclHandler(parser) { reader, _, encoding, _ in
      guard let name = encoding.map({ String(cString: $0) }), name.lowercased() != "utf-8" else { return }
      PropertyListReader.of(reader).fail("its encoding is \(quoted(name)); expected UTF-8")
    }
    XML_SetStartDoctypeDeclHandler(parser) { reader, name, _, _, hasInternalSubset in
      let (reader, name) = (PropertyListReader.of(reader), name.map { String(cString: $0) })
      if name != "plist" { reader.fail("its DOCTYPE is \(quoted(name)); expected plist") }
      if hasInternalSubset != 0 { reader.fail("its DOCTYPE declares things of its own") }
    }
    XML_SetProcessingInstructionHandler(parser) { reader, _, _ in
      PropertyListReader.of(reader).fail("a processing instruction has no place in it")
    }
    // If the DOCTYPE names a DTD, which is never fetched, the parser skips entities that are not defined.
    XML_SetSkippedEntityHandler(parser) { reader, name, _ in
      let name = name.map { String(cString: $0) } ?? ""
      PropertyListReader.of(reader).fail("entity \(quoted(name)): there are amp, lt, gt, quot and apos, and no others")
    }
  }
}

/// The builder of a value from the parser's events. The first error stops the parser.
private final class PropertyListReader {
  /// An element that has begun and not ended. `open` has the outermost first.
  private enum Open {
    case list
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue], key: String?)
    case scalar(Scalar, text: [UInt8])
  }

  private enum Scalar: String {
    case key, string, integer, real, date, data
    case yes = "true"
    case no = "false"
  }

  private(set) var value: PropertyListValue?
  private(set) var error: PublishingRefusal?
  private var open: [Open] = []
  private let parser: XML_Parser
  private let depthLimit: Int

  init(_ parser: XML_Parser, depth: Int) {
    self.parser = parser
    depthLimit = depth
  }

  /// Returns the reader that was passed to the parser; it lives as long as the parse.
  static func of(_ pointer: UnsafeMutableRawPointer?) -> PropertyListReader {
    guard let pointer else { preconditionFailure("the parser was given a reader") }
    return Unmanaged<PropertyListReader>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Stops the parser, unless it has been stopped. Lines and columns in the text count from 1.
  func fail(_ problem: String, as refusal: (String) -> PublishingRefusal = PublishingRefusal.notPropertyList) {
    guard error == nil else { return }
    error = refusal("line \(deskbell_xml_line(parser)), column \(deskbell_xml_column(parser) + 1): \(problem)")
    XML_StopParser(parser, XML_Bool(XML_FALSE))
  }

  func begin(_ name: String, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
    guard error == nil else { return }
    guard let parent = open.last else { return beginList(name, attributes) }
    if let attribute = attributes?[0] {
      return fail("<\(shortened(name))> has an attribute \(quoted(String(cString: attribute)))")
    }
    switch parent {
    case .scalar(let scalar, _): return fail("<\(shortened(name))> inside <\(scalar.rawValue)>")
    case .list where value != nil: return fail("<plist> holds more than one value")
    case .dictionary(_, nil) where name != "key":
      return fail("<\(shortened(name))> in a dictionary, without a <key> before it")
    case .dictionary(_, let key?) where name == "key":
      return fail("key \(quoted(key)) has no value")
    case .list, .array:
      if name == "key" { return fail("<key> outside a dictionary") }
    case .dictionary: break
    }
    switch name {
    case "dict": nest(.dictionary([:], key: nil))
    case "array": nest(.array([]))
    default:
      guard let scalar = Scalar(rawValue: name) else {
        return fail("<\(shortened(name))> is no element of a property list")
      }
      open.append(.scalar(scalar, text: []))
    }
  }

  private func beginList(_ name: String, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
    guard name == "plist" else {
      return fail("it begins with <\(shortened(name))>; expected <plist>")
    }
    if let attribute = attributes?[0].map({ String(cString: $0) }) {
      let version = attributes?[1].map { String(cString: $0) }
      guard attribute == "version", version == "1.0", attributes?[2] == nil else {
        return fail("<plist> has \(shortened(attribute)) \(quoted(version)); expected version 1.0")
      }
    }
    open.append(.list)
  }

  private func nest(_ container: Open) {
    // The element `plist` itself is no level.
    guard open.count <= depthLimit else {
      return fail("it is nested deeper than \(depthLimit) levels", as: PublishingRefusal.bad)
    }
    open.append(container)
  }

  func take(_ text: UnsafeBufferPointer<UInt8>) {
    guard error == nil, let last = open.popLast() else { return }
    guard case .scalar(let scalar, var collected) = last else {
      open.append(last)
      if !text.allSatisfy(isWhiteSpace) { fail("there is text between its elements") }
      return
    }
    collected.append(contentsOf: text)
    open.append(.scalar(scalar, text: collected))
  }

  func end() {
    guard error == nil, let ended = open.popLast() else { return }
    switch ended {
    case .list:
      if value == nil { fail("<plist> holds no value") }
    case .array(let elements): add(.array(elements))
    case .dictionary(let members, nil): add(.dictionary(members))
    case .dictionary(_, let key?): fail("key \(quoted(key)) has no value")
    case .scalar(let scalar, let text): end(scalar, text)
    }
  }

  private func end(_ scalar: Scalar, _ bytes: [UInt8]) {
    // The parser has checked that it is UTF-8.
    let text = String(decoding: bytes, as: UTF8.self)
    let trimmed = String(
      decoding: bytes.trimmingPrefix(while: isWhiteSpace).reversed().trimmingPrefix(while: isWhiteSpace).reversed(),
      as: UTF8.self)
    switch scalar {
    case .key:
      guard case .dictionary(let members, nil)? = open.popLast() else { return }
      if members[text] != nil { return fail("key \(quoted(text)) comes twice", as: PublishingRefusal.bad) }
      open.append(.dictionary(members, key: text))
    case .string: add(.string(text))
    case .yes, .no:
      guard bytes.isEmpty else { return fail("<\(scalar.rawValue)> holds text") }
      add(.boolean(scalar == .yes))
    case .integer:
      guard let number = Int64(trimmed) else {
        return fail("\(quoted(trimmed)) is no integer, or none of 64 bits", as: PublishingRefusal.bad)
      }
      add(.integer(number))
    case .real:
      guard let number = Double(trimmed), number.isFinite else {
        return fail("\(quoted(trimmed)) is no number with a finite value", as: PublishingRefusal.bad)
      }
      add(.real(number))
    case .date:
      guard (try? Date(trimmed, strategy: .iso8601)) != nil else {
        return fail("\(quoted(trimmed)) is no date; expected the form 2008-06-11T10:30:00Z", as: PublishingRefusal.bad)
      }
      add(.date(trimmed))
    case .data:
      let base64 = String(decoding: bytes.filter { !isWhiteSpace($0) }, as: UTF8.self)
      guard Data(base64Encoded: base64) != nil else { return fail("<data> holds no base64", as: PublishingRefusal.bad) }
      add(.data(base64))
    }
  }

  private func add(_ added: PropertyListValue) {
    switch open.popLast() {
    case .list?:
      value = added
      open.append(.list)
    case .array(var elements)?:
      elements.append(added)
      open.append(.array(elements))
    case .dictionary(var members, let key?)?:
      members[key] = added
      open.append(.dictionary(members, key: nil))
    case .dictionary(_, nil)?, .scalar?, nil:
      preconditionFailure("begin lets no value begin there")
    }
  }
}

private func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
