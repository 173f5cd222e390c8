import HTTP
import HandsetCore

/// The state of the handset in Home Assistant: each part is the payload of a topic of its own, retained by the broker.
public struct HomeState: Sendable {
  /// The names of the Focus modes, which the discovery message lists.
  public let focusModes: [String]
  /// The members of the topic `state`.
  private let handset: [String: JSONValue?]
  /// The name of the lamp's pattern; nil is dark.
  private let lamp: String?
  private let sound: String?
  private let volume: Double?
  private let devices: [(name: String, problem: String?)]

  static let appLimit = 64

  /// - Parameter volume: the volume of rings that Home Assistant asks for, 0 to 1.
  public init(
    of state: Handset, at now: Moment, sound: String?, volume: Double?, devices: [(name: String, problem: String?)]
  ) {
    let shown = state.presentation(at: now)
    let (record, settings) = (state.record, state.record.settings)
    // A longer list is not readable, and each message would contain all of it.
    let badges = state.apps.count > HomeState.appLimit ? [] : state.apps.values.filter { $0.state.badge > 0 }
    let apps = badges.map { ($0.id.text, JSONValue.integer(Int64(state.visibleBadge(of: $0)))) }
    handset = [
      "badge": JSONValue.integer(Int64(clamping: shown.badge)), "unseen": JSONValue.integer(Int64(state.unseenCount)),
      "held": JSONValue.integer(Int64(state.heldCount)),
      "apps": JSONValue.object(Dictionary(uniqueKeysWithValues: apps)),
      "silent": JSONValue.string(record.conditions.contains(.silent) ? "on" : "off"),
      "notifications": JSONValue.string(settings[.notifications]),
      "focus": JSONValue.string(settings[.focus]), "quiet_hours": JSONValue.string(settings[.quietHours]),
    ]
    focusModes = state.focusModes.keys.sorted()
    lamp = shown.lamp?.pattern.name
    (self.sound, self.volume, self.devices) = (sound, volume, devices)
  }

  public func payloads(_ topics: HomeTopics) -> [(topic: String, payload: [UInt8])] {
    func onOff(_ isOn: Bool) -> JSONValue { .string(isOn ? "ON" : "OFF") }
    let problems = devices.map { (HomeDevice.key($0.name), JSONValue?.some(.string($0.problem ?? ""))) }
    return [
      (topics.state, homeJSON(handset)),
      (topics.lamp, homeJSON(["state": onOff(lamp != nil), "effect": lamp.map(JSONValue.string)])),
      (
        topics.bell,
        homeJSON([
          "state": onOff(sound != nil), "tone": sound.map(JSONValue.string),
          "volume_level": volume.map(JSONValue.double),
        ])
      ),
      (topics.devices, homeJSON(Dictionary(problems) { first, _ in first })),
    ]
  }
}
