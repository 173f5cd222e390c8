import HTTP
import HandsetCore
import NIOCore
import NIOWebSocket
import Synchronization

/// The listening clients of all access keys, and the recent messages, which ntfy's clients request if they missed some.
/// Both are in memory, belong to an access key and end with it: a revoked key reads nothing more, and a topic's next
/// owner reads no earlier messages.
final class NtfySubscriptions: Sendable {
  enum Format: String, Sendable {
    case json, sse, raw, ws
  }

  /// An event of a topic, as clients receive it.
  struct Event: Sendable {
    /// The kind of event: `message`, `open` and others.
    let name: String
    let id: String
    /// The time, in microseconds since 1970.
    let time: Int64
    let json: [UInt8]
    /// The parts of a message that filters compare; nil for another event.
    let content: (text: String, title: String, tags: [String], priority: Int)?

    /// - Parameter values: all members except its name and its id.
    init(
      _ name: String, id: String, time: Int64, _ values: [String: JSONValue],
      content: (text: String, title: String, tags: [String], priority: Int)? = nil
    ) {
      (self.name, self.id, self.time, self.content) = (name, id, time, content)
      json = JSONValue.object(values.merging(["event": .string(name), "id": .string(id)]) { $1 }).bytes
    }

    /// Returns the bytes that a client reads.
    func bytes(_ format: Format) -> [UInt8] {
      switch format {
      case .json: return json + [0x0A]
      case .sse:
        let name = name == "message" ? "" : "event: \(name)\n"
        return Array("\(name)data: ".utf8) + json + Array("\n\n".utf8)
      case .raw:
        // A message is one line, so every line break becomes a space, also `\r\n` and those of Unicode.
        let parts = (content?.text ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return Array(parts.joined(separator: " ").utf8) + [0x0A]
      case .ws:
        return name == "keepalive" ? WebSocketFrame.ping : WebSocketFrame.text(json)
      }
    }
  }

  /// The remembered events that a client requests.
  enum Since: Hashable {
    case now, all, latest
    case time(Int64)
    case message(String)

    /// Reads ntfy's `since`: `all`, `latest`, `none`, a duration, seconds since 1970, or a message's id.
    /// - Throws: 400.
    init(_ text: String, now: WallTime) throws(KeyedRefusal) {
      switch text {
      case "all": self = .all
      case "latest": self = .latest
      case "none": self = .now
      default:
        if text.utf8.count == PushID.letterCount, !text.utf8.allSatisfy({ $0 < UInt8(ascii: ":") }) {
          self = .message(text)
        } else if text.utf8.count <= 12, let seconds = Int64(text) {
          self = .time(seconds * 1_000_000)
        } else if let duration = NtfyDelay.parse(text.lowercased()) {
          self = .time(now.advanced(by: .zero - duration).microseconds)
        } else {
          throw .bad("since \(quoted(text)) is no time and no message's id", code: 40008)
        }
      }
    }
  }

  private struct Listener {
    let format: Format
    let filter: NtfyFilter
    let stream: ResponseStream
  }

  /// The listeners and recent events of one access key.
  private struct Subscription {
    let topic: String
    var recent: [Event] = []
    /// Bytes of the recent events, with a line feed each.
    var size = 0
    var listeners: [Int: Listener] = [:]

    mutating func remember(_ event: Event, _ limits: PortLimits) {
      recent.append(event)
      size += event.json.count + 1
      var excess = 0
      while recent.count - excess > limits.rememberedMessages || size > limits.rememberedMessageBytes {
        size -= recent[excess].json.count + 1
        excess += 1
      }
      recent.removeFirst(excess)
    }
  }

  private struct State {
    var subscriptions: [AccessKey: Subscription] = [:]
    var next = 0
    /// The timer of keep-alive events; nil if no client listens.
    var keepAlive: RepeatedTask?
  }

  private let state = Mutex(State())
  private let providers: ProviderDirectory
  private let limits: PortLimits

  init(_ providers: ProviderDirectory, limits: PortLimits) {
    self.providers = providers
    self.limits = limits
    providers.whenKeysEnd { [weak self] in self?.end($0) }
  }

  /// Returns the remembered events that were published with the key since then and pass the filter.
  func recent(_ key: AccessKey, since: Since, _ filter: NtfyFilter) -> [Event] {
    state.withLock { NtfySubscriptions.choose($0.subscriptions[key]?.recent ?? [], since).filter(filter.passes) }
  }

  private static func choose(_ events: [Event], _ since: Since) -> [Event] {
    switch since {
    case .now: return []
    case .all: return events
    case .latest: return Array(events.suffix(1))
    case .time(let time): return events.filter { $0.time >= time }
    case .message(let id):
      guard let place = events.lastIndex(where: { $0.id == id }) else { return events }
      return Array(events[(place + 1)...])
    }
  }

  /// Returns a stream of the events that are published with the provider's key.
  ///
  /// - Throws: 429 if too many clients listen with the key, 401 if the key ended after the request was accepted.
  func listen(
    to provider: KeyedProvider, _ format: Format, since: Since, _ filter: NtfyFilter, _ port: Port
  ) throws(KeyedRefusal) -> ResponseStream {
    let key = provider.key
    let opening = NtfySubscriptions.note("open", provider.name, port.clock.handset())
    return try state.withLock { (state) throws(KeyedRefusal) in
      guard isKnown(key) else { throw .wrongKey }
      var subscription = state.subscriptions[key] ?? Subscription(topic: provider.name)
      guard subscription.listeners.count < limits.subscriptions else {
        throw .tooMany("as many clients listen to the topic as may", code: 42902)
      }
      state.next += 1
      let number = state.next
      let first = [opening] + NtfySubscriptions.choose(subscription.recent, since).filter(filter.passes)
      let stream = ResponseStream(first: first.flatMap { $0.bytes(format) }, limit: limits.subscriptionBytes) {
        [weak self] in self?.leave(key, number)
      }
      subscription.listeners[number] = Listener(format: format, filter: filter, stream: stream)
      state.subscriptions[key] = subscription
      if state.keepAlive == nil { state.keepAlive = keepAlive(port) }
      return stream
    }
  }

  /// Returns true if the key is valid. Called under the lock, so `end` finds the subscription of a key that ends later.
  private func isKnown(_ key: AccessKey) -> Bool { providers.provider(for: key) != nil }

  private func leave(_ key: AccessKey, _ number: Int) {
    state.withLock { state in
      state.subscriptions[key]?.listeners[number] = nil
      if let subscription = state.subscriptions[key], subscription.listeners.isEmpty, subscription.recent.isEmpty {
        state.subscriptions[key] = nil
      }
      guard state.subscriptions.values.allSatisfy(\.listeners.isEmpty) else { return }
      state.keepAlive?.cancel()
      state.keepAlive = nil
    }
  }

  /// Closes the streams of keys that have ended, and forgets the events published with them.
  private func end(_ keys: Set<AccessKey>) {
    let ended = state.withLock { state in keys.compactMap { state.subscriptions.removeValue(forKey: $0) } }
    // Outside the lock, because each stream calls `leave`.
    for listener in ended.flatMap(\.listeners.values) {
      if listener.format == .ws { listener.stream.write(WebSocketFrame.close(.policyViolation)) }
      listener.stream.end()
    }
  }

  /// Starts the keep-alive timer: clients and proxies take a silent connection for a dead one.
  private func keepAlive(_ port: Port) -> RepeatedTask {
    let interval = TimeAmount(limits.subscriptionKeepAlive)
    return port.eventLoopGroup.next().scheduleRepeatedTask(initialDelay: interval, delay: interval) {
      [weak self, clock = port.clock] _ in
      for subscription in self?.state.withLock({ Array($0.subscriptions.values) }) ?? [] {
        let note = NtfySubscriptions.note("keepalive", subscription.topic, clock.handset())
        NtfySubscriptions.write(note, to: subscription.listeners.values)
      }
    }
  }

  func publish(_ event: Event, by provider: KeyedProvider) {
    let key = provider.key
    let listeners = state.withLock { state in
      guard isKnown(key) else { return [Listener]() }
      state.subscriptions[key, default: Subscription(topic: provider.name)].remember(event, limits)
      return state.subscriptions[key].map { Array($0.listeners.values) } ?? []
    }
    NtfySubscriptions.write(event, to: listeners)
  }

  private static func write(_ event: Event, to listeners: some Sequence<Listener>) {
    var made: [Format: [UInt8]] = [:]
    for listener in listeners where listener.filter.passes(event) {
      let bytes = made[listener.format] ?? event.bytes(listener.format)
      made[listener.format] = bytes
      listener.stream.write(bytes)
    }
  }

  /// Makes an event other than a message.
  static func note(
    _ name: String, _ topic: String, _ now: WallTime, _ values: [String: JSONValue] = [:]
  ) -> Event {
    Event(
      name, id: PushID.randomLetters(), time: now.microseconds,
      values.merging(["time": .integer(now.microseconds / 1_000_000), "topic": .string(topic)]) { $1 })
  }
}

/// The filter of a listener's messages [ntfy: filter messages]. Without values every message passes.
struct NtfyFilter {
  var id: String?
  var message: String?
  var title: String?
  /// The tags that a message must have, all of them.
  var tags: Set<String> = []
  /// The priorities that pass; empty for any.
  var priorities: Set<Int> = []

  /// Returns true if an event passes; events other than messages pass every filter.
  func passes(_ event: NtfySubscriptions.Event) -> Bool {
    guard let content = event.content else { return true }
    return (id ?? event.id) == event.id && (message ?? content.text) == content.text
      && (title ?? content.title) == content.title && tags.isSubset(of: content.tags)
      && (priorities.isEmpty || priorities.contains(content.priority))
  }
}

extension NtfyFilter {
  /// - Throws: 400 for an invalid priority.
  init(_ head: RequestHead, _ target: RequestTarget, _ limits: PortLimits) throws(KeyedRefusal) {
    let parameters = NtfyParameters(head, target)
    id = head.headers["x-id"] ?? head.headers["id"] ?? target.queryValue("x-id") ?? target.queryValue("id")
    (message, title) = (parameters[.message], parameters[.title])
    tags = Set(parameters.tagList(limits).map(\.trimmingSpaces).filter { !$0.isEmpty })
    for priority in (parameters[.priority] ?? "").separatedByCommas(limits) where !priority.trimmingSpaces.isEmpty {
      priorities.insert(try NtfyMessage.priority(priority))
    }
  }
}
