// A mistyped key in a request is refused: ignoring it would hide the error.

import HTTP
import HandsetCore

/// The JSON body of a request. Unknown keys are refused.
protocol RequestBody: WireType {}

extension RequestBody {
  static var moreOfSchema: [String: JSONValue] { ["additionalProperties": false] }

  /// - Parameter path: the keys that lead to the object.
  /// - Throws: `ControlError` 400 with the nearest key.
  fileprivate static func requireKnownKeys(
    in object: KeyedDecodingContainer<AnyKey>, at path: [String] = []
  ) throws(ControlError) {
    let keys = Self.keys
    let known = keys.map(\.name)
    let unknown = object.allKeys.map(\.stringValue).filter { !known.contains($0) }
    if let key = unknown.min() {
      let place = (path + [shown(key)]).joined(separator: ".")
      throw ControlError(400, "unknown key '\(place)'", hint: hint(for: key, among: known))
    }
    for key in keys {
      // The decoder reports absent values, and those of another type.
      guard case .object(let type) = key.form, let body = type as? any RequestBody.Type,
        let inner = try? object.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(key.name))
      else { continue }
      try body.requireKnownKeys(in: inner, at: path + [key.name])
    }
  }
}

private struct Checked<Body: RequestBody>: Decodable {
  var body: Body

  init(from decoder: any Decoder) throws {
    try Body.requireKnownKeys(in: decoder.container(keyedBy: AnyKey.self))
    body = try Body(from: decoder)
  }
}

extension HTTPRequest {
  /// Returns the JSON body.
  /// - Throws: `ControlError` or `HTTPError` 400 with the key and its error.
  func body<Body: RequestBody>(_ type: Body.Type = Body.self) throws -> Body {
    try json(Checked<Body>.self).body
  }
}
