import HandsetCore

/// The requests of a payload to the handset. A mistake in `aps` never refuses a push, because Apple's service does not
/// check it either: the part is left out and recorded as a fault, which the author of the payload finds in the events.
/// Not copyable: a copy would count a reference for each of its texts.
struct APNsPayload: ~Copyable {
  fileprivate(set) var message: Message?
  private(set) var badge: BadgeRequest = .absent
  private(set) var sound: SoundRequest = .none
  private(set) var contentAvailable = false
  /// True if widgets or controls are to load their content again.
  private(set) var contentChanged = false
  private(set) var mutableContent = false
  private(set) var level: InterruptionLevel = .active
  private(set) var threadID: String?
  private(set) var targetContentID: String?
  private(set) var category: String?
  /// The name of a picture of the app's bundle, without extension.
  private(set) var launchImage: String?
  private(set) var relevance: Double?
  private(set) var filterCriteria: String?
  private(set) var repetition: RepeatRequest?
  private(set) var activity: ActivityUpdate?
  private var isLiveActivity = false
  private(set) var faults: [PayloadFault] = []
  /// True if the push only makes a device ask its management server.
  private(set) var isDeviceManagement = false
  private let faultLimit: Int

  /// - Throws: `PayloadEmpty` if `body` is not a JSON object, or lacks the object `aps` and a push of that type needs
  ///   one.
  init(_ body: [UInt8], type: PushType? = nil, limits: PortLimits) throws(APNsRefusal) {
    faultLimit = limits.payloadFaults
    guard !body.isEmpty else { throw APNsRefusal(.payloadEmpty, "the body is empty") }
    let refusal: APNsRefusal?
    do throws(MalformedJSON) {
      refusal = try JSONObject.read(body, depth: limits.payloadDepth) { read($0, type) }
    } catch {
      let detail = error.detail(in: body, depth: limits.payloadDepth, expected: "a JSON object with an object 'aps'")
      throw APNsRefusal(.payloadEmpty, detail)
    }
    if let refusal { throw refusal }
  }

  /// True if nothing in it reaches the person (rule U2).
  var isBackgroundUpdate: Bool {
    guard contentAvailable, message == nil, sound == .none else { return false }
    if case .number = badge { return false }
    return true
  }

  fileprivate var impliedType: PushType { isDeviceManagement ? .mdm : isBackgroundUpdate ? .background : .alert }

  private enum TopKey: String, CaseIterable {
    case aps, mdm, deskbell
  }

  private enum Key: String, CaseIterable {
    case alert, badge, category
    case contentAvailable = "content-available"
    case contentChanged = "content-changed"
    case filterCriteria = "filter-criteria"
    case interruptionLevel = "interruption-level"
    case mutableContent = "mutable-content"
    case relevanceScore = "relevance-score"
    case sound
    case targetContentID = "target-content-id"
    case threadID = "thread-id"
    /// A key that is accepted as it is, for the app: of web pushes, Live Activities and widgets.
    case forApp = "url-args"
  }

  private enum SoundKey: String, CaseIterable {
    case critical, name, volume
  }

  private enum AlertKey: String, CaseIterable {
    case title, subtitle, body
    case launchImage = "launch-image"
    case actionLocKey = "action-loc-key"
    case locKey = "loc-key"
    case locArguments = "loc-args"
    case titleLocKey = "title-loc-key"
    case titleLocArguments = "title-loc-args"
    case subtitleLocKey = "subtitle-loc-key"
    case subtitleLocArguments = "subtitle-loc-args"
    case summaryArgument = "summary-arg"
    case summaryArgumentCount = "summary-arg-count"
    case action, sound
  }

  private static let topNames = JSONNames<TopKey>()
  private static let names = JSONNames<Key>(also: [
    .forApp: [
      "attributes", "attributes-type", "content-state", "dismissal-date", "event",
      "input-push-channel", "input-push-token", "stale-date", "timestamp",
    ]
  ])
  private static let soundNames = JSONNames<SoundKey>()
  private static let alertNames = JSONNames<AlertKey>()

  private mutating func read(_ payload: JSONObject, _ type: PushType?) -> APNsRefusal? {
    let members = payload.members(APNsPayload.topNames).known
    let given = members[.aps]
    if let aps = given?.object {
      isLiveActivity = type == .liveactivity
      read(aps)
      if isLiveActivity { readActivity(aps) }
      if let own = members[.deskbell], !own.isNull { repetition = repeatRequest(in: own) }
      return nil
    }
    if given == nil, members[.mdm]?.kind == .string {
      isDeviceManagement = true
      if let type, type.rules.needsAPS {
        fault("apns-push-type", "Apple's service wants mdm of a payload for device management, not \(type.rawValue)")
      }
      return nil
    }
    guard let type, !type.rules.needsAPS else {
      return APNsRefusal(.payloadEmpty, "'aps' is \(given?.kindName ?? "absent"); expected an object")
    }
    if let given { fault("aps", "expected an object, got \(given.kindName)") }
    return nil
  }

  /// Reads `aps`. Faults of known keys come first, because unknown keys may be many.
  private mutating func read(_ aps: JSONObject) {
    let (known, unknown) = aps.members(APNsPayload.names, unknown: faultLimit + 1)
    // In this order, whatever the payload's order, so that the same faults are always listed alike.
    for key in Key.allCases {
      guard let value = known[key], !value.isNull else { continue }
      switch key {
      case .alert: readAlert(value)
      case .badge: readBadge(value)
      case .sound: readSound(value, hasLevel: known[.interruptionLevel] != nil)
      case .contentAvailable: contentAvailable = flag(value, "aps.content-available")
      case .contentChanged: contentChanged = boolean(value, "aps.content-changed")
      case .mutableContent: mutableContent = flag(value, "aps.mutable-content")
      case .interruptionLevel: readLevel(value)
      case .threadID: threadID = string(value, "aps.thread-id")
      case .category: category = string(value, "aps.category")
      case .targetContentID: readTarget(value)
      case .filterCriteria: readFilterCriteria(value)
      case .relevanceScore:
        // Any number: alerts use 0 to 1, Live Activities have no bounds.
        relevance = value.double
        if value.kind != .number { fault("aps.relevance-score", "expected a number, got \(value.kindName)") }
      case .forApp: break
      }
    }
    faults(of: unknown, "aps", "an app's own keys belong outside aps")
  }

  private mutating func readActivity(_ aps: JSONObject) {
    let read = APNsActivity(aps)
    activity = read.update
    for found in read.faults { fault(found.path, found.problem) }
  }

  private mutating func readTarget(_ value: JSONElement) {
    guard let text = string(value, "aps.target-content-id"), !text.isEmpty else { return }
    guard text.utf8.count <= Policy.targetContentIDLimit else {
      return fault(
        "aps.target-content-id", "\(text.utf8.count) bytes; expected at most \(Policy.targetContentIDLimit)")
    }
    targetContentID = text
  }

  fileprivate var hasOptions: Bool {
    category != nil || launchImage != nil || targetContentID != nil || relevance != nil || filterCriteria != nil
  }

  fileprivate var options: NotificationOptions {
    @inline(never) get {
      var options = NotificationOptions(category: category?.isEmpty == true ? nil : category)
      (options.launchImage, options.targetContentID) = (launchImage, targetContentID)
      (options.relevance, options.filterCriteria) = (relevance, filterCriteria)
      return options
    }
  }

  private mutating func readFilterCriteria(_ value: JSONElement) {
    guard let criteria = string(value, "aps.filter-criteria") else { return }
    let limit = Policy.filterCriteriaLimit
    if criteria.utf8.count <= limit {
      filterCriteria = criteria
    } else {
      fault("aps.filter-criteria", "it has more than \(limit) bytes")
    }
  }

  private mutating func readBadge(_ value: JSONElement) {
    if let number = value.integer, number >= 0, let badgeNumber = Int(exactly: number) {
      badge = .number(badgeNumber)
    } else {
      badge = .bad(value.quote)
    }
  }

  private mutating func readSound(_ value: JSONElement, hasLevel: Bool) {
    if let name = value.string {
      sound = soundRequest(name, "aps.sound")
      return
    }
    guard let object = value.object else {
      return fault("aps.sound", "expected a string or an object, got \(value.kindName)")
    }
    let (members, unknown) = object.members(APNsPayload.soundNames, unknown: faultLimit + 1)
    sound = .system
    var isCritical = false
    // Critical without a volume is at full volume [APNs].
    var volume = 1.0
    if let critical = members[.critical], !critical.isNull {
      // A critical sound without a level is a critical notification (rule N9).
      isCritical = flag(critical, "aps.sound.critical")
      if isCritical && !hasLevel { level = .critical }
    }
    if let value = members[.name], !value.isNull, let name = string(value, "aps.sound.name") {
      sound = soundRequest(name, "aps.sound.name")
    }
    if let value = members[.volume], !value.isNull {
      if let number = value.double, (0...1).contains(number) {
        volume = number
      } else {
        fault("aps.sound.volume", "expected a number from 0 to 1, got \(value.quote)")
      }
    }
    faults(of: unknown, "aps.sound", "expected critical, name or volume")
    guard isCritical else { return }
    switch sound {
    case .none, .critical: break
    case .system: sound = .critical(name: nil, volume: volume)
    case .named(let name): sound = .critical(name: name, volume: volume)
    }
  }

  private mutating func soundRequest(_ name: String, _ path: String) -> SoundRequest {
    if name == "default" { return .system }
    if name.isEmpty {
      fault(path, "the name is empty; expected a sound of the app, or default")
      return .none
    }
    return .named(name)
  }

  private mutating func readLevel(_ value: JSONElement) {
    guard let text = string(value, "aps.interruption-level") else { return }
    if let known = InterruptionLevel(rawValue: text) {
      level = known
    } else {
      let names = InterruptionLevel.allCases.map(\.rawValue).joined(separator: ", ")
      fault("aps.interruption-level", "\(quoted(text)) is none of \(names)")
    }
  }

  private mutating func readAlert(_ value: JSONElement) {
    if let body = value.string {
      if !body.isEmpty { message = Message(body: .literal(body)) }
      return
    }
    guard let object = value.object else {
      return fault("aps.alert", "expected a string or an object, got \(value.kindName)")
    }
    let (members, unknown) = object.members(APNsPayload.alertNames, unknown: faultLimit + 1)
    let title = text(members, .title, key: .titleLocKey, arguments: .titleLocArguments)
    let subtitle = text(members, .subtitle, key: .subtitleLocKey, arguments: .subtitleLocArguments)
    let body = text(members, .body, key: .locKey, arguments: .locArguments)
    var actionTitle = ActionTitle.standard
    if let title = members[.actionLocKey] {
      if title.isNull {
        actionTitle = .none
      } else if let key = title.string, !key.isEmpty {
        actionTitle = .localized(key: key)
      } else {
        fault("aps.alert.action-loc-key", "expected a string or null, got \(title.quote)")
      }
    }
    // A Live Activity's sound is inside its alert [APNs].
    if let inside = members[.sound] {
      if !isLiveActivity {
        fault("aps.alert.sound", "no such key; an app's own keys belong outside aps")
      } else if let name = string(inside, "aps.alert.sound") {
        sound = soundRequest(name, "aps.alert.sound")
      }
    }
    if let image = members[.launchImage], !image.isNull { readLaunchImage(image) }
    if title != nil || subtitle != nil || body != nil {
      message = Message(title: title, subtitle: subtitle, body: body, actionTitle: actionTitle)
    }
    faults(of: unknown, "aps.alert", "an app's own keys belong outside aps")
  }

  private mutating func readLaunchImage(_ value: JSONElement) {
    guard let text = string(value, "aps.alert.launch-image"), !text.isEmpty else { return }
    let name = text.hasSuffix(".png") ? String(text.dropLast(4)) : text
    guard (1...Policy.launchImageNameLimit).contains(name.utf8.count) else {
      return fault(
        "aps.alert.launch-image", "expected a name of 1 to \(Policy.launchImageNameLimit) bytes, got \(quoted(text))")
    }
    launchImage = name
  }

  /// Reads a text by its key in the app's strings, or as written out. The key wins if both are present.
  private mutating func text(
    _ members: JSONMembers<AlertKey>, _ literal: AlertKey, key: AlertKey, arguments: AlertKey
  ) -> MessageText? {
    var written: MessageText?
    if let value = members[literal], !value.isNull, let text = string(value, "aps.alert.\(literal.rawValue)"),
      !text.isEmpty
    {
      written = .literal(text)
    }
    let values = localizationArguments(members[arguments], "aps.alert.\(arguments.rawValue)")
    guard let value = members[key], !value.isNull, let name = string(value, "aps.alert.\(key.rawValue)"), !name.isEmpty
    else {
      if !values.isEmpty { fault("aps.alert.\(arguments.rawValue)", "there is no \(key.rawValue) to use them") }
      return written
    }
    return .localized(key: name, arguments: values)
  }

  private mutating func localizationArguments(_ value: JSONElement?, _ path: @autoclosure () -> String) -> [String] {
    guard let value, !value.isNull else { return [] }
    guard let elements = value.array else {
      fault(path(), "expected an array of strings, got \(value.kindName)")
      return []
    }
    let count = elements.count
    if count > Policy.localizationArgumentLimit {
      fault(path(), "\(count) arguments; the first \(Policy.localizationArgumentLimit) are used")
    }
    var arguments: [String] = []
    for (index, element) in elements.prefix(Policy.localizationArgumentLimit).enumerated() {
      // A value that is no string keeps its place, so that %2$@ stays the second.
      arguments.append(string(element, "\(path())[\(index)]") ?? "")
    }
    return arguments
  }

  private mutating func string(_ value: JSONElement, _ path: @autoclosure () -> String) -> String? {
    if let text = value.string { return text }
    fault(path(), "expected a string, got \(value.kindName)")
    return nil
  }

  private mutating func flag(_ value: JSONElement, _ path: String) -> Bool {
    switch value.integer {
    case 1: return true
    case 0: return false
    default:
      fault(path, "expected 1, got \(value.quote)")
      return false
    }
  }

  private mutating func boolean(_ value: JSONElement, _ path: String) -> Bool {
    if let known = value.bool { return known }
    fault(path, "expected true, got \(value.quote)")
    return false
  }

  /// Records a fault. The words are composed only if the fault is written down.
  private mutating func fault(_ path: @autoclosure () -> String, _ problem: @autoclosure () -> String) {
    if faults.count < faultLimit {
      faults.append(PayloadFault(path: path(), problem: problem()))
    } else if faults.count == faultLimit {
      faults.append(PayloadFault(path: "aps", problem: "more faults, not listed"))
    }
  }

  private mutating func faults(of unknown: [JSONElement], _ path: String, _ advice: @autoclosure () -> String) {
    for member in unknown { fault("\(path).\(shortened(member.name))", "no such key; \(advice())") }
  }

  // MARK: Deskbell's own keys

  // They are in an object beside `aps`, like any app's keys: Apple's service passes it on.

  private enum OwnKey: String, CaseIterable {
    case again = "repeat"
  }

  private enum RepeatKey: String, CaseIterable {
    case every, times
  }

  private static let ownNames = JSONNames<OwnKey>()
  private static let repeatNames = JSONNames<RepeatKey>()

  /// Reads the request in `{"repeat": {"every": 60, "times": 30}}` (rule N11); nil if there is none. A wrong part is
  /// left out, and the rest counts.
  private mutating func repeatRequest(in own: JSONElement) -> RepeatRequest? {
    guard let again = object(own, "deskbell", APNsPayload.ownNames)?[.again], !again.isNull,
      let members = object(again, "deskbell.repeat", APNsPayload.repeatNames)
    else { return nil }
    let (least, most) = (Policy.repeatIntervals.lowerBound, Policy.repeatIntervals.upperBound)
    let seconds = least.components.seconds...most.components.seconds
    let times = Int64(Policy.repeatTimes.lowerBound)...Int64(Policy.repeatTimes.upperBound)
    return RepeatRequest(
      every: number(members[.every], in: seconds, "deskbell.repeat.every").map { .seconds($0) },
      times: number(members[.times], in: times, "deskbell.repeat.times").map { Int($0) })
  }

  private mutating func object<Name: JSONName>(
    _ value: JSONElement, _ path: String, _ names: JSONNames<Name>
  ) -> JSONMembers<Name>? {
    guard let object = value.object else {
      fault(path, "expected an object, got \(value.kindName)")
      return nil
    }
    let (known, unknown) = object.members(names, unknown: faultLimit + 1)
    faults(of: unknown, path, "expected " + Name.allCases.map(\.rawValue).joined(separator: " or "))
    return known
  }

  private mutating func number(_ value: JSONElement?, in range: ClosedRange<Int64>, _ path: String) -> Int64? {
    guard let value, !value.isNull else { return nil }
    guard let number = value.integer, range.contains(number) else {
      fault(path, "expected a whole number from \(range.lowerBound) to \(range.upperBound), got \(value.quote)")
      return nil
    }
    return number
  }
}

extension Push {
  /// - Throws: `BadPriority` if the payload is a background update and the request has priority 10 (rule U3).
  init(
    _ head: APNsPushHead, _ payload: consuming APNsPayload, body: [UInt8], hasProviderID: Bool = false,
    faults others: @autoclosure () -> [PayloadFault] = [], provider: String? = nil
  ) throws(APNsRefusal) {
    let type = head.type ?? payload.impliedType
    var faults = payload.faults
    if let fault = head.fault { faults.append(fault) }
    if type == .background && head.priority == 10 {
      throw APNsRefusal(.badPriority, "the payload is a background update, which has priority 5 [U3], not 10")
    }
    if type == .background && head.priority == nil {
      faults.append(PayloadFault(path: "apns-priority", problem: "absent; a background push is taken as priority 5"))
    }
    faults += others()
    self.init(
      id: head.id, token: head.token, topic: head.topic, type: type, message: exchange(&payload.message, with: nil),
      badge: payload.badge, sound: payload.sound, contentAvailable: payload.contentAvailable, level: payload.level,
      collapseID: head.collapseID, expiration: head.expiration,
      priority: head.priority ?? (type == .background ? 5 : 10), threadID: payload.threadID, payload: body,
      faults: faults)
    self.hasProviderID = hasProviderID
    self.provider = provider
    repetition = payload.repetition
    if let update = payload.activity { activity = update }
    mutableContent = payload.mutableContent
    if type == .widgets || type == .controls { contentAvailable = payload.contentChanged }
    if payload.hasOptions { takeOptions(payload.options) }
  }

  @inline(never)
  private mutating func takeOptions(_ taken: NotificationOptions) {
    options = taken == NotificationOptions() ? nil : taken
  }

  /// Makes a push that another machine has checked by APNs' rules and sent here with its payload unchanged.
  /// - Throws: `BadStoredPush` if the payload is invalid.
  public init(
    acceptedAs id: PushID, token: DeviceToken?, topic: AppID, type: PushType, priority: Int, expiration: Expiration,
    collapseID: String?, payload body: [UInt8], limits: PortLimits = .standard
  ) throws(BadStoredPush) {
    do throws(APNsRefusal) {
      let head = APNsPushHead(
        id: id, token: token, topic: topic, type: type, priority: priority,
        expiration: expiration, collapseID: collapseID, payloadLimit: limits.voipPayloadBytes)
      try self.init(head, APNsPayload(body, type: type, limits: limits), body: body)
    } catch {
      throw BadStoredPush(problem: "\(error.reason.rawValue): \(error.detail)")
    }
  }
}

/// The reason why a stored push is invalid.
public struct BadStoredPush: Error, Hashable {
  public var problem: String

  public init(problem: String) {
    self.problem = problem
  }
}
