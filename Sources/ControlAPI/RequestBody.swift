// A mistyped key in a request is refused: ignoring it would hide the mistake.

import HTTPRoutes
import HandsetCore

/// What a request carries as JSON. Keys other than its own are refused.
protocol RequestBody: Codable {
  associatedtype CodingKeys: CodingKey & CaseIterable
  /// The keys whose values are objects with keys of their own.
  static var objects: [String: any RequestBody.Type] { get }
}

extension RequestBody {
  static var objects: [String: any RequestBody.Type] { [:] }

  /// - Parameter path: the keys that lead to the object.
  /// - Throws: `ControlError` 400 with the nearest key.
  fileprivate static func requireKnownKeys(
    in object: KeyedDecodingContainer<AnyKey>, at path: [String] = []
  ) throws(ControlError) {
    let known = CodingKeys.allCases.map(\.stringValue)
    let unknown = object.allKeys.map(\.stringValue).filter { !known.contains($0) }
    if let key = unknown.min() {
      let place = (path + [shown(key)]).joined(separator: ".")
      throw ControlError(400, "unknown key '\(place)'", hint: hint(for: key, among: known))
    }
    for (key, type) in objects {
      // An absent value, or one of another type, is the decoder's to report.
      guard let inner = try? object.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(key)) else {
        continue
      }
      try type.requireKnownKeys(in: inner, at: path + [key])
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
  /// The JSON body.
  /// - Throws: `ControlError` or `HTTPError` 400 that names the key and what is wrong with it.
  func body<Body: RequestBody>(_ type: Body.Type = Body.self) throws -> Body {
    try json(Checked<Body>.self).body
  }
}
