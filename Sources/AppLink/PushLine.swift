// The lines that apps read: one JSON object each. The provider's payload goes into them byte for byte, because whoever
// decodes and encodes a JSON text again changes its numbers and the order of its keys.

import FoundationEssentials
import HandsetCore

/// Lines of JSON for an app, each with its line feed.
enum PushLine {
  private static let lineFeed = UInt8(ascii: "\n")

  /// `{"push":"…","attempt":1,"state":"background","payload":{…}}`, nil where the payload is no JSON object.
  static func delivery(_ delivery: AppDelivery) -> [UInt8]? {
    guard isJSONObject(delivery.payload) else { return nil }
    // Outside strings a line's end is white space to JSON, and within a string it cannot stand: the line stays whole.
    let payload = delivery.payload.map { $0 == lineFeed || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
    let state = delivery.state == .foreground ? Lifecycle.foreground : .background
    var line = Array(
      #"{"push":"\#(delivery.push)","attempt":\#(delivery.attempt),"state":"\#(state.rawValue)","payload":"#.utf8)
    line += payload
    return line + [UInt8(ascii: "}"), lineFeed]
  }

  /// What a launch hook is given.
  static func launch(_ app: AppID) -> [UInt8] { Array(#"{"launch":"\#(app)","state":"foreground"}"#.utf8) + [lineFeed] }

  /// The person opened an app that listens.
  static let opened = Array(#"{"state":"foreground"}"#.utf8) + [lineFeed]

  /// The last line of an app that is ended.
  static let stopped = Array(#"{"stopped":true}"#.utf8) + [lineFeed]

  static func error(_ message: String) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    // A text always encodes.
    guard let data = try? encoder.encode(["error": message]) else { return [lineFeed] }
    return Array(data) + [lineFeed]
  }

  private static func isJSONObject(_ bytes: [UInt8]) -> Bool {
    (try? JSONDecoder().decode(AnyObject.self, from: Data(bytes))) != nil
  }

  private struct AnyObject: Decodable {
    private struct AnyKey: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      _ = try decoder.container(keyedBy: AnyKey.self)
    }
  }
}
