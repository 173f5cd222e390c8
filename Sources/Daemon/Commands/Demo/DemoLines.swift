// Commands, their output and events as rows of the demo's screen. No text is cut: long lines are wrapped, long outputs
// have pages, and the newest command stays above its effects.

import CommandSupport

struct DemoLine: Equatable {
  enum Kind {
    /// A command, or the passing of time: a step that has effects.
    case command
    case output, event

    var style: Canvas.Style {
      switch self {
      case .command: .bold
      case .output: .plain
      case .event: .dim
      }
    }
  }

  var kind: Kind
  var text: String
}

enum DemoLines {
  /// Returns the newest lines in that many rows. The newest command is the first row if it would scroll away.
  static func newest(_ lines: [DemoLine], width: Int, height: Int) -> [DemoLine] {
    let command = lines.lastIndex { $0.kind == .command } ?? 0
    let rows = lines[..<command].flatMap { wrapped($0, width) }
    let step = lines[command...].flatMap { wrapped($0, width) }.filter { !$0.text.isEmpty }
    guard step.count > height else { return (rows.filter { !$0.text.isEmpty } + step).suffix(height) }
    let first = step.prefix { $0.kind == .command }.prefix(height / 2)
    return first + step.suffix(height - first.count)
  }

  /// Returns the newest command and its output, in pages. A page ends with a paragraph if possible.
  static func pages(_ lines: [DemoLine], width: Int, height: Int) -> [[DemoLine]] {
    let command = lines.lastIndex { $0.kind == .command } ?? 0
    var rest = lines.dropFirst(command).flatMap { wrapped($0, width) }[...]
    var pages: [[DemoLine]] = []
    while rest.count > height {
      let end = rest.prefix(height + 1).dropFirst(height / 2).lastIndex { $0.text.isEmpty } ?? rest.startIndex + height
      pages.append(Array(rest[..<end]))
      rest = rest[end...].drop { $0.text.isEmpty }
    }
    return pages + [Array(rest)]
  }

  /// Returns the lines with the newest command's output shortened to its last paragraph.
  static func summary(_ lines: [DemoLine]) -> [DemoLine] {
    guard let command = lines.lastIndex(where: { $0.kind == .command }) else { return lines }
    let paragraph = lines[command...].lastIndex { $0.text.isEmpty } ?? command
    return Array(lines[...command] + lines[(paragraph + 1)...])
  }

  private static func wrapped(_ line: DemoLine, _ width: Int) -> [DemoLine] {
    wrapped(line.text, width: width).map { DemoLine(kind: line.kind, text: $0) }
  }

  /// Breaks the text into rows of that width, between words. Further rows stand below the last column of a table, or
  /// are indented. A word that is wider than a row is broken, too.
  static func wrapped(_ text: String, width: Int) -> [String] {
    guard text.count > width else { return [text] }
    let indent = String(text.prefix { $0 == " " }.prefix(width / 2))
    let further = String(
      repeating: " ", count: lastColumn(of: text, before: width / 2) ?? min(indent.count + 4, width / 2))
    var (rows, row) = ([String](), indent)
    for word in text.dropFirst(indent.count).split(separator: " ", omittingEmptySubsequences: false) {
      var word = word
      let isFirst = row.allSatisfy { $0 == " " }
      if !isFirst, row.count + 1 + word.count > width {
        rows.append(row.trimmingEnd())
        row = further
      } else if !isFirst {
        row += " "
      }
      while row.count + word.count > width {
        let head = word.prefix(width - row.count)
        rows.append(row + head)
        word = word.dropFirst(head.count)
        row = further
      }
      row += word
    }
    return rows + [row]
  }

  /// Returns the place behind the last two spaces before `limit`; nil if there are none behind a word.
  private static func lastColumn(of text: String, before limit: Int) -> Int? {
    let characters = Array(text)
    guard let first = characters.firstIndex(where: { $0 != " " }), first + 3 < limit else { return nil }
    return (first + 3..<min(limit, characters.count)).last {
      characters[$0] != " " && characters[$0 - 1] == " " && characters[$0 - 2] == " "
    }
  }
}
