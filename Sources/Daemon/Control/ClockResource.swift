import Clocks
import HTTP
import HandsetCore

public struct ClockReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The handset's clock."

  public var clock: String
  public var uptimeMicroseconds: Int64
  public var wallMicroseconds: Int64
  /// Nil from a daemon before 0.9.
  public var all: Bool?
  /// Nil from a daemon before 0.9.
  public var realMicroseconds: Int64?

  static let meanings: [String: Meaning] = [
    "clock": .words(["system", "virtual"], "A virtual clock moves only when it is advanced."),
    "all": "True if provider tokens, rates, certificates, retries and the log follow a virtual clock too.",
    "realMicroseconds": "The machine's own wall clock: microseconds since 1970-01-01T00:00:00Z.",
  ]
}

extension ClockReport {
  init(_ moment: Moment, isVirtual: Bool, isJoined: Bool) {
    self.init(
      clock: isVirtual ? "virtual" : "system", uptimeMicroseconds: moment.uptime.inMicroseconds,
      wallMicroseconds: moment.wall.microseconds, all: isJoined,
      realMicroseconds: SystemClock.wallTime().microseconds)
  }
}

struct ClockAdvanceRequest: RequestBody, Sendable {
  static let meaning = "The time by which a virtual clock advances."

  var seconds: Int64

  static let meanings: [String: Meaning] = [
    "seconds": .number(ControlLimits.advanceSeconds, "Up to a year.")
  ]
}

enum ClockResource {
  static let routes: [DaemonRoute] = [
    DaemonRoute(
      "GET", "/v1/clock", "clock", in: .clock, "The handset's clock", answer: "The clock now."
    ) { daemon, _ in daemon.clock.report },
    DaemonRoute(
      "POST", "/v1/clock/advance", "advanceClock", in: .clock, "Advance a virtual clock",
      body: ClockAdvanceRequest(seconds: 2_700),
      answer: "The clock then. Everything that fell due on the way has happened, in order, each at its own moment.",
      refusals: [409: ""]
    ) { daemon, request -> ClockReport in
      let seconds = try request.body(ClockAdvanceRequest.self).seconds
      guard ControlLimits.advanceSeconds.contains(seconds) else {
        throw ControlError(
          400,
          "the clock advances by 1 to \(ControlLimits.advanceSeconds.upperBound) seconds at a time, not \(seconds)")
      }
      return try await daemon.clock.advance(by: .seconds(seconds))
    },
  ]
}

extension ControlClient {
  public func clock() async throws -> ClockReport { try await get("/v1/clock") }

  /// Returns when everything that fell due until then has happened, and the work that it started has ended.
  public func advanceClock(bySeconds seconds: Int64) async throws -> ClockReport {
    try await send("POST", "/v1/clock/advance", ClockAdvanceRequest(seconds: seconds), timeout: .seconds(3600))
  }
}
