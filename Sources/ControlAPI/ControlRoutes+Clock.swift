// What time it is for the handset, and for a virtual clock, what time it is to be.

import HTTPRoutes

extension ControlRoutes {
  @Sendable func clock(_ request: HTTPRequest) async throws -> HTTPResponse {
    try .json(await backend.clock())
  }

  /// Answers when all that fell due until then has happened.
  @Sendable func advanceClock(_ request: HTTPRequest) async throws -> HTTPResponse {
    let seconds = try request.json(ClockAdvanceRequest.self).seconds
    guard ControlLimits.advanceSeconds.contains(seconds) else {
      throw ControlError(
        400, "the clock advances by 1 to \(ControlLimits.advanceSeconds.upperBound) seconds at a time, not \(seconds)")
    }
    return try .json(await backend.advanceClock(by: .seconds(seconds)))
  }
}
