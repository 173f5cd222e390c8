import HTTP
import HandsetCore

/// The values of a request's fields, after all have been found valid.
struct APNsPushHead: Hashable {
  var id: PushID
  /// The token; nil only for a push that reached this machine without one.
  var token: DeviceToken?
  var topic: AppID
  /// The push type; nil if the payload decides.
  var type: PushType?
  var priority: Int?
  var expiration: Expiration
  var collapseID: String?
  var payloadLimit: Int
  /// The fault that Apple's service would refuse.
  var fault: PayloadFault?
}

extension APNsPushHead {
  /// Checks `request`, in the order of the lines below. Apple does not document an order; a test fixes ours, so that
  /// the same mistake always gets the same answer.
  ///
  /// - Parameter authenticate: finds the provider, by the `authorization` header or by the connection's certificate.
  init(
    _ request: APNsRequest, now: @autoclosure () -> WallTime, limits: PortLimits,
    authenticate: (APNsRequest) throws(APNsRefusal) -> Provider
  ) throws(APNsRefusal) {
    guard APNsPushHead.isProviderAPI(request.head.path) else { throw .badPath(request.head.path) }
    guard request.head.bytes <= limits.headerListBytes else {
      throw APNsRefusal(.headersTooLarge, "\(request.head.bytes) bytes of headers; at most \(limits.headerListBytes)")
    }
    id = try APNsPushHead.id(request[.id]) ?? request.madeID
    guard request.head.method == "POST" else {
      throw APNsRefusal(.methodNotAllowed, "method \(quoted(request.head.method)); a push is a POST")
    }
    token = try APNsPushHead.token(request.head.path)
    if let field = request.duplicate {
      throw APNsRefusal(.duplicateHeaders, "\(field.name) came more than once")
    }
    let provider = try authenticate(request)
    let typeText = request[.pushType]
    let given = typeText.flatMap(PushType.init(rawValue:))
    if let bytes = request.bytes(.topic), let app = provider.app(ofTopic: bytes) {
      (topic, type) = (app, given)
    } else {
      let named = try APNsPushHead.topic(request[.topic], type: given, of: provider)
      (topic, type) = (named.app, given ?? named.type)
    }
    if given == nil, let typeText {
      let names = PushType.allCases.map(\.rawValue).joined(separator: ", ")
      throw APNsRefusal(.invalidPushType, "apns-push-type \(quoted(typeText)) is none of \(names)")
    }
    if let suffix = type?.rules.topicSuffix, let text = request[.topic], !text.hasSuffix(suffix) {
      fault = PayloadFault(
        path: "apns-topic", problem: "Apple's service wants \(topic)\(suffix) of a \(type?.rawValue ?? "") push")
    }
    if type?.rules.needsProviderToken == true, case .certificate = provider.credential {
      throw APNsRefusal(
        .missingProviderToken, "a \(type?.rawValue ?? "") push needs a provider token; a certificate may not send it")
    }
    priority = try APNsPushHead.priority(request[.priority])
    if type == .background && priority == 10 {
      throw APNsRefusal(.badPriority, "a background push has priority 5 [U3], not 10")
    }
    expiration = try APNsPushHead.expiration(request[.expiration], now: now())
    collapseID = try APNsPushHead.collapseID(request)
    payloadLimit = type?.rules.isLarge == true ? limits.voipPayloadBytes : limits.payloadBytes
    if let length = request[.contentLength].flatMap({ Int($0) }), length > payloadLimit {
      throw .payloadTooLarge(payloadLimit)
    }
  }

  /// Checks a request that repeats the fields of this accepted one, with the same list of providers: in the same order,
  /// and only what may differ.
  func repeated(
    as request: APNsRequest, path: String, now: @autoclosure () -> WallTime,
    authenticate: (APNsRequest) throws(APNsRefusal) -> Provider
  ) throws(APNsRefusal) -> APNsPushHead {
    var push = self
    if !request.has(.id) { push.id = request.madeID }
    if path != request.head.path { push.token = try APNsPushHead.token(path) }
    _ = try authenticate(request)
    if !request.has(.expiration) { push.expiration = try APNsPushHead.expiration(nil, now: now()) }
    return push
  }

  /// Returns true if a path belongs to this protocol rather than to the 2008 service.
  static func isProviderAPI(_ path: String) -> Bool {
    path.utf8.withContiguousStorageIfAvailable { path in
      let start = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(path).prefix(3))
      if start.hasBytes(of: "/3/") { return true }
      return start.hasBytes(of: "/4/") && !ChannelHead.isBroadcast(UnsafeRawBufferPointer(path))
    } ?? false
  }

  private static func id(_ text: String?) throws(APNsRefusal) -> PushID? {
    guard let text else { return nil }
    guard let id = PushID(text) else {
      throw APNsRefusal(.badMessageID, "apns-id \(quoted(text)); a UUID has the form 8-4-4-4-12")
    }
    return id
  }

  private static func token(_ path: String) throws(APNsRefusal) -> DeviceToken {
    let prefix = "/3/device/"
    let token = path.utf8.withContiguousStorageIfAvailable { path in
      UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(path).prefix(10)).hasBytes(of: "/3/device/")
        ? DeviceToken(hex: UnsafeBufferPointer(rebasing: path.dropFirst(10))) : nil
    }
    if let token = token ?? nil { return token }
    guard path.utf8.starts(with: prefix.utf8) else {
      if path == "/3/device" { throw .missingDeviceToken(path) }
      throw .badPath(path)
    }
    if path == prefix { throw .missingDeviceToken(path) }
    if path.utf8.dropFirst(prefix.utf8.count).contains(UInt8(ascii: "/")) { throw .badPath(path) }
    throw APNsRefusal(
      .badDeviceToken, "the path ends in no device token: that is 1 to 100 bytes in hexadecimal digits")
  }

  /// Finds the app that a topic names, and the type of push if only the topic has it.
  ///
  /// - Parameter given: `apns-push-type`, if it is a known type.
  private static func topic(
    _ text: String?, type given: PushType?, of provider: Provider
  ) throws(APNsRefusal) -> (app: AppID, type: PushType?) {
    guard let text = text.flatMap({ $0.isEmpty ? nil : $0 }) ?? provider.defaultTopic else {
      throw APNsRefusal(.missingTopic, "no apns-topic header; it names the app by its bundle identifier")
    }
    guard let literal = AppID(text) else {
      throw APNsRefusal(.badTopic, "apns-topic \(quoted(text)) is no bundle identifier")
    }
    if provider.mayName(text) {
      if provider.topics.contains(literal) { return (literal, nil) }
      // Some types of push append a word to the app's identifier.
      if let (app, type) = PushType.app(ofTopic: text), let type, given == nil || given == type,
        provider.mayPush(to: app)
      {
        return (app, type)
      }
      if provider.isForAnyApp { return (literal, nil) }
    }
    throw APNsRefusal(
      .topicDisallowed,
      "provider '\(provider.name)' may not push to \(literal)\(given.map { " with apns-push-type \($0.rawValue)" } ?? ""); "
        + "its apps: " + provider.topics.map(\.text).sorted().prefix(8).joined(separator: ", "))
  }

  static func priority(_ text: String?) throws(APNsRefusal) -> Int? {
    switch text {
    case nil: return nil
    case "10": return 10
    case "5": return 5
    case "1": return 1
    default: throw APNsRefusal(.badPriority, "apns-priority \(quoted(text)) is none of 10, 5, 1")
    }
  }

  private static func expiration(
    _ text: String?, now: @autoclosure () -> WallTime
  ) throws(APNsRefusal) -> Expiration {
    guard let text else { return .at(now().advanced(by: Policy.defaultExpiration)) }
    return try expiration(text)
  }

  static func expiration(_ text: String) throws(APNsRefusal) -> Expiration {
    let isNumber = !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber, let seconds = Int64(text) else {
      throw APNsRefusal(
        .badExpirationDate, "apns-expiration \(quoted(text)) is no whole number of seconds since 1970, and not 0")
    }
    return seconds == 0 ? .once : .at(WallTime(seconds: seconds))
  }

  /// Each byte of an identifier that is not UTF-8 becomes one character, so that different identifiers stay different,
  /// also from one in UTF-8: Node's http2 sends Latin-1.
  private static func collapseID(_ request: APNsRequest) throws(APNsRefusal) -> String? {
    guard let text = request[.collapseID], !text.isEmpty else { return nil }
    let bytes = request.head.foreignBytes["apns-collapse-id"]
    let count = bytes?.count ?? text.utf8.count
    guard count <= Policy.collapseIDLimit else {
      throw APNsRefusal(.badCollapseID, "apns-collapse-id has \(count) bytes; at most \(Policy.collapseIDLimit)")
    }
    return bytes?.map { $0 < 0x80 ? String(Unicode.Scalar($0)) : "\u{FFFD}\(String($0, radix: 16))" }.joined() ?? text
  }
}

extension APNsRefusal {
  fileprivate static func badPath(_ path: String) -> APNsRefusal {
    APNsRefusal(.badPath, "path \(quotedPath(path)); pushes go to /3/device/ and the device token")
  }

  fileprivate static func missingDeviceToken(_ path: String) -> APNsRefusal {
    APNsRefusal(.missingDeviceToken, "path '\(path)' has no device token; it goes behind /3/device/")
  }
}

/// Returns a request's path with its device tokens cut to their first digits: more people read events than may push.
func quotedPath(_ path: String) -> String {
  let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
    let isToken = segment.utf8.count >= 16 && segment.allSatisfy(\.isHexDigit)
    return isToken ? segment.prefix(8) + "…" : segment
  }
  return quoted(segments.joined(separator: "/"))
}

/// Some types of push append a word to the app's identifier, so that one bundle identifier makes several topics.
extension PushType {
  /// Returns the app that a topic of this type names; nil if the topic lacks the type's suffix.
  func app(ofTopic topic: String) -> AppID? {
    guard let suffix = rules.topicSuffix, topic.hasSuffix(suffix) else { return nil }
    return AppID(topic.dropLast(suffix.count))
  }

  /// Returns the app that a topic names, and the type if the topic has a suffix.
  static func app(ofTopic topic: String) -> (app: AppID, type: PushType?)? {
    for type in allCases {
      if let app = type.app(ofTopic: topic) { return (app, type) }
    }
    return AppID(topic).map { ($0, nil) }
  }
}
