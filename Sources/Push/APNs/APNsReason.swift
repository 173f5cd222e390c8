/// Apple's reasons for refusals, each with its one status [APNs, "Handling notification responses from APNs"]. Reasons
/// that cannot occur here are left out.
enum APNsReason: String, Sendable, CaseIterable {
  case badChannelID = "BadChannelId"
  case badCertificate = "BadCertificate"
  case badCertificateEnvironment = "BadCertificateEnvironment"
  case badCollapseID = "BadCollapseId"
  case badDeviceToken = "BadDeviceToken"
  case badEnvironmentKeyID = "BadEnvironmentKeyIdInToken"
  case badExpirationDate = "BadExpirationDate"
  case badMessageID = "BadMessageId"
  case badPath = "BadPath"
  case badPriority = "BadPriority"
  case badRequestParams = "BadRequestParams"
  case badRequestPayload = "BadRequestPayload"
  case badTopic = "BadTopic"
  case cannotCreateChannel = "CannotCreateChannelConfig"
  case channelNotRegistered = "ChannelNotRegistered"
  /// With a blank, as Apple documents it for channels and broadcasts.
  case channelsUnavailable = "Service Unavailable"
  case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
  case duplicateHeaders = "DuplicateHeaders"
  case expiredDeviceToken = "ExpiredToken"
  case expiredProviderToken = "ExpiredProviderToken"
  case featureNotEnabled = "FeatureNotEnabled"
  case forbidden = "Forbidden"
  /// Deskbell's own; Apple's service resets the stream.
  case headersTooLarge = "RequestHeaderFieldsTooLarge"
  case internalServerError = "InternalServerError"
  case invalidProviderToken = "InvalidProviderToken"
  case invalidPushType = "InvalidPushType"
  case methodNotAllowed = "MethodNotAllowed"
  case missingChannelID = "MissingChannelId"
  case missingDeviceToken = "MissingDeviceToken"
  case missingProviderToken = "MissingProviderToken"
  case missingPushType = "MissingPushType"
  case missingTopic = "MissingTopic"
  case payloadEmpty = "PayloadEmpty"
  case payloadTooLarge = "PayloadTooLarge"
  case serviceUnavailable = "ServiceUnavailable"
  case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
  case tooManyRequests = "TooManyRequests"
  case topicDisallowed = "TopicDisallowed"
  case topicMismatch = "TopicMismatch"
  case unregistered = "Unregistered"
  case unrelatedKeyID = "UnrelatedKeyIdInToken"

  var status: Int {
    switch self {
    case .badChannelID, .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority,
      .badRequestParams, .badRequestPayload, .badTopic, .cannotCreateChannel, .channelNotRegistered,
      .deviceTokenNotForTopic, .duplicateHeaders, .featureNotEnabled, .invalidPushType, .missingChannelID,
      .missingDeviceToken, .missingPushType, .missingTopic, .payloadEmpty, .topicDisallowed:
      400
    case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyID, .expiredProviderToken, .forbidden,
      .invalidProviderToken, .missingProviderToken, .topicMismatch, .unrelatedKeyID:
      403
    case .badPath: 404
    case .methodNotAllowed: 405
    case .expiredDeviceToken, .unregistered: 410
    case .payloadTooLarge: 413
    case .tooManyProviderTokenUpdates, .tooManyRequests: 429
    case .headersTooLarge: 431
    case .internalServerError: 500
    case .channelsUnavailable, .serviceUnavailable: 503
    }
  }

  /// True if the sender did not authenticate, or is no longer a provider. A sender that needs another key, environment
  /// or newer token has authenticated.
  var isFailedAuthentication: Bool {
    switch self {
    case .badCertificate, .forbidden, .invalidProviderToken, .missingProviderToken: true
    default: false
    }
  }
}

/// A reason, and the details for correcting the request. Quotes headers; never a token or a key.
struct APNsRefusal: Error, Hashable {
  var reason: APNsReason
  var detail: String

  init(_ reason: APNsReason, _ detail: String) {
    self.reason = reason
    self.detail = detail
  }

  static func invalid(_ detail: String) -> APNsRefusal { APNsRefusal(.invalidProviderToken, detail) }

  static func payloadTooLarge(_ limit: Int) -> APNsRefusal {
    APNsRefusal(.payloadTooLarge, "the body is longer than \(grouped(Int64(limit))) bytes")
  }
}
