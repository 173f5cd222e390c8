import HTTP
import HandsetCore

/// The reason why a call was refused, as events show it; the talk had only statuses.
enum PublishingReason: String, CaseIterable {
  case badNodeName = "BadNodeName"
  case badPropertyList = "BadPropertyList"
  case forbidden = "Forbidden"
  case gone = "Gone"
  case headersTooLarge = "RequestHeaderFieldsTooLarge"
  case methodNotAllowed = "MethodNotAllowed"
  case notPropertyList = "NotPropertyList"
  case nothingPublished = "NothingPublished"
  case payloadTooLarge = "PayloadTooLarge"
  case serviceUnavailable = "ServiceUnavailable"
  case tooManyNodes = "TooManyNodes"
  case tooManyRequests = "TooManyRequests"
  case unauthorized = "Unauthorized"
  case unknownDevice = "UnknownDevice"
  case unknownNode = "UnknownNode"
  case unknownPublisher = "UnknownPublisher"

  var status: Int {
    switch self {
    case .badNodeName, .badPropertyList: 400
    case .unauthorized: 401
    case .forbidden, .tooManyNodes: 403
    case .nothingPublished, .unknownDevice, .unknownNode, .unknownPublisher: 404
    case .methodNotAllowed: 405
    case .gone: 410
    case .payloadTooLarge: 413
    case .notPropertyList: 415
    case .tooManyRequests: 429
    case .headersTooLarge: 431
    case .serviceUnavailable: 503
    }
  }
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
