// The streams' settings, so that no acknowledged message is lost and nothing grows without limit.

import FleetLink

/// The settings of a stream, by the servers' own names. Times are nanoseconds; -1 is no limit.
struct StreamSettings: Codable, Equatable, Sendable {
  var name: String
  var subjects: [String]?
  var retention = "limits"
  var storage = "file"
  var discard = "old"
  var numReplicas: Int
  var maxAge: Int64 = 0
  var maxBytes: Int64 = -1
  var maxMsgs: Int64 = -1
  var maxMsgsPerSubject: Int64 = -1
  var maxMsgSize: Int32? = -1
  var maxConsumers = -1
  var duplicateWindow: Int64? = 120 * StreamSettings.second
  var sealed: Bool? = false
  var denyDelete: Bool? = false
  var denyPurge: Bool? = false
  var allowRollupHdrs: Bool? = false
  var allowDirect: Bool? = false
  var noAck: Bool? = false

  private static let second: Int64 = 1_000_000_000
  private static let day = 86_400 * second

  private init(_ name: String, _ subject: String, replicas: Int) {
    (self.name, subjects, numReplicas) = (name, [subject], replicas)
  }

  /// Returns the settings of all streams, in the order in which they are created.
  /// - Parameter replicas: the number of servers that store each message.
  static func all(replicas: Int) -> [StreamSettings] {
    var pushes = StreamSettings(FleetNames.pushes, "bell.push.>", replicas: replicas)
    (pushes.maxAge, pushes.maxMsgsPerSubject, pushes.maxMsgSize) = (30 * day, 100, 65_536)
    pushes.duplicateWindow = 3_600 * second
    var events = StreamSettings(FleetNames.events, "bell.events.*", replicas: replicas)
    (events.maxAge, events.maxBytes) = (7 * day, 1 << 30)
    var clears = StreamSettings(FleetNames.clears, "bell.clear.*", replicas: replicas)
    (clears.maxAge, clears.maxMsgsPerSubject, clears.maxMsgSize) = (30 * day, 1_000, 4_096)
    var channels = bucket(FleetNames.channels, size: 8_192, replicas: replicas)
    // Deleted channels leave a message each.
    channels.maxMsgs = 1_000_000
    return [
      pushes, bucket(FleetNames.tokens, size: 8_192, replicas: replicas),
      bucket(FleetNames.providers, size: 65_536, replicas: replicas), channels, events, clears,
    ]
  }

  /// Returns the settings that NATS itself gives to a bucket of keys with one value each, but without roll-up headers:
  /// with them, a desk could remove the values of all others.
  private static func bucket(_ stream: String, size: Int32, replicas: Int) -> StreamSettings {
    var bucket = StreamSettings(stream, "$KV.\(stream.dropFirst("KV_".count)).>", replicas: replicas)
    (bucket.maxMsgsPerSubject, bucket.maxMsgSize, bucket.discard) = (1, size, "new")
    (bucket.denyDelete, bucket.allowDirect) = (true, true)
    return bucket
  }

  /// Returns the differences of a server's settings, `other`: `storage is memory, expected file`.
  func differences(in other: StreamSettings) -> [String] {
    zip(values, other.values).compactMap { expected, actual in
      actual.value == expected.value ? nil : "\(expected.name) is \(actual.value), expected \(expected.value)"
    }
  }

  /// The values that a server must have, as text. It leaves out those that are false.
  private var values: [(name: String, value: String)] {
    [
      ("subjects", (subjects ?? []).joined(separator: " ")), ("retention", retention), ("storage", storage),
      ("discard", discard), ("num_replicas", "\(numReplicas)"), ("max_age", StreamSettings.time(maxAge)),
      ("max_bytes", "\(maxBytes)"), ("max_msgs", "\(maxMsgs)"), ("max_msgs_per_subject", "\(maxMsgsPerSubject)"),
      ("max_msg_size", "\(maxMsgSize ?? -1)"), ("max_consumers", "\(maxConsumers)"),
      ("duplicate_window", StreamSettings.time(duplicateWindow ?? 0)), ("sealed", "\(sealed ?? false)"),
      ("deny_delete", "\(denyDelete ?? false)"), ("deny_purge", "\(denyPurge ?? false)"),
      ("allow_rollup_hdrs", "\(allowRollupHdrs ?? false)"), ("allow_direct", "\(allowDirect ?? false)"),
      ("no_ack", "\(noAck ?? false)"),
    ]
  }

  private static func time(_ nanoseconds: Int64) -> String {
    switch nanoseconds {
    case 0: "unlimited"
    case let time where time % day == 0: "\(time / day) d"
    default: "\(nanoseconds / second) s"
    }
  }
}
