import HandsetCore

/// The state of the handset in Home Assistant: each part is the payload of a topic of its own, retained by the broker.
public struct HomeState: Sendable {
  /// The topic `state`.
  public struct Handset: Encodable, Hashable, Sendable {
    public var badge: Int
    public var unseen: Int
    public var held: Int
    public var apps: [String: Int]
    public var silent: String
    public var notifications: String
    public var quietHours: String
  }

  struct Lamp: Encodable {
    var state: String
    var effect: String?
  }

  struct Bell: Encodable {
    var state: String
    var tone: String?
    var volumeLevel: Double?
  }

  public var handset: Handset
  /// The name of the lamp's pattern; nil is dark.
  public var lamp: String?
  public var sound: String?
  /// The volume of rings that Home Assistant asks for, 0 to 1.
  public var volume: Double?
  /// Each part and its problem; nil if it works.
  public var devices: [(name: String, problem: String?)]

  static let appLimit = 64

  public init(
    of state: HandsetCore.Handset, at now: Moment, sound: String?, volume: Double?,
    devices: [(name: String, problem: String?)]
  ) {
    let shown = state.presentation(at: now)
    let (record, settings) = (state.record, state.record.settings)
    // A longer list is not readable, and each message would contain all of it.
    let badges = state.apps.count > HomeState.appLimit ? [] : state.apps.values.filter { $0.state.badge > 0 }
    handset = Handset(
      badge: Int(clamping: shown.badge), unseen: state.unseenCount, held: state.heldCount,
      apps: Dictionary(uniqueKeysWithValues: badges.map { ($0.id.text, state.visibleBadge(of: $0)) }),
      silent: record.conditions.contains(.silent) ? "on" : "off", notifications: settings[.notifications],
      quietHours: settings[.quietHours])
    lamp = shown.lamp?.pattern.name
    (self.sound, self.volume, self.devices) = (sound, volume, devices)
  }

  public func payloads(_ topics: HomeTopics) -> [(topic: String, payload: [UInt8])] {
    let problems = Dictionary(devices.map { (HomeDevice.key($0.name), $0.problem ?? "") }) { first, _ in first }
    return [
      (topics.state, homeJSON(handset)),
      (topics.lamp, homeJSON(Lamp(state: lamp == nil ? "OFF" : "ON", effect: lamp))),
      (topics.bell, homeJSON(Bell(state: sound == nil ? "OFF" : "ON", tone: sound, volumeLevel: volume))),
      (topics.devices, homeJSON(problems)),
    ]
  }
}
