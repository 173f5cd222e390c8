// The lines that apps read: one JSON object each. The provider's payload is copied into them byte for byte, because
// decoding and encoding a JSON text changes its numbers and the order of its keys.

import FoundationEssentials
import HandsetCore

enum PushLine {
  private static let lineFeed = UInt8(ascii: "\n")

  /// Returns `{"push":"…","attempt":1,"state":"background","payload":{…}}`; nil if the payload is no JSON object.
  /// - Parameter handset: the name in the line, before the payload; nil for the handset on the board.
  static func delivery(_ delivery: Delivery, payload: [UInt8], handset: String? = nil) -> [UInt8]? {
    guard let payload = onOneLine(payload) else { return nil }
    let state = delivery.state == .foreground ? Lifecycle.foreground : .background
    var line = Array(
      #"{"push":"\#(delivery.push)","attempt":\#(delivery.attempt),"state":"\#(state.rawValue)"\#(member(handset))"#
        .utf8)
    switch delivery.occasion {
    case .response(let response): line += Array((",\(members(response))").utf8)
    case .type(let type): line += Array(#","type":"\#(type.rawValue)""#.utf8)
    case nil, .notification: break
    }
    line += Array(#","payload":"#.utf8)
    line += payload
    return line + [UInt8(ascii: "}"), lineFeed]
  }

  /// Returns `{"push":"…","attempt":1,"payload":{…}}`; nil if the payload is no JSON object.
  static func `extension`(_ push: Push, attempt: Int, handset: String? = nil) -> [UInt8]? {
    guard let payload = onOneLine(push.payload) else { return nil }
    let head = #"{"push":"\#(push.id)","attempt":\#(attempt)\#(member(handset)),"payload":"#
    return Array(head.utf8) + payload + [UInt8(ascii: "}"), lineFeed]
  }

  static func launch(_ app: AppID, handset: String? = nil, by opening: [UInt8]? = nil) -> [UInt8] {
    Array(#"{"launch":"\#(app)","state":"foreground"\#(member(handset))"#.utf8) + end(opening)
  }

  /// Returns a member of a line: `"opened":{"push":"…","notification":7,"action":"…","payload":{…}}`.
  /// - Parameters:
  ///   - payload: the payload of the opened push; nil if it is lost.
  ///   - payloadBytes: the limit of the payload; a larger one, or one that is no JSON object, is left out.
  static func opening(_ response: NotificationResponse, payload: [UInt8]?, payloadBytes: Int) -> [UInt8] {
    var member = Array(#""opened":{"push":"\#(response.push)",\#(members(response))"#.utf8)
    if let payload, payload.count <= payloadBytes, let payload = onOneLine(payload) {
      member += Array(#","payload":"#.utf8) + payload
    }
    return member + [UInt8(ascii: "}")]
  }

  /// Returns `"notification":7,"action":"REPLY","text":"…","targetContentID":"…"`.
  private static func members(_ response: NotificationResponse) -> String {
    let text = response.text.map { #","text":\#(quoted($0))"# } ?? ""
    let url = response.url.map { #","url":\#(quoted($0))"# } ?? ""
    let target = response.targetContentID.map { #","targetContentID":\#(quoted($0))"# } ?? ""
    return #""notification":\#(response.notification),"action":\#(quoted(response.action))\#(text)\#(url)\#(target)"#
  }

  /// Returns the rest of a line, with one more member if there is one.
  private static func end(_ member: [UInt8]?) -> [UInt8] {
    (member.map { [UInt8(ascii: ",")] + $0 } ?? []) + [UInt8(ascii: "}"), lineFeed]
  }

  /// Returns a JSON object without line breaks; nil if the bytes are none.
  private static func onOneLine(_ payload: [UInt8]) -> [UInt8]? {
    guard (try? JSONDecoder().decode(AnyObject.self, from: Data(payload))) != nil else { return nil }
    // JSON allows line breaks only between tokens, where a space means the same, so the line stays whole.
    return payload.map { $0 == lineFeed || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
  }

  private static func quoted(_ text: String) -> String {
    String(decoding: encoded(text), as: UTF8.self)
  }

  private static func member(_ handset: String?) -> String { handset.map { #","handset":"\#($0)""# } ?? "" }

  static func opened(by opening: [UInt8]? = nil) -> [UInt8] {
    Array(#"{"state":"foreground""#.utf8) + end(opening)
  }

  /// The line for a listening app that another one replaced in the foreground, or the person sent to the background.
  static let leftForeground = Array(#"{"state":"background"}"#.utf8) + [lineFeed]

  /// Returns `{"delivered":[{"notification":17,"push":"…","title":"…",…}]}`.
  /// - Parameters:
  ///   - notifications: newest first.
  ///   - bytes: the limit of the line; the oldest that do not fit are left out.
  static func delivered(_ notifications: [DeliveredNotification], bytes: Int) -> [UInt8] {
    var line = Array(#"{"delivered":["#.utf8)
    let end = Array("]}".utf8) + [lineFeed]
    for (index, notification) in notifications.enumerated() {
      let item = (index > 0 ? [UInt8(ascii: ",")] : []) + encoded(notification)
      guard line.count + item.count + end.count <= bytes else { break }
      line += item
    }
    return line + end
  }

  /// The last line before the daemon closes the connection of an app that it stops.
  static let stopped = Array(#"{"stopped":true}"#.utf8) + [lineFeed]

  static func error(_ message: String) -> [UInt8] { encoded(["error": message]) + [lineFeed] }

  private static func encoded(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // The encoding of texts and numbers cannot fail.
    return (try? encoder.encode(value)).map { Array($0) } ?? Array("null".utf8)
  }

  private struct AnyObject: Decodable {
    init(from decoder: any Decoder) throws {
      _ = try decoder.container(keyedBy: AnyKey.self)
    }
  }
}
