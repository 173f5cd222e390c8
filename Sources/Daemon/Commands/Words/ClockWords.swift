import DeskbellDaemon

enum ClockWords {
  static func line(_ clock: ClockReport, _ face: ClockFace = .local) -> String {
    "\(face.dateAndTime(clock.wallMicroseconds)), up \(roughly(microseconds: clock.uptimeMicroseconds)), "
      + "\(clock.clock) clock"
  }
}

/// A time in whole seconds, written as `90s`, `45m`, `1h30m`, `30d`.
struct SpanOfTime: Hashable, LosslessStringConvertible {
  var seconds: Int64

  init(seconds: Int64) {
    self.seconds = seconds
  }

  private static let units: [(letter: Character, seconds: Int64)] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)]

  /// Nil unless `text` is numbers, each with its unit, the units from large to small and none twice.
  init?(_ text: String) {
    var total: Int64 = 0
    var units = SpanOfTime.units[...]
    var digits = ""
    for character in text {
      if character.isASCII && character.isNumber {
        digits.append(character)
        continue
      }
      guard let place = units.firstIndex(where: { $0.letter == character }), let number = Int64(digits) else {
        return nil
      }
      let (product, overflow) = number.multipliedReportingOverflow(by: units[place].seconds)
      let (sum, overflowToo) = total.addingReportingOverflow(product)
      guard !overflow && !overflowToo else { return nil }
      total = sum
      units = units[(place + 1)...]
      digits = ""
    }
    guard digits.isEmpty && !text.isEmpty else { return nil }
    seconds = total
  }

  /// The form in which it is typed: `1h30m`.
  var description: String {
    var rest = seconds
    let parts = SpanOfTime.units.compactMap { unit -> String? in
      defer { rest %= unit.seconds }
      return rest >= unit.seconds ? "\(rest / unit.seconds)\(unit.letter)" : nil
    }
    return parts.isEmpty ? "0s" : parts.joined()
  }
}
