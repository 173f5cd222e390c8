import HTTP
import HandsetCore

/// The reason why a call was refused, as events show it; the talk had only statuses.
struct PublishingReason: Hashable {
  let status: Int
  let text: String

  static let badNodeName = PublishingReason(status: 400, text: "BadNodeName")
  static let badPropertyList = PublishingReason(status: 400, text: "BadPropertyList")
  static let forbidden = PublishingReason(status: 403, text: "Forbidden")
  static let gone = PublishingReason(status: 410, text: "Gone")
  static let headersTooLarge = PublishingReason(status: 431, text: "RequestHeaderFieldsTooLarge")
  static let methodNotAllowed = PublishingReason(status: 405, text: "MethodNotAllowed")
  static let notPropertyList = PublishingReason(status: 415, text: "NotPropertyList")
  static let nothingPublished = PublishingReason(status: 404, text: "NothingPublished")
  static let payloadTooLarge = PublishingReason(status: 413, text: "PayloadTooLarge")
  static let serviceUnavailable = PublishingReason(status: 503, text: "ServiceUnavailable")
  static let tooManyNodes = PublishingReason(status: 403, text: "TooManyNodes")
  static let tooManyRequests = PublishingReason(status: 429, text: "TooManyRequests")
  static let unauthorized = PublishingReason(status: 401, text: "Unauthorized")
  static let unknownDevice = PublishingReason(status: 404, text: "UnknownDevice")
  static let unknownNode = PublishingReason(status: 404, text: "UnknownNode")
  static let unknownPublisher = PublishingReason(status: 404, text: "UnknownPublisher")
}

/// A status, and a reason in plain text for the author of the client. Never quotes a password.
struct PublishingRefusal: Error, Hashable {
  var reason: PublishingReason
  var detail: String
  /// The state of the connection after the answer.
  var connection: HTTPResponse.Connection
  /// The seconds after which to retry, if a retry makes sense.
  var retrySeconds: Int64

  init(
    _ reason: PublishingReason, _ detail: String, connection: HTTPResponse.Connection = .keep, retrySeconds: Int64 = 1
  ) {
    (self.reason, self.detail) = (reason, detail)
    (self.connection, self.retrySeconds) = (connection, retrySeconds)
  }

  var response: HTTPResponse {
    var response = HTTPResponse.plainText(reason.status, detail)
    response.connection = connection
    switch reason {
    case .unauthorized: response.headers["WWW-Authenticate"] = #"Basic realm="Deskbell", charset="UTF-8""#
    case .methodNotAllowed: response.headers["Allow"] = "GET, HEAD, POST, PUT"
    case .serviceUnavailable, .tooManyRequests: response.headers["Retry-After"] = "\(retrySeconds)"
    default: break
    }
    return response
  }

  static func bad(_ detail: String) -> PublishingRefusal { PublishingRefusal(.badPropertyList, detail) }

  static func unknownNode(_ name: String) -> PublishingRefusal {
    PublishingRefusal(.unknownNode, "there is no node \(quoted(name)); POST to it with ?action=create makes it")
  }

  static func gone(_ node: NodeID, since: WallTime) -> PublishingRefusal {
    PublishingRefusal(
      .gone, "\(node.app) is uninstalled or unregistered since \(since.microseconds / 1_000_000) (seconds since 1970)")
  }

  static let tooManyRefused = PublishingRefusal(
    .tooManyRequests, "too many requests of this address were refused", connection: .close)

  static let unavailable = PublishingRefusal(.serviceUnavailable, "it cannot be stored just now; try again")
}
