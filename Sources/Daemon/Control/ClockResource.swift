import HTTPRoutes
import HandsetCore

/// The handset's clock.
public struct ClockReport: Codable, Sendable, Equatable {
  /// `system`, or `virtual`: it moves only when it is advanced.
  public var clock: String
  public var uptimeMicroseconds: Int64
  public var wallMicroseconds: Int64
}

extension ClockReport {
  init(_ moment: Moment, isVirtual: Bool) {
    self.init(
      clock: isVirtual ? "virtual" : "system", uptimeMicroseconds: moment.uptime.inMicroseconds,
      wallMicroseconds: moment.wall.microseconds)
  }
}

struct ClockAdvanceRequest: RequestBody, Sendable {
  var seconds: Int64

  enum CodingKeys: CodingKey, CaseIterable { case seconds }
}

enum ClockResource {
  static func routes(_ clock: ClockController) -> [Route] {
    [
      .control("GET", "/v1/clock") { _ in try .json(clock.report) },
      // Answers when everything that fell due until then has happened.
      .control("POST", "/v1/clock/advance") { request in
        let seconds = try request.body(ClockAdvanceRequest.self).seconds
        guard ControlLimits.advanceSeconds.contains(seconds) else {
          throw ControlError(
            400,
            "the clock advances by 1 to \(ControlLimits.advanceSeconds.upperBound) seconds at a time, not \(seconds)")
        }
        return try .json(await clock.advance(by: .seconds(seconds)))
      },
    ]
  }
}

extension ControlClient {
  public func clock() async throws -> ClockReport { try await get("/v1/clock") }

  /// Returns when everything that fell due until then has happened, and the work that it started has ended.
  public func advanceClock(bySeconds seconds: Int64) async throws -> ClockReport {
    try await send("POST", "/v1/clock/advance", ClockAdvanceRequest(seconds: seconds), timeout: .seconds(3600))
  }
}
