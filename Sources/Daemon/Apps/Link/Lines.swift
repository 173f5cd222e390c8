// The output of other authors' programs: lines of any length in pieces of any size. Only a bounded part is kept.

import HandsetCore

/// A splitter of a stream into lines.
struct Lines {
  /// The bytes of a line that are kept.
  let limit: Int
  private var line: [UInt8] = []
  private var isCut = false
  /// The number of bytes so far.
  private(set) var bytes = 0

  init(limit: Int) {
    self.limit = limit
  }

  /// - Returns: the lines that end within `piece`, without their ends; lines past the limit are truncated.
  mutating func append(_ piece: ArraySlice<UInt8>) -> [Line] {
    bytes += piece.count
    var lines: [Line] = []
    var rest = piece
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      keep(rest[..<end])
      lines.append(take())
      rest = rest[(end + 1)...]
    }
    keep(rest)
    return lines
  }

  /// Returns the last line if the stream ended without a line feed.
  mutating func finish() -> Line? {
    line.isEmpty ? nil : take()
  }

  struct Line: Equatable {
    var text: String
    /// True if the line was longer.
    var isCut: Bool
  }

  private mutating func keep(_ piece: ArraySlice<UInt8>) {
    let left = limit - line.count
    if piece.count > left { isCut = true }
    line += piece.prefix(left)
  }

  private mutating func take() -> Line {
    defer {
      line.removeAll(keepingCapacity: true)
      isCut = false
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return Line(text: String(decoding: line, as: UTF8.self), isCut: isCut)
  }
}

extension DeliveryResult {
  /// Reads the word that a program prints; spaces around it are allowed.
  init?(word line: Lines.Line) {
    guard !line.isCut else { return nil }
    let text = line.text.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let end = text.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    guard let end, let word = String(text[...end]) else { return nil }
    self.init(rawValue: word)
  }
}
