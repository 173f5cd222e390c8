/// The topics of one installation. The discovery message contains all but the first two.
public struct HomeTopics: Hashable, Sendable {
  /// The default prefix of the topics in which Home Assistant looks for devices.
  public static let defaultDiscovery = "homeassistant"

  public let config: String
  /// The topic in which Home Assistant reports that it has started.
  public let homeStatus: String
  /// The beginning of all other topics.
  public let base: String

  /// - Parameters:
  ///   - device: letters, digits, `_` and `-`.
  ///   - base: without wildcards.
  public init(device: String, base: String, discovery: String = defaultDiscovery) {
    config = "\(discovery)/device/\(device)/config"
    homeStatus = "\(discovery)/status"
    self.base = base
  }

  public var availability: String { "\(base)/availability" }
  public var state: String { "\(base)/state" }
  public var lamp: String { "\(base)/lamp" }
  public var bell: String { "\(base)/bell" }
  public var devices: String { "\(base)/devices" }
  public var notifications: String { "\(base)/event/notification" }
  public var buttons: String { "\(base)/event/button" }

  public func set(_ name: HomeCommand.Name) -> String { "\(base)/\(name.rawValue)/set" }
  public var commands: String { "\(base)/+/set" }

  public func command(at topic: String) -> HomeCommand.Name? {
    guard topic.hasPrefix(base + "/"), topic.hasSuffix("/set") else { return nil }
    return HomeCommand.Name(rawValue: String(topic.dropFirst(base.count + 1).dropLast(4)))
  }
}
