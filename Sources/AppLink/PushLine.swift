// The lines that apps read: one JSON object each. The provider's payload goes into them byte for byte, because decoding
// and encoding a JSON text changes its numbers and the order of its keys.

import FoundationEssentials
import HandsetCore

/// Lines of JSON for an app, each with its line feed.
enum PushLine {
  private static let lineFeed = UInt8(ascii: "\n")

  /// `{"push":"…","attempt":1,"state":"background","payload":{…}}`, nil where the payload is no JSON object.
  /// - Parameter handset: named in the line, before the payload; nil for the handset on the board.
  static func delivery(_ delivery: AppDelivery, handset: String? = nil) -> [UInt8]? {
    guard isJSONObject(delivery.payload) else { return nil }
    // JSON allows line breaks only between tokens, where a space means the same: the line stays whole.
    let payload = delivery.payload.map { $0 == lineFeed || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
    let state = delivery.state == .foreground ? Lifecycle.foreground : .background
    var line = Array(
      #"{"push":"\#(delivery.push)","attempt":\#(delivery.attempt),"state":"\#(state.rawValue)"\#(member(handset)),"payload":"#
        .utf8)
    line += payload
    return line + [UInt8(ascii: "}"), lineFeed]
  }

  /// What a launch hook reads.
  /// - Parameter handset: as for `delivery`.
  static func launch(_ app: AppID, handset: String? = nil) -> [UInt8] {
    Array(#"{"launch":"\#(app)","state":"foreground"\#(member(handset))}"#.utf8) + [lineFeed]
  }

  private static func member(_ handset: String?) -> String { handset.map { #","handset":"\#($0)""# } ?? "" }

  /// For an app that listens and that the person opened.
  static let opened = Array(#"{"state":"foreground"}"#.utf8) + [lineFeed]

  /// The last line before the daemon closes the connection of an app that it stops.
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
    init(from decoder: any Decoder) throws {
      _ = try decoder.container(keyedBy: AnyKey.self)
    }
  }
}
