// libyaml scans and parses; this turns its events into nodes and stops at the first event past a limit, so that hostile
// input costs no more than its size. YAML's features beyond mappings, sequences and scalars (anchors, aliases, tags,
// several documents) are refused: they do not help to describe a board, and their effects surprise users.

import CYAML

struct YAMLComposer {
  /// Returns the root node; nil if there is no document, or if an error was reported.
  static func compose(_ bytes: [UInt8], file: String, limits: YAMLLimits, diagnostics: Diagnostics) -> YAMLNode? {
    let start = SourcePosition(file: file, line: 1, column: 1)
    guard bytes.count <= limits.bytes else {
      diagnostics.report("the file is larger than \(limits.bytes) bytes", at: start)
      return nil
    }
    let text = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(byteOrderMark.count) : bytes[...]

    // libyaml stores the parser's own address, so the parser must not move.
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    defer { parser.deallocate() }
    guard yaml_parser_initialize(parser) == 1 else {
      diagnostics.report("out of memory", at: start)
      return nil
    }
    defer { yaml_parser_delete(parser) }

    return text.withUnsafeBufferPointer { input -> YAMLNode? in
      yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
      yaml_parser_set_input_string(parser, input.baseAddress, input.count)
      var composer = YAMLComposer(
        parser: parser, input: input, file: file, limits: limits, diagnostics: diagnostics, nodeCount: 0)
      do throws(Diagnostic) {
        return try composer.document()
      } catch {
        diagnostics.report(error)
        return nil
      }
    }
  }

  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeBufferPointer<UInt8>
  private let file: String
  private let limits: YAMLLimits
  private let diagnostics: Diagnostics
  private var nodeCount: Int

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// An event with its memory, which libyaml made.
  private struct Event: ~Copyable {
    let raw: yaml_event_t
    let position: SourcePosition

    deinit {
      var event = raw
      yaml_event_delete(&event)
    }

    var isEnd: Bool { raw.type == YAML_SEQUENCE_END_EVENT || raw.type == YAML_MAPPING_END_EVENT }

    var anchorAndTag: (UnsafeMutablePointer<yaml_char_t>?, UnsafeMutablePointer<yaml_char_t>?) {
      switch raw.type {
      case YAML_SCALAR_EVENT: (raw.data.scalar.anchor, raw.data.scalar.tag)
      case YAML_SEQUENCE_START_EVENT: (raw.data.sequence_start.anchor, raw.data.sequence_start.tag)
      case YAML_MAPPING_START_EVENT: (raw.data.mapping_start.anchor, raw.data.mapping_start.tag)
      default: (nil, nil)
      }
    }
  }

  private mutating func document() throws(Diagnostic) -> YAMLNode? {
    var root: YAMLNode?
    var documents = 0
    while true {
      let event = try next()
      switch event.raw.type {
      case YAML_STREAM_END_EVENT:
        return root
      case YAML_DOCUMENT_START_EVENT:
        documents += 1
        guard documents == 1 else {
          throw Diagnostic("a second document begins here: expected exactly one", at: event.position)
        }
        let tags = event.raw.data.document_start.tag_directives
        if tags.start != tags.end {
          diagnostics.report("tags are not supported: remove the %TAG directive", at: event.position)
        }
        root = try node(try next(), depth: 1, subject: YAMLNode.rootSubject)
      default:
        break
      }
    }
  }

  private mutating func node(_ event: borrowing Event, depth: Int, subject: String) throws(Diagnostic) -> YAMLNode {
    nodeCount += 1
    guard nodeCount <= limits.nodes else {
      throw Diagnostic("the file has more than \(limits.nodes) values", at: event.position)
    }
    let (anchor, tag) = event.anchorAndTag
    if let anchor = string(anchor) {
      diagnostics.report(
        "anchors are not supported: remove '&\(anchor)' and write the value out\(quoting(at: event.position))",
        at: event.position)
    }
    if let tag = string(tag) {
      diagnostics.report(
        "tags are not supported: remove \(quoted(tag))\(quoting(at: event.position))", at: event.position)
    }
    let content: YAMLNode.Content
    switch event.raw.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.raw.data.scalar
      let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      if text.utf8.contains(0) {
        diagnostics.report("\(subject) contains a NUL character", at: event.position)
      }
      content = .scalar(text: text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
    case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT:
      guard depth <= limits.depth else {
        throw Diagnostic("nested more than \(limits.depth) levels deep", at: event.position)
      }
      if event.raw.type == YAML_MAPPING_START_EVENT {
        let entries = try entries(depth: depth + 1, subject: subject)
        if event.raw.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE { refuseCommas(in: entries) }
        content = .mapping(entries)
      } else {
        content = .sequence(try items(depth: depth + 1, subject: subject))
      }
    case YAML_ALIAS_EVENT:
      let name = string(event.raw.data.alias.anchor) ?? ""
      diagnostics.report(
        "aliases are not supported: write the value out instead of '*\(name)'\(quoting(at: event.position))",
        at: event.position)
      content = .scalar(text: "", isPlain: true)
    default:
      throw Diagnostic("expected a value", at: event.position)
    }
    return YAMLNode(content: content, position: event.position, subject: subject)
  }

  private mutating func items(depth: Int, subject: String) throws(Diagnostic) -> [YAMLNode] {
    var items: [YAMLNode] = []
    while true {
      let event = try next()
      if event.isEnd { return items }
      items.append(try node(event, depth: depth, subject: "item \(items.count + 1) of \(subject)"))
    }
  }

  private mutating func entries(depth: Int, subject: String) throws(Diagnostic) -> [YAMLEntry] {
    var entries: [YAMLEntry] = []
    var places: [String: SourcePosition] = [:]
    while true {
      let event = try next()
      if event.isEnd { return entries }
      let key = try node(event, depth: depth, subject: "a key of \(subject)")
      guard case .scalar(let name, _) = key.content else {
        throw Diagnostic("a key must be a word, not \(key.found)", at: key.position)
      }
      let value = try node(try next(), depth: depth, subject: quoted(name))
      if name.isEmpty {
        diagnostics.report("a key is empty", at: key.position)
      } else if let first = places.updateValue(key.position, forKey: name) {
        diagnostics.report(
          "key \(quoted(name)) stands twice in this mapping, first on line \(first.line)", at: key.position)
      }
      entries.append((key: name, keyPosition: key.position, value: value))
    }
  }

  /// Reports texts with commas in a mapping in braces: `{pcm: plughw:1,0}` has the key `0`, without a value.
  private func refuseCommas(in entries: [YAMLEntry]) {
    var text: String?
    for (index, entry) in entries.enumerated().reversed() {
      if entry.value.isMissingValue {
        text = entry.key + (text.map { ",\($0)" } ?? "")
      } else if let rest = text.take(), case .scalar(let value, isPlain: true) = entry.value.content {
        diagnostics.report(
          "\(entry.value.subject) ends at the comma, and \(quoted(entries[index + 1].key)) has no value"
            + QuotingAdvice.text(key: entry.key, value: "\(value),\(rest)"), at: entry.value.position)
      } else {
        text = nil
      }
    }
  }

  private func next() throws(Diagnostic) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxDiagnostic() }
    return Event(raw: event, position: position(of: event.start_mark))
  }

  private func string(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    text.map { String(cString: $0) }
  }

  /// Converts a position: libyaml counts from 0.
  private func position(of mark: yaml_mark_t) -> SourcePosition {
    SourcePosition(file: file, line: mark.line + 1, column: mark.column + 1)
  }

  private func syntaxDiagnostic() -> Diagnostic {
    let problem = parser.pointee.problem.map { String(cString: $0) } ?? "not YAML"
    switch parser.pointee.error {
    case YAML_MEMORY_ERROR:
      return Diagnostic("out of memory", at: position(of: parser.pointee.mark))
    case YAML_READER_ERROR:
      // The reader runs ahead of the scanner and reports only the invalid byte.
      let place = position(ofByte: parser.pointee.problem_offset)
      return problem.hasPrefix("control")
        ? Diagnostic(problem, at: place) : Diagnostic("not UTF-8: \(problem)", at: place)
    default:
      let mark = parser.pointee.problem_mark
      if line(mark.line).unicodeScalars.dropFirst(mark.column).first == "\t" {
        return Diagnostic("a tab stands where YAML wants spaces", at: position(of: mark))
      }
      let context = parser.pointee.context.map { String(cString: $0) + ": " } ?? ""
      let place = position(of: mark)
      return Diagnostic(context + problem + quoting(at: place), at: place)
    }
  }

  private func position(ofByte offset: Int) -> SourcePosition {
    let lines = input.prefix(offset).split(separator: 0x0A, omittingEmptySubsequences: false)
    let column = lines[lines.count - 1].count(where: { $0 & 0xC0 != 0x80 })
    return SourcePosition(file: file, line: lines.count, column: column + 1)
  }

  private func quoting(at position: SourcePosition) -> String {
    // Each advice searches the file.
    diagnostics.isFull ? "" : QuotingAdvice(line: line(position.line - 1), column: position.column - 1).text
  }

  /// Returns a line by its number from 0. A mark's index counts characters, so the line is searched instead.
  private func line(_ number: Int) -> String {
    let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
    return number < lines.count ? String(decoding: lines[number], as: UTF8.self) : ""
  }
}
