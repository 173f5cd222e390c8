// The description of the device for Home Assistant: MQTT discovery, in the format for whole devices (since 2024.12).

import HTTP
import HandsetCore

/// The components of the device, each with the members of its discovery, by key.
private typealias Components = [String: [String: JSONValue]]

/// An installation, as Home Assistant shows it.
public struct HomeDevice: Hashable, Sendable {
  /// The identifier: letters, digits, `_` and `-`; the same for as long as the installation exists.
  public var id: String
  public var name: String
  public var version: String
  public var board: String?
  /// The address of the panel; nil if Home Assistant cannot reach it.
  public var panel: String?
  public var sounds: [String] = []
  /// What the lamp can do; empty without one.
  public var lampEffects: [String] = []
  public var devices: [String] = []
  public var focusModes: [String] = []

  public init(id: String, name: String, version: String) {
    (self.id, self.name, self.version) = (id, name, version)
  }

  public func discovery(_ topics: HomeTopics) -> [UInt8] {
    var device: [String: JSONValue] = [
      "identifiers": [.string(id)], "name": .string(name), "manufacturer": "Deskbell",
      "model": .string(board ?? "no board"), "sw_version": .string(version), "serial_number": .string(id),
    ]
    device["configuration_url"] = panel.map { JSONValue.string($0) }
    var components: Components = [:]
    for part in [sensors(topics), outputs(topics), events(topics), buttons(topics), settings(topics)] {
      components.merge(part) { first, _ in first }
    }
    for name in devices { components["problem-\(HomeDevice.key(name))"] = problem(of: name, topics) }
    for key in components.keys { components[key]?["unique_id"] = .string("\(id)-\(key)") }
    // A trigger is no entity, so it has no identifier.
    components.merge(triggers(topics)) { first, _ in first }
    let origin: JSONValue = ["name": "deskbell", "sw_version": .string(version)]
    return homeJSON([
      "device": JSONValue.object(device), "origin": origin, "availability_topic": JSONValue.string(topics.availability),
      "qos": JSONValue.integer(1), "components": JSONValue.object(components.mapValues { JSONValue.object($0) }),
    ])
  }

  private func sensors(_ topics: HomeTopics) -> Components {
    func number(_ name: String, _ key: String, _ icon: String) -> [String: JSONValue] {
      [
        "platform": "sensor", "name": .string(name), "state_topic": .string(topics.state),
        "value_template": .string("{{ value_json.\(key) }}"), "state_class": "measurement", "icon": .string(icon),
      ]
    }
    var badge = number("Badge", "badge", "mdi:numeric")
    badge["json_attributes_topic"] = .string(topics.state)
    badge["json_attributes_template"] = .string("{{ {'apps': value_json.apps} | tojson }}")
    return [
      "badge": badge, "unseen": number("Unseen", "unseen", "mdi:bell-badge"),
      "held": number("Held updates", "held", "mdi:tray-full"),
    ]
  }

  private func outputs(_ topics: HomeTopics) -> Components {
    var outputs: Components = [
      "bell": [
        "platform": "siren", "name": "Bell", "state_topic": .string(topics.bell),
        "command_topic": .string(topics.set(.bell)), "available_tones": HomeDevice.list(sounds),
        "icon": "mdi:bell-ring", "support_duration": true, "support_volume_set": true,
      ],
      "message": ["platform": "notify", "name": "Message", "command_topic": .string(topics.set(.notify))],
    ]
    guard !lampEffects.isEmpty else { return outputs }
    outputs["lamp"] = [
      "platform": "light", "name": "Lamp", "schema": "json", "supported_color_modes": ["onoff"],
      "state_topic": .string(topics.lamp), "command_topic": .string(topics.set(.lamp)), "effect": true,
      "effect_list": HomeDevice.list(lampEffects),
    ]
    return outputs
  }

  private func events(_ topics: HomeTopics) -> Components {
    [
      "notification": [
        "platform": "event", "name": "Notification", "state_topic": .string(topics.notifications),
        "icon": "mdi:message-badge", "event_types": HomeDevice.list(HomeEvent.Notified.allCases.map(\.rawValue)),
      ],
      "button": [
        "platform": "event", "name": "Button", "state_topic": .string(topics.buttons), "device_class": "button",
        "event_types": HomeDevice.list(HomeEvent.Pressed.allCases.map(\.rawValue)),
      ],
    ]
  }

  private func triggers(_ topics: HomeTopics) -> Components {
    var triggers: Components = [:]
    for button in AlertButton.allCases {
      for length in PressLength.allCases {
        triggers["trigger-\(button.rawValue)-\(length.rawValue)"] = [
          "platform": "device_automation", "automation_type": "trigger", "type": .string("button_\(length)_press"),
          "subtype": .string(button.rawValue), "topic": .string(topics.buttons),
          "payload": .string("\(button.rawValue) \(length.rawValue)"),
          "value_template": "{{ value_json.button }} {{ value_json.press }}",
        ]
      }
    }
    return triggers
  }

  private func buttons(_ topics: HomeTopics) -> Components {
    let buttons: [(HomeCommand.Button, name: String, icon: String)] = [
      (.view, "View", "mdi:eye"), (.close, "Close", "mdi:close"), (.clear, "Clear all", "mdi:notification-clear-all"),
      (.snooze, "Snooze", "mdi:sleep"), (.fetch, "Fetch", "mdi:tray-arrow-down"),
    ]
    var components: Components = [:]
    for (button, name, icon) in buttons {
      components["press-\(button.rawValue)"] = [
        "platform": "button", "name": .string(name), "command_topic": .string(topics.set(.press)),
        "payload_press": .string(button.rawValue), "icon": .string(icon),
      ]
    }
    return components
  }

  private func settings(_ topics: HomeTopics) -> Components {
    func onOff(_ name: String, _ command: HomeCommand.Name, _ icon: String) -> [String: JSONValue] {
      [
        "platform": "switch", "name": .string(name), "state_topic": .string(topics.state),
        "value_template": .string("{{ value_json.\(command.rawValue) }}"),
        "command_topic": .string(topics.set(command)),
        "payload_on": "on", "payload_off": "off", "entity_category": "config", "icon": .string(icon),
      ]
    }
    return [
      "focus": [
        "platform": "select", "name": "Focus", "state_topic": .string(topics.state),
        "value_template": "{{ value_json.focus }}", "command_topic": .string(topics.set(.focus)),
        "options": HomeDevice.list(["off"] + focusModes), "icon": "mdi:moon-waning-crescent",
      ],
      "silent": onOff("Silent", .silent, "mdi:bell-off"),
      "notifications": onOff("Notifications", .notifications, "mdi:bell"),
      "quiet-hours": [
        "platform": "text", "name": "Quiet hours", "state_topic": .string(topics.state),
        "value_template": "{{ value_json.quiet_hours }}", "command_topic": .string(topics.set(.quietHours)),
        // `off`, or two times.
        "pattern": "^(off|([01]\\d|2[0-3]):[0-5]\\d-([01]\\d|2[0-3]):[0-5]\\d)$", "entity_category": "config",
        "icon": "mdi:weather-night",
      ],
    ]
  }

  private func problem(of device: String, _ topics: HomeTopics) -> [String: JSONValue] {
    let key = HomeDevice.key(device)
    return [
      "platform": "binary_sensor", "name": .string(device.prefix(1).uppercased() + device.dropFirst()),
      "device_class": "problem", "entity_category": "diagnostic", "state_topic": .string(topics.devices),
      "json_attributes_topic": .string(topics.devices),
      "value_template": .string("{{ 'ON' if value_json['\(key)'] else 'OFF' }}"),
      "json_attributes_template": .string("{{ {'problem': value_json['\(key)']} | tojson }}"),
    ]
  }

  private static func list(_ texts: [String]) -> JSONValue { .array(texts.map { JSONValue.string($0) }) }

  /// Returns a device's name as a key: `push-gateway`.
  static func key(_ device: String) -> String {
    String(device.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
  }
}

/// Encodes a JSON object of the members that there are, their keys in order. The encoding of texts, numbers and lists of
/// them cannot fail.
func homeJSON(_ members: [String: JSONValue?]) -> [UInt8] {
  (try? JSONValue.object(members.compactMapValues { $0 }).encoded()) ?? []
}
