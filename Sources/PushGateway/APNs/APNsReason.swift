// Apple's reasons for refusals, each with its one status [APNs, "Handling notification responses from APNs"]. Reasons that
// cannot occur here are left out.

import HandsetCore

/// Why a push was refused.
enum APNsReason: String, Sendable, CaseIterable {
  case badCertificate = "BadCertificate"
  case badCertificateEnvironment = "BadCertificateEnvironment"
  case badCollapseID = "BadCollapseId"
  case badDeviceToken = "BadDeviceToken"
  case badEnvironmentKeyID = "BadEnvironmentKeyIdInToken"
  case badExpirationDate = "BadExpirationDate"
  case badMessageID = "BadMessageId"
  case badPath = "BadPath"
  case badPriority = "BadPriority"
  case badTopic = "BadTopic"
  case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
  case duplicateHeaders = "DuplicateHeaders"
  case expiredDeviceToken = "ExpiredToken"
  case expiredProviderToken = "ExpiredProviderToken"
  case forbidden = "Forbidden"
  /// Ours; Apple's service resets the stream.
  case headersTooLarge = "RequestHeaderFieldsTooLarge"
  case internalServerError = "InternalServerError"
  case invalidProviderToken = "InvalidProviderToken"
  case invalidPushType = "InvalidPushType"
  case methodNotAllowed = "MethodNotAllowed"
  case missingDeviceToken = "MissingDeviceToken"
  case missingProviderToken = "MissingProviderToken"
  case missingTopic = "MissingTopic"
  case payloadEmpty = "PayloadEmpty"
  case payloadTooLarge = "PayloadTooLarge"
  case serviceUnavailable = "ServiceUnavailable"
  case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
  case tooManyRequests = "TooManyRequests"
  case topicDisallowed = "TopicDisallowed"
  case unregistered = "Unregistered"
  case unrelatedKeyID = "UnrelatedKeyIdInToken"

  /// The HTTP status that is answered with it.
  var status: Int {
    switch self {
    case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
      .deviceTokenNotForTopic, .duplicateHeaders, .invalidPushType, .missingDeviceToken, .missingTopic, .payloadEmpty,
      .topicDisallowed:
      400
    case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyID, .expiredProviderToken, .forbidden,
      .invalidProviderToken, .missingProviderToken, .unrelatedKeyID:
      403
    case .badPath: 404
    case .methodNotAllowed: 405
    case .expiredDeviceToken, .unregistered: 410
    case .payloadTooLarge: 413
    case .tooManyProviderTokenUpdates, .tooManyRequests: 429
    case .headersTooLarge: 431
    case .internalServerError: 500
    case .serviceUnavailable: 503
    }
  }
}

extension APNsReason {
  /// Whether the sender did not authenticate, or is no provider any more. A sender that needs another key, environment or
  /// newer token has authenticated.
  fileprivate var isFailedAuthentication: Bool {
    switch self {
    case .badCertificate, .forbidden, .invalidProviderToken, .missingProviderToken: true
    default: false
    }
  }
}

/// A reason, and what a person needs to know to correct the request. Quotes headers; never a token or a key.
struct APNsRefusal: Error, Hashable {
  var reason: APNsReason
  var detail: String

  init(_ reason: APNsReason, _ detail: String) {
    self.reason = reason
    self.detail = detail
  }
}

/// The answer to the provider.
struct APNsAnswer: Hashable, Sendable {
  var status: Int
  /// Nil with status 200, whose body is empty.
  var body: String?
  /// When to try again, for the field Retry-After.
  var retryAfterSeconds: Int?
  /// Whether the sender did not authenticate. An expired token does not count as that.
  var isFailedAuthentication = false

  static let accepted = APNsAnswer(status: 200, body: nil)

  init(status: Int, body: String?) {
    self.status = status
    self.body = body
  }

  init(_ reason: APNsReason) {
    self.init(status: reason.status, body: "{\"reason\":\"\(reason.rawValue)\"}")
    if reason == .tooManyRequests || reason == .serviceUnavailable { retryAfterSeconds = 1 }
    isFailedAuthentication = reason.isFailedAuthentication
  }

  init(_ outcome: Input.Outcome) {
    switch outcome {
    case .stored(.accepted): self = .accepted
    case .failed: self.init(APNsReason.serviceUnavailable)
    case .stored(.refused(.badDeviceToken)): self.init(APNsReason.badDeviceToken)
    case .stored(.refused(.deviceTokenNotForTopic)): self.init(APNsReason.deviceTokenNotForTopic)
    case .stored(.refused(.expiredToken(let since))): self.init(APNsReason.expiredDeviceToken, since: since)
    case .stored(.refused(.unregistered(let since))): self.init(APNsReason.unregistered, since: since)
    // A push has no other refusal. If it had one, the fault would be ours, and the provider should keep its token.
    case .stored(.refused): self.init(APNsReason.internalServerError)
    }
  }

  /// With the time since when the token is good for nothing, in ms.
  private init(_ reason: APNsReason, since: WallTime) {
    let milliseconds = since.microseconds / 1_000
    self.init(status: reason.status, body: "{\"reason\":\"\(reason.rawValue)\",\"timestamp\":\(milliseconds)}")
  }
}
