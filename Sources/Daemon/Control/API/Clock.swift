import HTTP
import HandsetCore

/// The clock of all handsets.
public protocol ClockBackend: Sendable {
  var report: ClockReport { get }
  /// Advances a virtual clock, and returns when everything that falls due until then has happened.
  /// - Parameter duration: more than zero.
  /// - Throws: `ControlError` 409 if the clock is not virtual.
  func advance(by duration: Duration) async throws(ControlError) -> ClockReport
}

/// The handset's clock.
public struct ClockReport: Codable, Sendable, Equatable {
  /// `system`, or `virtual`: it moves only when it is advanced.
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

struct ClockAdvanceRequest: RequestBody, Sendable {
  var seconds: Int64

  enum CodingKeys: CodingKey, CaseIterable { case seconds }
}

enum ClockResource {
  static func routes(_ clock: any ClockBackend) -> [Route] {
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
