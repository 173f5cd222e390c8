import HTTPRoutes
import HandsetCore

/// The clock that all handsets go by.
public protocol ClockBackend: Sendable {
  func clock() async throws(ControlError) -> ClockReport
  /// Moves a virtual clock on; all that falls due until then has happened when this returns.
  /// - Parameter duration: more than zero.
  /// - Throws: `ControlError` 409 where the clock is not virtual.
  func advanceClock(by duration: Duration) async throws(ControlError) -> ClockReport
}

/// The handset's clock.
public struct ClockReport: Codable, Sendable, Equatable {
  /// `system`, or `virtual`: it stands still but for being advanced.
  public var clock: String
  public var uptimeMicroseconds: Int64
  public var wallMicroseconds: Int64
}

extension ClockReport {
  public init(_ moment: Moment, isVirtual: Bool) {
    self.init(
      clock: isVirtual ? "virtual" : "system", uptimeMicroseconds: moment.uptime.inMicroseconds,
      wallMicroseconds: moment.wall.microseconds)
  }
}

public struct ClockAdvanceRequest: RequestBody, Sendable {
  public var seconds: Int64

  enum CodingKeys: CodingKey, CaseIterable { case seconds }
}

struct ClockResource: Sendable {
  let clock: any ClockBackend

  var routes: [Route] {
    [
      .control("GET", "/v1/clock") { _ in try .json(await clock.clock()) },
      .control("POST", "/v1/clock/advance", advance),
    ]
  }

  /// Answers when all that fell due until then has happened.
  @Sendable private func advance(_ request: HTTPRequest) async throws -> HTTPResponse {
    let seconds = try request.body(ClockAdvanceRequest.self).seconds
    guard ControlLimits.advanceSeconds.contains(seconds) else {
      throw ControlError(
        400, "the clock advances by 1 to \(ControlLimits.advanceSeconds.upperBound) seconds at a time, not \(seconds)")
    }
    return try .json(await clock.advanceClock(by: .seconds(seconds)))
  }
}
