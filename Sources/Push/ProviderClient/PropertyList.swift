/// An XML property list with the four known keys. A nil omits its key.
public struct PropertyList: Sendable, Hashable {
  public var body: String?
  /// False shows the single button OK.
  public var showsOpenButton: Bool?
  public var badge: Int?
  public var sound: String?

  public init(body: String? = nil, showsOpenButton: Bool? = nil, badge: Int? = nil, sound: String? = nil) {
    (self.body, self.showsOpenButton, self.badge, self.sound) = (body, showsOpenButton, badge, sound)
  }

  /// Returns UTF-8, without the DOCTYPE and white space, which would count among its 1,024 bytes.
  public func encoded() -> [UInt8] {
    var text = #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>"#
    func add(_ key: String, _ element: String?) {
      if let element { text += "<key>\(key)</key>\(element)" }
    }
    add("UIAlertBody", body.map { "<string>\(escaped($0))</string>" })
    add("UIAlertShowOpenButton", showsOpenButton.map { $0 ? "<true/>" : "<false/>" })
    add("UIApplicationBadge", badge.map { "<integer>\($0)</integer>" })
    add("UIAlertSound", sound.map { "<string>\(escaped($0))</string>" })
    text += "</dict></plist>"
    return Array(text.utf8)
  }
}

/// Escapes a text [XML 1.0, 2.4]; a carriage return would be read as a line feed.
private func escaped(_ text: String) -> String {
  text.unicodeScalars.map { scalar -> String in
    switch scalar {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "\r": "&#13;"
    default: String(scalar)
    }
  }.joined()
}
