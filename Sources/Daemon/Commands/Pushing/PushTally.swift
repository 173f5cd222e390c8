import ArgumentParser
import CommandSupport
import HandsetCore
import ProviderClient

struct PushRate: ExpressibleByArgument, Equatable {
  static let range = 0.001...100_000.0

  var perSecond: Double

  /// Parses `20`, `0.5` or `20/s`; nil for anything else.
  init?(argument: String) {
    let number = argument.hasSuffix("/s") ? argument.dropLast(2) : argument[...]
    guard let perSecond = Double(number), PushRate.range.contains(perSecond) else { return nil }
    self.perSecond = perSecond
  }

  /// Returns the time at which a push is due, relative to the first, whose number is 0.
  func due(_ number: Int) -> Duration { .seconds(Double(number) / perSecond) }
}

struct PushTally: Encodable, Equatable {
  enum Limits {
    /// The pushes that may wait for their answer at the same time: APNs' limit for one connection.
    static let inFlight = 1_000
    /// The interval at which the progress is drawn.
    static let drawing: Duration = .milliseconds(200)
  }

  struct Result: Encodable, Equatable {
    var status: Int
    var reason: String?
    var count: Int
  }

  /// The time from a push's first try to its last answer, including pauses and the wait for the connection.
  struct Latency: Encodable, Equatable {
    var p50Microseconds: Int64
    var p99Microseconds: Int64
  }

  private(set) var milliseconds: Int64 = 0
  private(set) var accepted = 0
  private(set) var refused = 0
  /// Pushes to tokens that an earlier answer had reported as gone: never sent.
  private(set) var notSent = 0
  /// The tries beyond the first of each push.
  private(set) var retries = 0
  /// The results in the order in which they first came.
  private(set) var results: [Result] = []
  /// The latency; nil if nothing was sent.
  private(set) var latency: Latency?
  private var microseconds: [Int64] = []

  var count: Int { accepted + refused + notSent }
  var allAccepted: Bool { accepted == count }

  /// Sends pushes, and counts their answers.
  /// - Parameter send: sends the push with that number, the first being 0.
  /// - Throws: `ProviderClientError` if a push finally had no answer; unanswered ones are abandoned.
  mutating func run(
    _ total: Int, rate: PushRate?, _ send: @escaping @Sendable (Int) async throws -> PushReceipt
  ) async throws {
    let clock = ContinuousClock()
    let start = clock.now
    var drawn = start
    defer { took(clock.now - start) }
    try await withThrowingTaskGroup(of: (PushReceipt, Duration).self) { group in
      for number in 0..<total {
        if number >= Limits.inFlight, let (receipt, duration) = try await group.next() {
          add(receipt, after: duration)
        }
        if let rate { try await clock.sleep(until: start + rate.due(number)) }
        group.addTask {
          let begin = clock.now
          let receipt = try await send(number)
          return (receipt, clock.now - begin)
        }
        draw(total, &drawn)
      }
      while let (receipt, duration) = try await group.next() {
        add(receipt, after: duration)
        draw(total, &drawn)
      }
    }
  }

  private func draw(_ total: Int, _ drawn: inout ContinuousClock.Instant) {
    let now = ContinuousClock.now
    guard now - drawn > Limits.drawing else { return }
    drawn = now
    Output.progress("\(count) of \(total)")
  }

  mutating func add(_ receipt: PushReceipt, after duration: Duration) {
    guard receipt.attempts > 0 else {
      notSent += 1
      return
    }
    let answer = receipt.answer
    if answer.isAccepted { accepted += 1 } else { refused += 1 }
    retries += receipt.attempts - 1
    microseconds.append(duration.inMicroseconds)
    if let index = results.firstIndex(where: { $0.status == answer.status && $0.reason == answer.reason }) {
      results[index].count += 1
    } else {
      results.append(Result(status: answer.status, reason: answer.reason, count: 1))
    }
  }

  /// Notes the total time when all are answered or abandoned.
  mutating func took(_ duration: Duration) {
    milliseconds = duration.inMicroseconds / 1_000
    microseconds.sort()
    guard !microseconds.isEmpty else { return }
    latency = Latency(p50Microseconds: nearestRank(50), p99Microseconds: nearestRank(99))
  }

  /// Returns the smallest duration that at least that many percent do not exceed.
  private func nearestRank(_ percent: Int) -> Int64 {
    microseconds[(microseconds.count * percent + 99) / 100 - 1]
  }

  private enum CodingKeys: String, CodingKey {
    case milliseconds, accepted, refused, notSent, retries, results, latency
  }
}
