// Client text quoted for events and logs: short, and on one line, so that a client cannot forge lines.

import HandsetCore

/// Returns the text in single quotes, at most `Policy.eventQuoteLimit` bytes of it; `absent` for nil.
func quoted(_ text: (some StringProtocol)?) -> String {
  guard let text else { return "absent" }
  return "'\(text.onOneLine(limit: Policy.eventQuoteLimit))'"
}

/// Returns the name of a key or an element, at most 40 bytes of it.
func shortened(_ name: some StringProtocol) -> String { name.onOneLine(limit: 40) }
