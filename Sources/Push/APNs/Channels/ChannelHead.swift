import HTTP
import HandsetCore

/// The head of a request that manages channels or broadcasts on one: its fields as sent, and their check.
struct ChannelHead {
  /// What is asked, before the body is read.
  enum Call: Hashable {
    case create, list
    case read(ChannelID)
    case delete(ChannelID)
    case publish(ChannelID, priority: Int, Expiration)
  }

  /// The fields of this API, none of which may be sent twice.
  private enum Field: String, CaseIterable {
    case authorization
    case requestID = "apns-request-id"
    case channelID = "apns-channel-id"
    case pushType = "apns-push-type"
    case priority = "apns-priority"
    case expiration = "apns-expiration"
  }

  private let head: RequestHead
  private let madeID = PushID.random()

  init(_ head: RequestHead) { self.head = head }

  private subscript(field: Field) -> String? { head.headers[field.rawValue] }

  /// The `apns-request-id` of the answer: exactly as it was sent, else the generated one.
  var echoedID: String { self[.requestID] ?? madeID.description }

  var hasID: Bool { self[.requestID] != nil }

  /// The identifier in events; nil if the one that was sent is malformed.
  var id: PushID? { self[.requestID].map { PushID($0) } ?? madeID }

  /// Checks the request, in the order of the lines below. Apple documents no order; a test fixes ours.
  ///
  /// - Parameters:
  ///   - publishes: false at a port for the management of channels alone.
  ///   - authenticate: finds the provider, by the `authorization` header or by the connection's certificate.
  func check(
    limits: PortLimits, publishes: Bool, authenticate: (ArraySlice<UInt8>?) throws(APNsRefusal) -> Provider
  ) throws(APNsRefusal) -> (app: AppID, call: Call) {
    guard head.bytes <= limits.headerListBytes else {
      throw APNsRefusal(.headersTooLarge, "\(head.bytes) bytes of headers; at most \(limits.headerListBytes)")
    }
    if let text = self[.requestID], PushID(text) == nil {
      throw APNsRefusal(.badMessageID, "apns-request-id \(quoted(text)); a UUID has the form 8-4-4-4-12")
    }
    guard let (app, form) = place, publishes || form != .broadcasts else { throw badPath }
    try checkMethod(form)
    for field in Field.allCases where head.headers.values(of: field.rawValue).count > 1 {
      throw APNsRefusal(.duplicateHeaders, "\(field.rawValue) came more than once")
    }
    let provider = try authenticate(self[.authorization].map { ArraySlice(Array($0.utf8)) })
    try ChannelHead.check(app, of: provider)
    let call: Call
    switch (form, head.method) {
    case (.allChannels, _): call = .list
    case (.channels, "POST"): call = .create
    case (.channels, "GET"): call = .read(try channel())
    case (.channels, _): call = .delete(try channel())
    case (.broadcasts, _): call = try publication()
    }
    if let length = head.headers["content-length"].flatMap({ Int($0) }), length > limits.channelBodyBytes {
      throw .payloadTooLarge(limits.channelBodyBytes)
    }
    return (app, call)
  }

  func record(of refusal: APNsRefusal) -> RefusedPush {
    RefusedPush(
      id: id, topic: place?.app, status: refusal.reason.status, reason: refusal.reason.rawValue,
      detail: refusal.detail)
  }

  // MARK: The path

  private enum Form {
    /// `/1/apps/BUNDLE/channels`
    case channels
    /// `/1/apps/BUNDLE/all-channels`
    case allChannels
    /// `/4/broadcasts/apps/BUNDLE`
    case broadcasts
  }

  /// Returns true if a path belongs to the management of channels.
  static func isManagement(_ path: String) -> Bool { path.utf8.starts(with: "/1/apps/".utf8) }

  static func isBroadcast(_ path: UnsafeRawBufferPointer) -> Bool {
    UnsafeRawBufferPointer(rebasing: path.prefix(14)).hasBytes(of: "/4/broadcasts/")
  }

  /// The app and the form of the path; nil if it is another path.
  private var place: (app: AppID, form: Form)? {
    let parts = head.path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].isEmpty else { return nil }
    if parts[1] == "4", parts[2] == "broadcasts", parts[3] == "apps" {
      return AppID(parts[4]).map { ($0, .broadcasts) }
    }
    guard parts[1] == "1", parts[2] == "apps", let app = AppID(parts[3]) else { return nil }
    switch parts[4] {
    case "channels": return (app, .channels)
    case "all-channels": return (app, .allChannels)
    default: return nil
    }
  }

  private var badPath: APNsRefusal {
    APNsRefusal(
      .badPath,
      "path \(quotedPath(head.path)); channels are at /1/apps/BUNDLE/channels and /1/apps/BUNDLE/all-channels, with the "
        + "channel in apns-channel-id; broadcasts go to /4/broadcasts/apps/BUNDLE at the port for pushes")
  }

  private func checkMethod(_ form: Form) throws(APNsRefusal) {
    let allowed =
      switch form {
      case .channels: ["POST", "GET", "DELETE"]
      case .allChannels: ["GET"]
      case .broadcasts: ["POST"]
      }
    guard allowed.contains(head.method) else {
      throw APNsRefusal(
        .methodNotAllowed, "method \(quoted(head.method)); there is \(allowed.joined(separator: ", "))")
    }
  }

  // MARK: Fields

  /// Checks that a provider may use the app's channels. A topic with the suffix of a push type is no app.
  private static func check(_ app: AppID, of provider: Provider) throws(APNsRefusal) {
    if provider.topics.contains(app), provider.mayName(app.text) { return }
    if let topic = PushType.app(ofTopic: app.text), let type = topic.type {
      throw APNsRefusal(
        .topicDisallowed,
        "\(app) is a topic of \(type.rawValue) pushes; the path has the bundle identifier \(topic.app)")
    }
    guard provider.isForAnyApp else {
      throw APNsRefusal(
        .topicMismatch,
        "provider '\(provider.name)' may not push to \(app); its apps: "
          + provider.topics.map(\.text).sorted().prefix(8).joined(separator: ", "))
    }
  }

  private func channel() throws(APNsRefusal) -> ChannelID {
    guard let text = self[.channelID], !text.isEmpty else {
      throw APNsRefusal(.missingChannelID, "no apns-channel-id header; the answer to the channel's creation has it")
    }
    guard let channel = ChannelID(text) else {
      throw APNsRefusal(
        .badChannelID, "apns-channel-id \(quoted(text)) is not 1 to \(Policy.channelIDLimit) digits of Base64")
    }
    return channel
  }

  private func publication() throws(APNsRefusal) -> Call {
    let channel = try channel()
    guard let type = self[.pushType] else {
      throw APNsRefusal(.missingPushType, "no apns-push-type header; a broadcast has liveactivity")
    }
    guard type == PushType.liveactivity.rawValue else {
      throw APNsRefusal(.invalidPushType, "apns-push-type \(quoted(type)); a broadcast has liveactivity")
    }
    guard let time = self[.expiration] else {
      throw APNsRefusal(.badExpirationDate, "no apns-expiration header; 0 is a broadcast that is not stored")
    }
    let expiration = try APNsPushHead.expiration(time)
    guard let text = self[.priority], let priority = try APNsPushHead.priority(text) else {
      throw APNsRefusal(.badPriority, "no apns-priority header; a broadcast has 10, 5 or 1")
    }
    return .publish(channel, priority: priority, expiration)
  }
}
