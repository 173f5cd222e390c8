import NIOCore
import PushPort
import Synchronization
import SystemThreads

/// The newest requests that the port received, in memory: the oldest ones are dropped when there are too many.
final class RequestRing: Sendable {
  enum Limits {
    static let requests = 10_000
    /// The bytes of their heads, bodies and answers.
    static let bytes = 64 * 1024 * 1024
    /// The bytes of a request beside its texts.
    static let overhead = 1_024
    /// The requests that are examined at once before they leave.
    static let examined = 64
  }

  /// The requests that a reader wants; nil wants all.
  struct Filter: Sendable {
    var after = 0
    var app: String?
    var provider: String?
    var handset: String?
    var status: Int?
    var connection: Int?
    var push: String?

    /// A request that was refused before its handset was known belongs to no handset.
    func accepts(_ request: RecordedRequest) -> Bool {
      request.number > after && (app == nil || request.app == app) && (provider == nil || request.provider == provider)
        && (handset == nil || request.handset == handset) && (status == nil || request.answer?.status == status)
        && (connection == nil || request.connection == connection)
        && (push == nil || request.push?.lowercased() == push?.lowercased())
    }
  }

  private struct State {
    /// Their numbers are consecutive.
    var requests = CircularBuffer<RecordedRequest>()
    var bytes = 0
    var last = 0
    /// The numbers of the requests in the order in which they ended, and how many left the buffer before the first.
    var ended = CircularBuffer<Int>()
    var endedBefore = 0
    /// How many of those that have ended were examined by the linter, or have left.
    var examined = 0
    /// The last request of each handset that was forgotten.
    var forgotten: [String: Int] = [:]
    /// The last request that was removed with all others.
    var removed = 0
    var readers: [UInt64: Signal<Void>.Sender] = [:]
    var nextReader: UInt64 = 0

    func index(of number: Int) -> Int? {
      guard let first = requests.first?.number, number >= first, number <= last else { return nil }
      return number - first
    }

    subscript(number: Int) -> RecordedRequest? {
      index(of: number).map { requests[requests.index(requests.startIndex, offsetBy: $0)] }
    }

    func isKept(_ request: RecordedRequest) -> Bool {
      request.handset.flatMap { forgotten[$0] }.map { request.number > $0 } ?? true
    }

    var endedCount: Int { endedBefore + ended.count }

    mutating func removeOldest() {
      guard let oldest = requests.popFirst() else { return }
      bytes -= oldest.bytes
      while let first = ended.first, first <= oldest.number || ended.count > Limits.requests {
        ended.removeFirst()
        endedBefore += 1
      }
      examined = max(examined, endedBefore)
    }
  }

  private let state = Mutex(State())

  /// - Returns: the request with its number.
  func append(_ request: RecordedRequest) -> RecordedRequest {
    state.withLock { state in
      state.last += 1
      var request = request
      request.number = state.last
      state.requests.append(request)
      state.bytes += request.bytes
      while state.requests.count > Limits.requests || state.bytes > Limits.bytes && state.requests.count > 1 {
        state.removeOldest()
      }
      return request
    }
  }

  /// Changes a request, if the ring still has it, and wakes the readers.
  func change(_ number: Int, _ body: (inout RecordedRequest) -> Void) {
    let readers: [Signal<Void>.Sender] = state.withLock { state in
      guard let offset = state.index(of: number) else { return [] }
      let index = state.requests.index(state.requests.startIndex, offsetBy: offset)
      let before = state.requests[index].bytes
      let hadEnded = state.requests[index].hasEnded
      body(&state.requests[index])
      state.bytes += state.requests[index].bytes - before
      if !hadEnded && state.requests[index].hasEnded { state.ended.append(number) }
      return Array(state.readers.values)
    }
    for reader in readers { reader.yield() }
  }

  /// Removes all requests; numbers go on.
  func removeAll() {
    state.withLock { state in
      while !state.requests.isEmpty { state.removeOldest() }
      state.endedBefore += state.ended.count
      state.ended.removeAll()
      state.examined = state.endedBefore
      state.removed = state.last
    }
  }

  /// Forgets the requests of a handset: the others keep their numbers and their places.
  func forget(of handset: String) { state.withLock { $0.forgotten[handset] = $0.last } }

  /// Returns true if a request was removed or forgotten since it began; one that had to make place was not.
  func isForgotten(_ number: Int) -> Bool {
    state.withLock { state in number <= state.removed || state[number].map { !state.isKept($0) } ?? false }
  }

  subscript(number: Int) -> RecordedRequest? { state.withLock { $0[number] } }

  /// The number of the newest request; 0 before the first.
  var last: Int { state.withLock(\.last) }

  /// Returns the newest requests that a filter accepts, oldest first.
  /// - Parameter count: the number of them; nil for all.
  func requests(_ filter: Filter = Filter(), last count: Int? = nil) -> [RecordedRequest] {
    state.withLock { state in
      let found = state.requests.filter { filter.accepts($0) && state.isKept($0) }
      return count.map { Array(Array(found).suffix($0)) } ?? Array(found)
    }
  }

  // MARK: The linter

  /// How many requests have ended, those that left included.
  var endedCount: Int { state.withLock(\.endedCount) }

  /// True if requests leave soon that the linter has not examined.
  var losesUnexamined: Bool {
    state.withLock { state in
      let isFull =
        state.requests.count > Limits.requests - Limits.examined || state.bytes > Limits.bytes - Limits.bytes / 16
      return isFull && state.examined < state.endedCount && state.examined - state.endedBefore < Limits.examined
    }
  }

  /// Returns the oldest requests that have ended and were not examined, in the order of their ends, without those of
  /// handsets that were forgotten.
  /// - Returns: also how many had ended before the first, and until the last.
  func unexamined(atMost count: Int) -> (requests: [(position: Int, request: RecordedRequest)], end: Int) {
    state.withLock { state in
      let end = min(state.examined + count, state.endedCount)
      let found = (state.examined..<end).compactMap { position -> (position: Int, request: RecordedRequest)? in
        let index = state.ended.index(state.ended.startIndex, offsetBy: position - state.endedBefore)
        return state[state.ended[index]].flatMap { state.isKept($0) ? (position, $0) : nil }
      }
      return (found, end)
    }
  }

  /// Notes the findings of requests that were examined.
  /// - Parameters:
  ///   - codes: by the numbers of the requests.
  ///   - end: how many requests had ended until the last of them.
  func noteExamined(_ codes: [Int: [String]], until end: Int) {
    state.withLock { state in
      for (number, codes) in codes {
        guard let offset = state.index(of: number) else { continue }
        state.requests[state.requests.index(state.requests.startIndex, offsetBy: offset)].lint = codes
      }
      state.examined = max(state.examined, end)
    }
  }

  // MARK: Readers

  /// Returns an element each time a request may have changed; unread ones are merged into one.
  func listen() -> AsyncStream<Void> {
    let signal = Signal<Void>()
    let number = state.withLock { state in
      defer { state.nextReader += 1 }
      state.readers[state.nextReader] = signal.sender
      return state.nextReader
    }
    signal.sender.onTermination = { [self] _ in
      _ = state.withLock { $0.readers.removeValue(forKey: number) }
    }
    return signal.values
  }

  /// Returns requests in the order in which they ended.
  /// - Parameters:
  ///   - position: the number of those that ended before; moved behind those that are returned.
  ///   - end: the number of those that ended until the last one that may be returned; nil for all.
  func ended(after position: inout Int, until end: Int? = nil, _ filter: Filter) -> [RecordedRequest] {
    let (found, end) = state.withLock { state in
      let end = min(end ?? .max, state.endedCount)
      let new = state.ended.prefix(max(0, end - state.endedBefore)).dropFirst(max(0, position - state.endedBefore))
      return (new.compactMap { state[$0] }.filter { filter.accepts($0) && state.isKept($0) }, end)
    }
    position = max(position, end)
    return found
  }
}

extension RecordedRequest {
  /// True if it was answered, or ended without an answer.
  var hasEnded: Bool { answer != nil || end != nil }

  fileprivate var bytes: Int {
    let head = headers.reduce(path.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    return RequestRing.Limits.overhead + head + (payload?.count ?? 0) + (answer?.body.count ?? 0)
  }
}
