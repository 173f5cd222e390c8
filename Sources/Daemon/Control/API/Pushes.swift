// The outcome of one push, with the rules that decided it; and test pushes, which the daemon sends to its own port.

import HTTP
import HandsetCore

/// The pushes to one handset.
public protocol PushesBackend: Sendable {
  /// Explains why the newest push with that identifier rang, or did not; nil if the journal has no event of it.
  func explanation(of push: PushID) async throws(ControlError) -> ExplanationReport?

  /// Sends a push to the daemon's own port, as any provider does, or only describes it.
  /// - Throws: `ControlError` if there was no answer; a push that is refused has one.
  func sendTestPush(_ request: TestPushRequest) async throws(ControlError) -> TestPushReport
}

/// A push that the daemon sends to its own port. Absent fields are left out of it.
public struct TestPushRequest: RequestBody, Sendable {
  public static let protocols = ["apns", "2008"]

  public var app: String
  /// `apns` or `2008`.
  public var via = "apns"
  public var title: String?
  public var subtitle: String?
  public var body: String?
  public var badge: Int?
  public var sound: String?
  /// `passive`, `active`, `time-sensitive` or `critical`.
  public var level: String?
  /// True for a background update.
  public var background: Bool?
  public var threadID: String?
  public var collapseID: String?
  /// The payload as JSON text, in place of all fields that make up one.
  public var payload: String?
  /// For the 2008 service: true if the alert has an action button.
  public var showsOpenButton: Bool?
  /// For the 2008 service: the password of the app's provider, if it has one.
  public var password: String?
  /// False only describes the push. Absent is true.
  public var send: Bool?

  enum CodingKeys: CodingKey, CaseIterable {
    case app, via, title, subtitle, body, badge, sound, level, background, threadID, collapseID, payload
    case showsOpenButton, password, send
  }

  /// The error if a field does not exist in the protocol, or the push is empty.
  var fault: ControlError? {
    let words = [title, subtitle, level, threadID, collapseID, payload].contains { $0 != nil } || background == true
    if via == "2008" && words {
      return ControlError(
        400, "the 2008 service knows no title, level, thread, collapse identifier or background update",
        hint: "it has a message, a badge and a sound")
    }
    let hasParts =
      [title, subtitle, body, sound, level, threadID].contains { $0 != nil } || badge != nil || background == true
    if payload != nil && hasParts {
      return ControlError(400, "the payload says it all", hint: "leave out what would go into it, or the payload")
    }
    if payload == nil && title == nil && body == nil && badge == nil && sound == nil && background != true {
      return ControlError(400, "there is nothing in this push", hint: "give a message, a badge or a sound")
    }
    return nil
  }
}

/// The result of a test push.
public struct TestPushReport: Codable, Sendable, Equatable {
  /// The same push as a command line; `ca.pem` is the output of `deskbell ca`.
  public var curl: String
  /// The HTTP status; absent if it was not sent.
  public var status: Int?
  /// Its `apns-id`, for an explanation.
  public var push: String?
  /// The reason for its refusal.
  public var reason: String?

  public init(curl: String, status: Int? = nil, push: String? = nil, reason: String? = nil) {
    self.curl = curl
    self.status = status
    self.push = push
    self.reason = reason
  }
}

enum PushesResource {
  static let routes = [
    HandsetRoute("GET", "/pushes/{id}/explanation") { handset, request in
      let text = try request.parameter("id")
      guard let push = PushID(text) else {
        throw ControlError(
          400, "'\(shown(text))' is no identifier of a push",
          hint: "it is a UUID, the apns-id of the answer: 8C072DB2-12F5-4B70-B99F-73F50AC5525B")
      }
      guard let report = try await handset.pushes.explanation(of: push) else {
        throw ControlError(
          404, "the journal has nothing of push \(push)",
          hint: "it keeps \(Policy.eventLimit) events, and the newest \(Policy.refusedEventLimit) refusals; "
            + "deskbell events lists them with their pushes")
      }
      return try .json(report)
    },
    // Sent over the network, like a provider's. A refused push is answered with 200: the report has the refusal.
    HandsetRoute("POST", "/pushes") { handset, request in
      let push: TestPushRequest = try request.body()
      _ = try await handset.report(of: handset.appID(push.app))
      guard TestPushRequest.protocols.contains(push.via) else {
        throw ControlError.unknown("protocol", push.via, among: TestPushRequest.protocols)
      }
      if let fault = push.fault { throw fault }
      return try .json(await handset.pushes.sendTestPush(push))
    },
  ]
}
