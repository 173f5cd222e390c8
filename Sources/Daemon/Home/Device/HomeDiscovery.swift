// The description of the device for Home Assistant: MQTT discovery, in the format for whole devices (since 2024.12).

import FoundationEssentials
import HandsetCore

/// An installation, as Home Assistant shows it.
public struct HomeDevice: Hashable, Sendable {
  /// The identifier: letters, digits, `_` and `-`; the same for as long as the installation exists.
  public var id: String
  public var name: String
  public var version: String
  /// The board's name; nil without a board.
  public var board: String?
  /// The address of the panel; nil if Home Assistant cannot reach it.
  public var panel: String?
  /// The names of the sounds for a ring.
  public var sounds: [String]
  public var hasLamp: Bool
  /// The parts that can fail.
  public var devices: [String]

  public init(
    id: String, name: String, version: String, board: String?, panel: String?, sounds: [String], hasLamp: Bool,
    devices: [String]
  ) {
    self.id = id
    self.name = name
    self.version = version
    self.board = board
    self.panel = panel
    self.sounds = sounds
    self.hasLamp = hasLamp
    self.devices = devices
  }
}

/// The discovery message.
public struct HomeDiscovery: Encodable, Sendable {
  struct Device: Encodable {
    var identifiers: [String]
    var name: String
    var manufacturer = "Deskbell"
    var model: String
    var swVersion: String
    var serialNumber: String
    var configurationUrl: String?
  }

  struct Origin: Encodable {
    var name = "deskbell"
    var swVersion: String
  }

  let device: Device
  let origin: Origin
  let availabilityTopic: String
  let qos = 1
  let components: [String: HomeEntity]

  public init(_ device: HomeDevice, _ topics: HomeTopics) {
    self.device = Device(
      identifiers: [device.id], name: device.name, model: device.board ?? "no board", swVersion: device.version,
      serialNumber: device.id, configurationUrl: device.panel)
    origin = Origin(swVersion: device.version)
    availabilityTopic = topics.availability
    var components: [String: HomeEntity] = [:]
    for (key, entity) in HomeEntity.all(of: device, topics) {
      var entity = entity
      // A trigger is no entity.
      if entity.platform != "device_automation" { entity.uniqueId = "\(device.id)-\(key)" }
      components[key] = entity
    }
    self.components = components
  }

  /// The message as JSON.
  public var payload: [UInt8] { homeJSON(self) }
}

/// Encodes JSON in Home Assistant's form: snake case, keys in order.
func homeJSON(_ value: some Encodable) -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.keyEncodingStrategy = .convertToSnakeCase
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  // The encoding of texts, numbers and lists of them cannot fail.
  return (try? encoder.encode(value)).map { Array($0) } ?? []
}

/// A component of the device; the property names are those of its discovery, in camel case.
struct HomeEntity: Encodable {
  var platform: String
  var name: String?
  var uniqueId: String?
  var icon: String?
  var entityCategory: String?
  var deviceClass: String?
  var stateClass: String?
  var unitOfMeasurement: String?
  var stateTopic: String?
  var valueTemplate: String?
  var jsonAttributesTopic: String?
  var jsonAttributesTemplate: String?
  var commandTopic: String?
  var payloadPress: String?
  var payloadOn: String?
  var payloadOff: String?
  var schema: String?
  var supportedColorModes: [String]?
  var effect: Bool?
  var effectList: [String]?
  var availableTones: [String]?
  var supportDuration: Bool?
  var supportVolumeSet: Bool?
  var eventTypes: [String]?
  var pattern: String?
  var automationType: String?
  var type: String?
  var subtype: String?
  var topic: String?
  var payload: String?

  init(_ platform: String, _ name: String? = nil) {
    (self.platform, self.name) = (platform, name)
  }

  func with(_ change: (inout HomeEntity) -> Void) -> HomeEntity {
    var changed = self
    change(&changed)
    return changed
  }

  static func all(of device: HomeDevice, _ topics: HomeTopics) -> [(String, HomeEntity)] {
    var all = sensors(topics)
    all += outputs(device, topics)
    all += events(topics)
    all += buttons(topics)
    all += settings(topics)
    for name in device.devices { all.append(("problem-\(key(name))", problem(of: name, topics))) }
    return all
  }

  private static func sensors(_ topics: HomeTopics) -> [(String, HomeEntity)] {
    func number(_ name: String, _ key: String, _ icon: String) -> HomeEntity {
      HomeEntity("sensor", name).with { entity in
        (entity.stateTopic, entity.valueTemplate) = (topics.state, "{{ value_json.\(key) }}")
        (entity.stateClass, entity.icon) = ("measurement", icon)
      }
    }
    let badge = number("Badge", "badge", "mdi:numeric").with { entity in
      entity.jsonAttributesTopic = topics.state
      entity.jsonAttributesTemplate = "{{ {'apps': value_json.apps} | tojson }}"
    }
    return [
      ("badge", badge), ("unseen", number("Unseen", "unseen", "mdi:bell-badge")),
      ("held", number("Held updates", "held", "mdi:tray-full")),
    ]
  }

  private static func outputs(_ device: HomeDevice, _ topics: HomeTopics) -> [(String, HomeEntity)] {
    let lamp = HomeEntity("light", "Lamp").with { entity in
      (entity.schema, entity.supportedColorModes) = ("json", ["onoff"])
      (entity.stateTopic, entity.commandTopic) = (topics.lamp, topics.set(.lamp))
      (entity.effect, entity.effectList) = (true, LampPattern.all.map(\.name))
    }
    let bell = HomeEntity("siren", "Bell").with { entity in
      (entity.stateTopic, entity.commandTopic) = (topics.bell, topics.set(.bell))
      (entity.availableTones, entity.icon) = (device.sounds, "mdi:bell-ring")
      (entity.supportDuration, entity.supportVolumeSet) = (true, true)
    }
    let message = HomeEntity("notify", "Message").with { $0.commandTopic = topics.set(.notify) }
    return (device.hasLamp ? [("lamp", lamp)] : []) + [("bell", bell), ("message", message)]
  }

  private static func events(_ topics: HomeTopics) -> [(String, HomeEntity)] {
    let notification = HomeEntity("event", "Notification").with { entity in
      (entity.stateTopic, entity.icon) = (topics.notifications, "mdi:message-badge")
      entity.eventTypes = HomeEvent.Notified.allCases.map(\.rawValue)
    }
    let button = HomeEntity("event", "Button").with { entity in
      (entity.stateTopic, entity.deviceClass) = (topics.buttons, "button")
      entity.eventTypes = HomeEvent.Pressed.allCases.map(\.rawValue)
    }
    let triggers = AlertButton.allCases.flatMap { button in
      PressLength.allCases.map { length in
        let trigger = HomeEntity("device_automation").with { entity in
          (entity.automationType, entity.type, entity.subtype) = ("trigger", "button_\(length)_press", button.rawValue)
          (entity.topic, entity.payload) = (topics.buttons, "\(button.rawValue) \(length.rawValue)")
          entity.valueTemplate = "{{ value_json.button }} {{ value_json.press }}"
        }
        return ("trigger-\(button.rawValue)-\(length.rawValue)", trigger)
      }
    }
    return [("notification", notification), ("button", button)] + triggers
  }

  private static func buttons(_ topics: HomeTopics) -> [(String, HomeEntity)] {
    let buttons: [(HomeCommand.Button, name: String, icon: String)] = [
      (.view, "View", "mdi:eye"), (.close, "Close", "mdi:close"), (.clear, "Clear all", "mdi:notification-clear-all"),
      (.snooze, "Snooze", "mdi:sleep"),
    ]
    return buttons.map { button, name, icon in
      let entity = HomeEntity("button", name).with { entity in
        (entity.commandTopic, entity.payloadPress, entity.icon) = (topics.set(.press), button.rawValue, icon)
      }
      return ("press-\(button.rawValue)", entity)
    }
  }

  private static func settings(_ topics: HomeTopics) -> [(String, HomeEntity)] {
    func onOff(_ name: String, _ key: String, _ command: HomeCommand.Name, _ icon: String) -> HomeEntity {
      HomeEntity("switch", name).with { entity in
        (entity.stateTopic, entity.valueTemplate) = (topics.state, "{{ value_json.\(key) }}")
        (entity.commandTopic, entity.payloadOn, entity.payloadOff) = (topics.set(command), "on", "off")
        (entity.entityCategory, entity.icon) = ("config", icon)
      }
    }
    let quietHours = HomeEntity("text", "Quiet hours").with { entity in
      (entity.stateTopic, entity.valueTemplate) = (topics.state, "{{ value_json.quiet_hours }}")
      (entity.commandTopic, entity.pattern) = (topics.set(.quietHours), HomeEntity.hoursPattern)
      (entity.entityCategory, entity.icon) = ("config", "mdi:weather-night")
    }
    return [
      ("silent", onOff("Silent", "silent", .silent, "mdi:bell-off")),
      ("notifications", onOff("Notifications", "notifications", .notifications, "mdi:bell")),
      ("quiet-hours", quietHours),
    ]
  }

  /// The pattern of `off`, or two times.
  private static let hoursPattern = "^(off|([01]\\d|2[0-3]):[0-5]\\d-([01]\\d|2[0-3]):[0-5]\\d)$"

  private static func problem(of device: String, _ topics: HomeTopics) -> HomeEntity {
    let name = device.prefix(1).uppercased() + device.dropFirst()
    return HomeEntity("binary_sensor", name).with { entity in
      (entity.deviceClass, entity.entityCategory) = ("problem", "diagnostic")
      (entity.stateTopic, entity.jsonAttributesTopic) = (topics.devices, topics.devices)
      entity.valueTemplate = "{{ 'ON' if value_json['\(key(device))'] else 'OFF' }}"
      entity.jsonAttributesTemplate = "{{ {'problem': value_json['\(key(device))']} | tojson }}"
    }
  }

  /// Returns a device's name as a key: `push-gateway`.
  static func key(_ device: String) -> String {
    String(device.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
  }
}
