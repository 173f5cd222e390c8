import ArgumentParser
import CommandSupport
import ProviderClient

/// The pushes per second.
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

/// One run of many pushes.
struct PushRun {
  enum Limits {
    /// The pushes that may wait for their answer at the same time: APNs' limit for one connection.
    static let inFlight = 1_000
    /// The interval at which the progress is drawn.
    static let drawing: Duration = .milliseconds(200)
  }

  /// The number of pushes.
  let total: Int
  let rate: PushRate?
  private(set) var tally = PushTally()

  /// - Parameter send: sends the push with that number, the first being 0.
  /// - Throws: `ProviderClientError` if a push finally had no answer; unanswered ones are abandoned.
  mutating func run(_ send: @escaping @Sendable (Int) async throws -> PushReceipt) async throws {
    let clock = ContinuousClock()
    let start = clock.now
    var drawn = start
    defer { tally.took(clock.now - start) }
    try await withThrowingTaskGroup(of: (PushReceipt, Duration).self) { group in
      for number in 0..<total {
        if number >= Limits.inFlight, let (receipt, duration) = try await group.next() {
          tally.add(receipt, after: duration)
        }
        if let rate { try await clock.sleep(until: start + rate.due(number)) }
        group.addTask {
          let begin = clock.now
          let receipt = try await send(number)
          return (receipt, clock.now - begin)
        }
        draw(&drawn)
      }
      while let (receipt, duration) = try await group.next() {
        tally.add(receipt, after: duration)
        draw(&drawn)
      }
    }
  }

  private func draw(_ drawn: inout ContinuousClock.Instant) {
    let now = ContinuousClock.now
    guard now - drawn > Limits.drawing else { return }
    drawn = now
    Output.progress("\(tally.count) of \(total)")
  }
}
