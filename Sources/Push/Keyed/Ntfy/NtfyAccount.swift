// The account that ntfy's clients request before they use a topic. Here an access key is the account: it has one topic.

import HTTP
import HandsetCore

extension NtfyFrontEnd {
  /// Returns the answer about the account; nil if the request is about something else, or needs a key.
  /// - Parameter provider: nil without a key.
  static func service(_ request: NtfyRequest, _ provider: KeyedProvider?) -> HTTPResponse? {
    switch request {
    case .account: .json(200, account(name: provider?.name ?? "*", role: provider == nil ? "anonymous" : "user"))
    case .stats: .json(200, ["messages": .integer(0), "messages_rate": .double(0)])
    case .version where provider != nil:
      .json(
        200,
        [
          "version": .string("2.17.0"), "commit": .string("deskbell"), "date": .string("2026-01-01T00:00:00Z"),
        ])
    default: nil
    }
  }

  /// Returns an account. The counts that clients expect are 0; the handset's own are in `deskbell state`.
  private static func account(name: String, role: String) -> [String: JSONValue] {
    let counts = [
      "messages", "messages_remaining", "emails", "emails_remaining", "calls", "calls_remaining", "reservations",
      "reservations_remaining", "attachment_total_size", "attachment_total_size_remaining",
    ]
    let stats = Dictionary(uniqueKeysWithValues: counts.map { ($0, JSONValue.integer(0)) })
    return ["username": .string(name), "role": .string(role), "stats": .object(stats)]
  }
}

/// The request `POST /v1/account/token`: Home Assistant creates its own token with a name and a password. A key has no
/// further tokens, so the answer is the key itself, which ends with the topic.
struct TokenRequest: HTTPExchange {
  let key: String
  let client: Client
  let frontEnd: NtfyFrontEnd

  private enum Key: String, CaseIterable { case label }
  private static let names = JSONNames<Key>()

  var bodyLimit: Int { client.port.limits.payloadBytes }

  func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (HTTPResponse) -> Void) {
    let now = client.port.clock.handset().microseconds / 1_000_000
    var token: [String: JSONValue] = [
      "token": .string(key), "last_access": .integer(now), "last_origin": .string(client.ipAddress),
    ]
    let label = try? JSONObject.read(body, depth: 4) { object in
      object.members(TokenRequest.names).known[.label]?.string
    }
    if let label = label ?? nil {
      token["label"] = .string(label.prefix(bytes: client.port.limits.messageTitleBytes))
    }
    respond(.json(200, token))
  }

  func refuse(_ error: HTTPError) -> HTTPResponse { frontEnd.refuse(error, from: client) }
}
