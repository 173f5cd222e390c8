// Who listens to a topic, and what was published to it lately: ntfy's clients ask for what they missed.

import HandsetCore
import NIOCore
import Synchronization

/// The subscriptions of all topics. They and what they may ask for are in memory, and end with the daemon.
final class NtfySubscriptions: Sendable {
  enum Format: String, Sendable {
    case json, sse, raw
  }

  /// One thing that happened on a topic.
  struct Event: Sendable {
    var name: String
    var values: [String: JSONValue]
    /// In microseconds since 1970.
    var time: Int64

    /// As JSON.
    var size: Int { bytes(.json).count }

    /// What a client reads of it.
    func bytes(_ format: Format) -> [UInt8] {
      switch format {
      case .json: return JSONValue.object(values).bytes + [0x0A]
      case .sse:
        let name = name == "message" ? "" : "event: \(name)\n"
        return Array("\(name)data: ".utf8) + JSONValue.object(values).bytes + Array("\n\n".utf8)
      case .raw:
        guard name == "message", case .string(let text)? = values["message"] else { return [0x0A] }
        // Each end of a line, `\r\n` and those of Unicode too: a message is one line.
        let parts = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return Array(parts.joined(separator: " ").utf8) + [0x0A]
      }
    }
  }

  /// What a client asks for beside what comes.
  enum Since: Hashable {
    case now, all, latest
    case time(Int64)
    case message(String)
  }

  private struct Topic {
    private(set) var recent: [Event] = []
    private var sizes: [Int] = []
    private var size = 0
    var listeners: [Int: (format: Format, stream: ResponseStream)] = [:]

    /// - Parameter size: of the event.
    mutating func remember(_ event: Event, size: Int, _ limits: GatewayLimits) {
      recent.append(event)
      sizes.append(size)
      self.size += size
      var excess = max(0, recent.count - limits.rememberedMessages)
      for size in sizes[..<excess] { self.size -= size }
      while self.size > limits.rememberedMessageBytes, excess < sizes.count {
        self.size -= sizes[excess]
        excess += 1
      }
      recent.removeFirst(excess)
      sizes.removeFirst(excess)
    }
  }

  private struct State {
    var topics: [String: Topic] = [:]
    var next = 0
    /// While somebody listens.
    var keepAlive: RepeatedTask?

    var hasListeners: Bool { topics.values.contains { !$0.listeners.isEmpty } }
  }

  private let state = Mutex(State())
  private let limits: GatewayLimits

  init(limits: GatewayLimits) {
    self.limits = limits
  }

  /// What has been published to the topic since then, and is still remembered.
  func recent(_ topic: String, since: Since) -> [Event] {
    state.withLock { NtfySubscriptions.choose($0.topics[topic]?.recent ?? [], since) }
  }

  private static func choose(_ events: [Event], _ since: Since) -> [Event] {
    switch since {
    case .now: return []
    case .all: return events
    case .latest: return Array(events.suffix(1))
    case .time(let time): return events.filter { $0.time >= time }
    case .message(let id):
      guard let place = events.lastIndex(where: { $0.values["id"] == .string(id) }) else { return events }
      return Array(events[(place + 1)...])
    }
  }

  /// A stream of what comes; nil where the topic has as many as it may.
  func listen(to topic: String, _ format: Format, since: Since, _ gateway: Gateway) -> ResponseStream? {
    let opening = NtfySubscriptions.note("open", topic, gateway.clock.handset())
    return state.withLock { state in
      guard state.topics[topic]?.listeners.count ?? 0 < limits.subscriptions else { return nil }
      state.next += 1
      let number = state.next
      let first = [opening] + NtfySubscriptions.choose(state.topics[topic]?.recent ?? [], since)
      let stream = ResponseStream(first: first.flatMap { $0.bytes(format) }, limit: limits.subscriptionBytes) {
        [weak self] in self?.leave(topic, number)
      }
      state.topics[topic, default: Topic()].listeners[number] = (format, stream)
      if state.keepAlive == nil { state.keepAlive = keepAlive(gateway) }
      return stream
    }
  }

  private func leave(_ topic: String, _ number: Int) {
    state.withLock { state in
      state.topics[topic]?.listeners[number] = nil
      if state.topics[topic]?.listeners.isEmpty == true && state.topics[topic]?.recent.isEmpty == true {
        state.topics[topic] = nil
      }
      guard !state.hasListeners else { return }
      state.keepAlive?.cancel()
      state.keepAlive = nil
    }
  }

  /// Clients and what is between them take a silent connection for a dead one.
  private func keepAlive(_ gateway: Gateway) -> RepeatedTask {
    let interval = TimeAmount(limits.subscriptionKeepAlive)
    return gateway.eventLoopGroup.next().scheduleRepeatedTask(initialDelay: interval, delay: interval) {
      [weak self, clock = gateway.clock] _ in
      let listeners = self?.state.withLock { state in
        state.topics.flatMap { topic, value in value.listeners.values.map { (topic, $0.format, $0.stream) } }
      }
      for (topic, format, stream) in listeners ?? [] {
        stream.write(NtfySubscriptions.note("keepalive", topic, clock.handset()).bytes(format))
      }
    }
  }

  func publish(_ event: Event, to topic: String) {
    let size = event.size
    let listeners = state.withLock { state in
      state.topics[topic, default: Topic()].remember(event, size: size, limits)
      return state.topics[topic].map { Array($0.listeners.values) } ?? []
    }
    for (format, stream) in listeners { stream.write(event.bytes(format)) }
  }

  /// `open` and `keepalive`.
  static func note(_ name: String, _ topic: String, _ now: WallTime) -> Event {
    let seconds = now.microseconds / 1_000_000
    return Event(
      name: name,
      values: [
        "id": .string(PushID.randomLetters()), "time": .integer(seconds), "event": .string(name),
        "topic": .string(topic),
      ], time: now.microseconds)
  }
}

extension NtfySubscriptions.Since {
  /// As ntfy's clients write it: `all`, `latest`, `none`, a duration, seconds since 1970, or a message's id.
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
        throw KeyedRefusal(400, "BadRequest", "since \(quoted(text)) is no time and no message's id", code: 40008)
      }
    }
  }
}
