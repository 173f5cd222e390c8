/// A rule of the linter: a practice that Apple's service may accept, and that a careful provider avoids.
///
/// Codes have three digits, so that no rule of the handset (docs/handset.md) has the same one. The first digit is the
/// part of the request: 1 its head, 2 its payload, 3 its connection, 4 its provider token, 5 a retry.
public struct LintRule: Sendable, Hashable {
  /// `L101`; stable.
  public let code: String
  /// `no-push-type`; stable.
  public let name: String
  /// The fault, as a sentence.
  public let fault: String
  /// The way to mend it, as a sentence.
  public let remedy: String
  public let source: LintSource

  private init(_ code: String, _ name: String, _ source: LintSource, _ fault: String, mend remedy: String) {
    (self.code, self.name, self.source, self.fault, self.remedy) = (code, name, source, fault, remedy)
  }

  /// All rules, by their codes.
  public static let all = ofHead + ofPayload + ofConnections + ofProviderTokens + ofRetries
}

/// The document that a rule follows.
public enum LintSource: String, Sendable, Hashable, CaseIterable {
  case sending = "Sending notification requests to APNs"
  case responses = "Handling notification responses from APNs"
  case payload = "Generating a remote notification"
  case background = "Pushing background updates to your App"
  case modifying = "Modifying content in newly delivered notifications"
  case token = "Establishing a token-based connection to APNs"
  case archive = "Communicating with APNs"
  case semantics = "RFC 9110, HTTP Semantics"
  case http2 = "RFC 9113, HTTP/2"
  /// No document demands it: the rule is Deskbell's own advice.
  case advice = "advice"

  /// The source as text: `Apple: Generating a remote notification`.
  public var text: String {
    switch self {
    case .sending, .responses, .payload, .background, .modifying, .token: "Apple: \(rawValue)"
    case .archive: "Apple, archive: \(rawValue)"
    case .semantics, .http2: rawValue
    case .advice: "Deskbell's advice"
    }
  }

  /// The address of the document; nil for advice.
  public var address: String? {
    let pages = "https://developer.apple.com/documentation/usernotifications/"
    return switch self {
    case .sending: pages + "sending-notification-requests-to-apns"
    case .responses: pages + "handling-notification-responses-from-apns"
    case .payload: pages + "generating-a-remote-notification"
    case .background: pages + "pushing-background-updates-to-your-app"
    case .modifying: pages + "modifying-content-in-newly-delivered-notifications"
    case .token: pages + "establishing-a-token-based-connection-to-apns"
    case .archive:
      "https://developer.apple.com/library/archive/documentation/NetworkingInternet/Conceptual/RemoteNotificationsPG/"
        + "CommunicatingwithAPNs.html"
    case .semantics: "https://www.rfc-editor.org/rfc/rfc9110"
    case .http2: "https://www.rfc-editor.org/rfc/rfc9113"
    case .advice: nil
    }
  }
}

// MARK: - The head of a request

extension LintRule {
  static let noPushType = LintRule(
    "L101", "no-push-type", .sending, "The request has no apns-push-type.",
    mend: "Send apns-push-type with each push; on watchOS it is required.")
  static let alertWithoutContent = LintRule(
    "L102", "alert-without-content", .sending, "An alert push shows nothing: it has no alert, badge or sound.",
    mend: "Send it as background with priority 5, or add what the person should see.")
  static let backgroundWithContent = LintRule(
    "L103", "background-with-content", .background, "A background push has an alert, a badge or a sound.",
    mend: "Send it as alert, or leave them out.")
  static let backgroundWithoutFlag = LintRule(
    "L104", "background-without-content-available", .background, "A background push has no content-available.",
    mend: "Set content-available to 1 in aps.")
  static let backgroundPriority = LintRule(
    "L105", "background-priority", .sending, "A background push has another priority than 5; without one it has 10.",
    mend: "Send apns-priority 5.")
  static let noPriority = LintRule(
    "L106", "no-priority", .advice, "The request has no apns-priority, so it has 10.",
    mend: "Choose: 10 if the person should see it at once, otherwise 5.")
  static let topicSuffix = LintRule(
    "L107", "topic-suffix", .sending, "The topic lacks the suffix of the push type.",
    mend: "Append the suffix to the bundle identifier, such as .voip.")
  static let noExpiration = LintRule(
    "L108", "no-expiration", .advice, "The request has no apns-expiration, so the service decides how long it is kept.",
    mend: "Send the time at which the push becomes useless, or 0 to try once.")
  static let expired = LintRule(
    "L109", "expired-already", .sending, "The expiration was over when the push was sent.",
    mend: "Send a time that is still to come, or 0 to try once; check the provider's clock.")
  static let milliseconds = LintRule(
    "L110", "expiration-in-milliseconds", .sending, "The expiration is in milliseconds: as seconds it is after 5138.",
    mend: "Divide it by 1,000.")
  static let noUUID = LintRule(
    "L111", "id-not-uuid", .sending, "The apns-id is not a UUID.",
    mend: "Send 32 hexadecimal digits as 8-4-4-4-12.")
  static let upperCaseUUID = LintRule(
    "L112", "id-upper-case", .sending, "The apns-id has upper-case digits; a canonical UUID has lower-case ones.",
    mend: "Send it in lower case, and compare answers without regard to case.")
  static let noID = LintRule(
    "L113", "no-id", .sending, "The request has no apns-id, so a retry cannot be recognized.",
    mend: "Make a UUID for each notification, and keep it for its retries.")
  static let reusedID = LintRule(
    "L114", "id-used-twice", .sending, "The apns-id is that of another push.",
    mend: "Make a new UUID for each notification and device.")
  static let longCollapseID = LintRule(
    "L115", "collapse-id-too-long", .sending, "The apns-collapse-id is longer than 64 bytes.",
    mend: "Shorten it, or send a digest of it.")
  static let collapseIDNotText = LintRule(
    "L116", "collapse-id-not-text", .semantics, "The apns-collapse-id has characters other than visible ASCII (5.5).",
    mend: "Encode it, such as in Base64 or hexadecimal digits.")
  static let uselessCollapseID = LintRule(
    "L117", "collapse-id-of-one-push", .advice, "The apns-collapse-id is the push's own apns-id: it merges nothing.",
    mend: "Name what the notifications are about, such as a conversation, or leave it out.")
  static let noBearer = LintRule(
    "L118", "no-bearer", .sending, "The authorization does not begin with 'bearer'.",
    mend: "Send 'bearer', a space and the provider token.")
  static let malformedRequest = LintRule(
    "L119", "malformed-request", .http2, "The request was reset: HTTP/2 does not allow its header fields (8.1.1).",
    mend: "Send names in lower case, values without blanks at their ends, and no fields of a connection.")
  static let tokenNotHexadecimal = LintRule(
    "L120", "token-not-hexadecimal", .sending, "The device token has characters other than hexadecimal digits.",
    mend: "Send the token's bytes as hexadecimal digits, without blanks and brackets.")
  static let upperCaseToken = LintRule(
    "L121", "token-upper-case", .advice, "The device token has upper-case digits.",
    mend: "Store and send it in lower case, so that one token is one row.")
  static let unknownField = LintRule(
    "L122", "unknown-field", .sending, "A field begins with apns- and is none of APNs.",
    mend: "Correct its name, or leave it out.")

  private static let ofHead = [
    noPushType, alertWithoutContent, backgroundWithContent, backgroundWithoutFlag, backgroundPriority, noPriority,
    topicSuffix, noExpiration, expired, milliseconds, noUUID, upperCaseUUID, noID, reusedID, longCollapseID,
    collapseIDNotText, uselessCollapseID, noBearer, malformedRequest, tokenNotHexadecimal, upperCaseToken, unknownField,
  ]
}

// MARK: - The payload

extension LintRule {
  static let nearLimit = LintRule(
    "L201", "payload-near-limit", .advice, "The payload has 95 % or more of the size that Apple allows.",
    mend: "Shorten the texts before the next longer one is refused, and let the app fetch the rest.")
  static let noAPS = LintRule(
    "L202", "no-aps", .payload, "The payload has no aps.", mend: "Put the keys of APNs into an object aps.")
  static let unknownAPSKey = LintRule(
    "L203", "unknown-aps-key", .payload, "A key in aps is none of APNs: it is ignored.",
    mend: "Correct its name, or move a key of your own beside aps.")
  static let unknownAlertKey = LintRule(
    "L204", "unknown-alert-key", .payload, "A key in alert is none of APNs: it is ignored.",
    mend: "Correct its name, or move a key of your own beside aps.")
  static let wrongForm = LintRule(
    "L205", "wrong-type", .payload, "The value of a key has another type than the one that Apple documents.",
    mend: "Send the documented type, such as a number for badge.")
  static let flagNotOne = LintRule(
    "L206", "flag-not-1", .payload, "content-available, mutable-content or critical is not the number 1.",
    mend: "Send 1, or leave the key out.")
  static let badBadge = LintRule(
    "L207", "bad-badge", .advice, "The badge is negative or has a fraction.",
    mend: "Send a whole number; 0 removes the badge.")
  static let argumentsWithoutKey = LintRule(
    "L208", "arguments-without-key", .payload, "The alert has arguments without the text's key: they are ignored.",
    mend: "Add loc-key, title-loc-key or subtitle-loc-key.")
  static let soundWithoutExtension = LintRule(
    "L209", "sound-without-extension", .advice, "The sound has no extension, so it may be no file's name.",
    mend: "Send the whole name of the file, such as parcel.caf, or default.")
  static let unknownLevel = LintRule(
    "L210", "unknown-interruption-level", .payload, "The interruption-level is none of Apple's.",
    mend: "Send passive, active, time-sensitive or critical.")
  static let relevance = LintRule(
    "L211", "relevance-out-of-range", .payload, "The relevance-score, or the volume of a sound, is not 0 to 1.",
    mend: "Send a number from 0 to 1.")
  static let emptyMember = LintRule(
    "L212", "empty-member", .advice, "The payload has a key without a name, or an empty value in aps.",
    mend: "Leave out what is empty.")
  static let mutableWithoutAlert = LintRule(
    "L213", "mutable-without-alert", .modifying, "mutable-content is set, and the alert has neither title nor body.",
    mend: "Add a title, a subtitle or a body: without one the extension does not run.")

  private static let ofPayload = [
    nearLimit, noAPS, unknownAPSKey, unknownAlertKey, wrongForm, flagNotOne, badBadge, argumentsWithoutKey,
    soundWithoutExtension, unknownLevel, relevance, emptyMember, mutableWithoutAlert,
  ]
}

// MARK: - Connections, provider tokens, retries

extension LintRule {
  static let connectionPerPush = LintRule(
    "L301", "connection-per-push", .archive, "Pushes came one after the other, each over a connection of its own.",
    mend: "Keep the connection open, and send the next push over it.")
  static let manyConnections = LintRule(
    "L302", "many-connections", .advice, "10 connections or more carry fewer than 10 pushes each in a minute.",
    mend: "Send many pushes at a time over few connections.")

  private static let ofConnections = [connectionPerPush, manyConnections]

  static let tokenPerPush = LintRule(
    "L401", "provider-token-per-push", .archive, "Each push has a new provider token.",
    mend: "Sign one, keep it for 20 to 60 minutes, and share it among all workers.")
  static let tokenTooSoon = LintRule(
    "L402", "provider-token-too-soon", .token, "The provider token was renewed within 20 minutes.",
    mend: "Renew it every 20 to 60 minutes, and share it among all workers.")
  static let tokenAgeing = LintRule(
    "L403", "provider-token-ageing", .advice, "The provider token has been in use for more than 50 minutes.",
    mend: "Renew it some minutes before it is an hour old, as clocks differ.")
  static let tokenTooOld = LintRule(
    "L404", "provider-token-too-old", .token, "The provider token has been in use for more than 60 minutes.",
    mend: "Renew it every 20 to 60 minutes.")
  static let refusedTokenAgain = LintRule(
    "L405", "refused-provider-token-again", .responses, "The provider token was used again after it was refused.",
    mend: "Sign a new one after ExpiredProviderToken; stop after InvalidProviderToken, and check key and team.")

  private static let ofProviderTokens = [tokenPerPush, tokenTooSoon, tokenAgeing, tokenTooOld, refusedTokenAgain]

  static let permanentAgain = LintRule(
    "L501", "refused-push-again", .responses, "The same push was sent again after it was refused for good.",
    mend: "Correct the fault that the reason names before you send it again.")
  static let deadTokenAgain = LintRule(
    "L502", "dead-token-again", .responses, "The device token was used again after it was refused for good.",
    mend: "Delete the token when the answer comes, unless the app registered it after the answer's timestamp.")
  static let beforeRetryAfter = LintRule(
    "L503", "before-retry-after", .semantics,
    "The push was sent again before the time that Retry-After asked for "
      + "(10.2.3).", mend: "Wait as long as Retry-After says.")
  static let soonAfterServerError = LintRule(
    "L504", "soon-after-server-error", .responses, "The push was sent again within 15 minutes of an answer 5xx.",
    mend: "Send it again after 15 minutes, later each time, unless Retry-After says otherwise.")
  static let noPause = LintRule(
    "L505", "no-pause-after-429", .responses, "The push was sent again within a second of an answer 429.",
    mend: "Wait before the next push to this device, longer each time.")
  static let otherID = LintRule(
    "L506", "retry-with-other-id", .advice, "The push was sent again with another apns-id.",
    mend: "Keep the apns-id for all retries of a notification, so that logs and answers name one push.")

  private static let ofRetries = [
    permanentAgain, deadTokenAgain, beforeRetryAfter, soonAfterServerError, noPause, otherID,
  ]
}
