// Many pushes: as many at a time as the server takes, or as fast as they are wanted, and counted.

import ArgumentParser
import ProviderClient

/// Pushes a second.
struct PushRate: ExpressibleByArgument, Equatable {
  static let range = 0.001...100_000.0

  var perSecond: Double

  /// `20`, `0.5` or `20/s`; nil for anything else.
  init?(argument: String) {
    let number = argument.hasSuffix("/s") ? argument.dropLast(2) : argument[...]
    guard let perSecond = Double(number), PushRate.range.contains(perSecond) else { return nil }
    self.perSecond = perSecond
  }

  /// When the push of that number is due, counted from the first, whose number is 0.
  func due(_ number: Int) -> Duration { .seconds(Double(number) / perSecond) }
}

/// One run of many pushes.
struct PushRun {
  enum Limits {
    /// Pushes that wait for their answer at the same time: what APNs takes on one connection.
    static let inFlight = 1_000
    /// How often the progress is drawn.
    static let drawing: Duration = .milliseconds(200)
  }

  let requests: [PushRequest]
  /// How often all of them are sent.
  let count: Int
  let rate: PushRate?
  private(set) var tally = PushTally()

  init(requests: [PushRequest], count: Int, rate: PushRate? = nil) {
    self.requests = requests
    self.count = count
    self.rate = rate
  }

  /// - Throws: `ProviderError` where a push had no answer at last; those not yet answered are given up.
  mutating func send(by sender: PushSender) async throws {
    let clock = ContinuousClock()
    let start = clock.now
    var drawn = start
    defer { tally.took(clock.now - start) }
    let total = requests.count * count
    try await withThrowingTaskGroup(of: (PushReceipt, Duration).self) { group in
      for number in 0..<total {
        if number >= Limits.inFlight, let (receipt, duration) = try await group.next() {
          tally.add(receipt, after: duration)
        }
        if let rate { try await clock.sleep(until: start + rate.due(number)) }
        let request = requests[number % requests.count]
        group.addTask {
          let begin = clock.now
          let receipt = try await sender.send(request)
          return (receipt, clock.now - begin)
        }
        draw(total, &drawn)
      }
      while let (receipt, duration) = try await group.next() {
        tally.add(receipt, after: duration)
        draw(total, &drawn)
      }
    }
  }

  private func draw(_ total: Int, _ drawn: inout ContinuousClock.Instant) {
    let now = ContinuousClock.now
    guard now - drawn > Limits.drawing else { return }
    drawn = now
    Output.progress("\(tally.count) of \(total)")
  }
}
