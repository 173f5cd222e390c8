/// The rules of one push type: what its requests need, and how its app gets it. `PushType.rules` has one for each type.
public struct PushTypeRules: Sendable {
  /// What the topic has behind the bundle identifier [APNs, `apns-push-type`]; nil for nothing.
  public var topicSuffix: String?
  /// True if a payload must have `aps`. Payloads of the other types have keys of their own, for an extension of the app
  /// or for the system [APNs].
  public var needsAPS = true
  /// True if a payload may be as large as a VoIP push's [APNs].
  public var isLarge = false
  /// True if only a provider that authenticates with a token may send it [APNs, `location`].
  public var needsProviderToken = false
  /// How the app gets it; nil if it is for the person, or a background update.
  public var delivery: TypedDelivery?
}

/// The delivery of pushes of one type, of which nothing is presented (rules T1 to T4).
public struct TypedDelivery: Sendable {
  /// The background mode that lets an app have them, as a bundle names it (rule T1); nil if every app has them.
  public var mode: String?
  /// True if they wake an app that the person has force-quit.
  public var wakesForceQuit = false
  /// The time that the app has to complete one.
  public var time = Policy.completionTime
  /// True if the app must complete it in time to have further ones (rule T2).
  public var isCall = false
  /// How many reach an app that is not in the foreground in a day (rule T3); nil for any number.
  public var dailyBudget: Int?
  /// True if it asks the app to load its content again (rule T4).
  public var isReload = false
}

extension PushType {
  /// The one table of push types. A new type is a row here.
  public var rules: PushTypeRules {
    switch self {
    case .alert, .background: PushTypeRules()
    case .liveactivity: PushTypeRules(topicSuffix: ".push-type.liveactivity")
    case .voip:
      PushTypeRules(
        topicSuffix: ".voip", needsAPS: false, isLarge: true,
        delivery: TypedDelivery(mode: "voip", wakesForceQuit: true, time: Policy.callTime, isCall: true))
    case .pushtotalk:
      PushTypeRules(
        topicSuffix: ".voip-ptt", needsAPS: false,
        delivery: TypedDelivery(mode: "push-to-talk", time: Policy.callTime, isCall: true))
    case .complication:
      PushTypeRules(
        topicSuffix: ".complication",
        delivery: TypedDelivery(mode: "complication", dailyBudget: Policy.complicationBudget))
    case .location:
      PushTypeRules(
        topicSuffix: ".location-query", needsAPS: false, needsProviderToken: true,
        delivery: TypedDelivery(mode: "location"))
    case .fileprovider:
      PushTypeRules(
        topicSuffix: ".pushkit.fileprovider", needsAPS: false, delivery: TypedDelivery(mode: "file-provider"))
    case .mdm: PushTypeRules(needsAPS: false, delivery: TypedDelivery(wakesForceQuit: true))
    case .widgets:
      PushTypeRules(
        topicSuffix: ".push-type.widgets",
        delivery: TypedDelivery(mode: "widgets", dailyBudget: Policy.reloadBudget, isReload: true))
    case .controls:
      PushTypeRules(
        topicSuffix: ".push-type.controls",
        delivery: TypedDelivery(mode: "controls", dailyBudget: Policy.reloadBudget, isReload: true))
    }
  }

  /// Returns the type that a background mode lets an app have; nil if there is none.
  public init?(backgroundMode mode: String) {
    guard let type = PushType.allCases.first(where: { $0.rules.delivery?.mode == mode }) else { return nil }
    self = type
  }

  /// The background modes of all types, in the order of the types.
  public static var backgroundModes: [String] { allCases.compactMap { $0.rules.delivery?.mode } }
}

/// A number of pushes of one type: those that an app has had since its day began (rule T3), or the calls in a row that it
/// left unanswered (rule T2).
public struct PushTypeCount: Hashable, Sendable, Codable {
  public var type: PushType
  /// 1 or more.
  public var count: Int
  /// The moment of the first of them, in whole microseconds.
  public var since: Moment
}
