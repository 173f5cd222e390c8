import FoundationEssentials
import HTTP
import HandsetCore

/// The events of one handset.
public protocol EventsBackend: Sendable {
  /// Returns events as JSON lines, without newlines, after that sequence number. Throws `ControlError` if the journal
  /// cannot be read.
  /// - Parameter follow: true to continue with new events; false to end with the existing ones.
  func events(after sequence: UInt64, follow: Bool) async throws(ControlError) -> AsyncThrowingStream<String, any Error>
}

enum EventsResource {
  /// JSON lines: without `follow` the existing events, with it until the reader leaves or the daemon stops. If the
  /// journal cannot be read, the last line is an `ErrorBody`.
  static let routes = [
    HandsetRoute("GET", "/events", query: ["after", "follow"]) { handset, request in
      var after: UInt64 = 0
      if let text = request.target.queryValue("after") {
        guard let number = UInt64(text) else {
          throw ControlError(400, "after is an event's sequence number, 0 or more, not '\(shown(text))'")
        }
        after = number
      }
      let follow: Bool
      switch request.target.queryValue("follow") {
      case nil, "false": follow = false
      case "true": follow = true
      case let text?: throw ControlError(400, "follow is true or false, not '\(shown(text))'")
      }
      let lines = try await handset.events.events(after: after, follow: follow)
      return HTTPResponse(
        headers: ["Content-Type": "application/x-ndjson", "Cache-Control": "no-store"],
        body: .stream { write in
          do {
            for try await line in lines { try await write(Array(line.utf8) + newline) }
          } catch let error as ControlError {
            guard case .bytes(let line) = error.response.body else { return }
            try await write(line + newline)
          }
        })
    }
  ]

  private static let newline = [UInt8(ascii: "\n")]
}

extension ErrorBody {
  /// The beginning of the last line of a stream that failed. No event begins like this.
  private static let lineStart = #"{"error":"#

  /// Nil for the line of an event.
  init?(eventLine line: String) {
    guard line.hasPrefix(ErrorBody.lineStart),
      let body = try? JSONDecoder().decode(ErrorBody.self, from: Data(line.utf8))
    else { return nil }
    self = body
  }
}
