// What the streams must be like, so that nothing that was answered is lost and nothing grows without end.

import FleetLink

/// The settings of a stream, in the servers' own words. Times are nanoseconds; -1 is no limit.
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

  private enum CodingKeys: String, CodingKey {
    case name, subjects, retention, storage, discard, sealed
    case numReplicas = "num_replicas"
    case maxAge = "max_age"
    case maxBytes = "max_bytes"
    case maxMsgs = "max_msgs"
    case maxMsgsPerSubject = "max_msgs_per_subject"
    case maxMsgSize = "max_msg_size"
    case maxConsumers = "max_consumers"
    case duplicateWindow = "duplicate_window"
    case denyDelete = "deny_delete"
    case denyPurge = "deny_purge"
    case allowRollupHdrs = "allow_rollup_hdrs"
    case allowDirect = "allow_direct"
    case noAck = "no_ack"
  }

  private static let second: Int64 = 1_000_000_000
  private static let day = 86_400 * second

  private init(_ name: String, _ subject: String, replicas: Int) {
    (self.name, subjects, numReplicas) = (name, [subject], replicas)
  }

  /// Of all streams, in the order in which they are made.
  /// - Parameter replicas: how many nodes have each message.
  static func all(replicas: Int) -> [StreamSettings] {
    var pushes = StreamSettings(FleetNames.pushes, "bell.push.>", replicas: replicas)
    (pushes.maxAge, pushes.maxMsgsPerSubject, pushes.maxMsgSize) = (30 * day, 100, 32_768)
    pushes.duplicateWindow = 3_600 * second
    var events = StreamSettings(FleetNames.events, "bell.events.*", replicas: replicas)
    (events.maxAge, events.maxBytes) = (7 * day, 1 << 30)
    var clears = StreamSettings(FleetNames.clears, "bell.clear.*", replicas: replicas)
    (clears.maxAge, clears.maxMsgsPerSubject, clears.maxMsgSize) = (30 * day, 1_000, 4_096)
    return [
      pushes, bucket(FleetNames.tokens, size: 8_192, replicas: replicas),
      bucket(FleetNames.providers, size: 65_536, replicas: replicas), events, clears,
    ]
  }

  /// As NATS itself makes a bucket of keys with one value each.
  private static func bucket(_ stream: String, size: Int32, replicas: Int) -> StreamSettings {
    var bucket = StreamSettings(stream, "$KV.\(stream.dropFirst("KV_".count)).>", replicas: replicas)
    (bucket.maxMsgsPerSubject, bucket.maxMsgSize, bucket.discard) = (1, size, "new")
    (bucket.denyDelete, bucket.allowRollupHdrs, bucket.allowDirect) = (true, true, true)
    return bucket
  }

  /// Where `other`, which a server has, differs: `storage is memory, expected file`.
  func differences(in other: StreamSettings) -> [String] {
    func compare(_ name: String, _ value: some Equatable, _ expected: some Equatable) -> String? {
      "\(value)" == "\(expected)" ? nil : "\(name) is \(value), expected \(expected)"
    }
    return [
      compare("subjects", (other.subjects ?? []).joined(separator: " "), (subjects ?? []).joined(separator: " ")),
      compare("retention", other.retention, retention), compare("storage", other.storage, storage),
      compare("discard", other.discard, discard), compare("num_replicas", other.numReplicas, numReplicas),
      compare("max_age", StreamSettings.time(other.maxAge), StreamSettings.time(maxAge)),
      compare("max_bytes", other.maxBytes, maxBytes), compare("max_msgs", other.maxMsgs, maxMsgs),
      compare("max_msgs_per_subject", other.maxMsgsPerSubject, maxMsgsPerSubject),
      compare("max_msg_size", other.maxMsgSize ?? -1, maxMsgSize ?? -1),
      compare("max_consumers", other.maxConsumers, maxConsumers),
      compare(
        "duplicate_window", StreamSettings.time(other.duplicateWindow ?? 0),
        StreamSettings.time(duplicateWindow ?? 0)),
      compare("sealed", other.sealed ?? false, sealed ?? false),
      compare("deny_delete", other.denyDelete ?? false, denyDelete ?? false),
      compare("deny_purge", other.denyPurge ?? false, denyPurge ?? false),
      compare("allow_rollup_hdrs", other.allowRollupHdrs ?? false, allowRollupHdrs ?? false),
      compare("allow_direct", other.allowDirect ?? false, allowDirect ?? false),
      compare("no_ack", other.noAck ?? false, noAck ?? false),
    ].compactMap(\.self)
  }

  private static func time(_ nanoseconds: Int64) -> String {
    switch nanoseconds {
    case 0: "unlimited"
    case let time where time % day == 0: "\(time / day) d"
    default: "\(nanoseconds / second) s"
    }
  }
}

/// The settings of a desk's consumer. A desk must not be able to make one itself: a deliver subject is not held to its
/// permissions.
struct ConsumerSettings: Codable, Equatable, Sendable {
  var durableName: String
  var name: String
  var description: String
  var filterSubject: String
  var deliverPolicy: String
  var ackPolicy = "all"
  var ackWait: Int64 = 10_000_000_000
  var maxAckPending = 1_000
  var maxWaiting = 8
  var maxDeliver = -1
  var replayPolicy = "instant"
  /// True where its place need not outlive all servers; nil, as the server writes it, where it must.
  var memStorage: Bool?
  /// As the stream, so that no desk stands still while a node is down.
  var numReplicas: Int

  private enum CodingKeys: String, CodingKey {
    case name, description
    case durableName = "durable_name"
    case filterSubject = "filter_subject"
    case deliverPolicy = "deliver_policy"
    case ackPolicy = "ack_policy"
    case ackWait = "ack_wait"
    case maxAckPending = "max_ack_pending"
    case maxWaiting = "max_waiting"
    case maxDeliver = "max_deliver"
    case replayPolicy = "replay_policy"
    case memStorage = "mem_storage"
    case numReplicas = "num_replicas"
  }

  /// Of the pushes to a desk. In a cluster its place is in memory, so an acknowledgement costs no sync: the desk's own
  /// position is the truth. A single server would forget the consumer itself.
  static func pushes(to desk: String, description: String, replicas: Int) -> ConsumerSettings {
    ConsumerSettings(
      durableName: desk, name: desk, description: description, filterSubject: FleetNames.pushes(to: desk),
      deliverPolicy: "all", memStorage: replicas > 1 ? true : nil, numReplicas: replicas)
  }

  /// Of what the siblings of a desk clear.
  static func clears(of desk: String, in group: String, description: String, replicas: Int) -> ConsumerSettings {
    let name = FleetNames.clearConsumer(of: desk, in: group)
    return ConsumerSettings(
      durableName: name, name: name, description: description, filterSubject: FleetNames.clears(in: group),
      deliverPolicy: "new", numReplicas: replicas)
  }
}
