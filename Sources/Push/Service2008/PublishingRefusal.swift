import HTTP
import HandsetCore

/// The refusal of a call. Never quotes a password.
struct PublishingRefusal: Error, Hashable {
  var status: Int
  /// The reason, as events show it; the talk had only statuses.
  var reason: String
  /// The reason in plain text for the author of the client.
  var detail: String
  /// The state of the connection after the answer.
  var connection: HTTPResponse.Connection
  /// The seconds after which to retry, if a retry makes sense.
  var retrySeconds: Int64

  init(
    _ status: Int, _ reason: String, _ detail: String, connection: HTTPResponse.Connection = .keep,
    retrySeconds: Int64 = 1
  ) {
    (self.status, self.reason, self.detail) = (status, reason, detail)
    (self.connection, self.retrySeconds) = (connection, retrySeconds)
  }

  var response: HTTPResponse {
    var response = HTTPResponse.plainText(status, detail)
    response.connection = connection
    switch status {
    case 401: response.headers["WWW-Authenticate"] = #"Basic realm="Deskbell", charset="UTF-8""#
    case 405: response.headers["Allow"] = "GET, HEAD, POST, PUT"
    case 429, 503: response.headers["Retry-After"] = "\(retrySeconds)"
    default: break
    }
    return response
  }

  static func bad(_ detail: String) -> PublishingRefusal { PublishingRefusal(400, "BadPropertyList", detail) }

  static func notPropertyList(_ detail: String) -> PublishingRefusal {
    PublishingRefusal(415, "NotPropertyList", detail)
  }

  static func unknownNode(_ name: String) -> PublishingRefusal {
    PublishingRefusal(404, "UnknownNode", "there is no node \(quoted(name)); POST to it with ?action=create makes it")
  }

  static func gone(_ node: NodeID, since: WallTime) -> PublishingRefusal {
    PublishingRefusal(
      410, "Gone",
      "\(node.app) is uninstalled or unregistered since \(since.microseconds / 1_000_000) (seconds since 1970)")
  }

  static let tooManyRefused = PublishingRefusal(
    429, "TooManyRequests", "too many requests of this address were refused", connection: .close)

  static let unavailable = PublishingRefusal(503, "ServiceUnavailable", "it cannot be stored just now; try again")
}
