// Clients' text as events and logs quote it: short, and on one line, so that a client cannot forge lines.

import HandsetCore

/// In single quotes, at most `Policy.eventQuoteLimit` bytes of it; `absent` for nil.
func quoted(_ text: (some StringProtocol)?) -> String {
  guard let text else { return "absent" }
  return "'\(oneLine(text, limit: Policy.eventQuoteLimit))'"
}

/// The name of a key or an element, at most 40 bytes of it.
func shortened(_ name: some StringProtocol) -> String { oneLine(name, limit: 40) }

/// - Parameter limit: in bytes, of what is written for it; where that is not all of it, `…` follows.
private func oneLine(_ text: some StringProtocol, limit: Int) -> String {
  var line = ""
  for character in text {
    let written = String(character).onOneLine
    guard line.utf8.count + written.utf8.count <= limit else { return line + "…" }
    line += written
  }
  return line
}
