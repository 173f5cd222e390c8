import FoundationEssentials
import HTTP
import HandsetCore
import HandsetStore

extension EventReport: WireType {
  static let meaning =
    "A line of the event stream. Beside these keys each event has its own. `reason` is a stable code, which x-reasons "
    + "lists with its `rule` and its `text`. For a refused push it is the protocol's own word, beside `status`, the "
    + "HTTP status of the answer, `source`, the IP address of the client, and `provider`, if one has authenticated; "
    + "for a sound that ended it is finished, replaced, stopped or failed. The `text` of a display event is that on "
    + "the digits; `overflow` is true if the number is larger. In a test bench `realMicroseconds` is the machine's "
    + "time at which the event was stored: microseconds since 1970-01-01T00:00:00Z."
  static let meanings: [String: Meaning] = [
    "sequence": .number(from: 1, "1 for the first; no number is used twice or left out."),
    "event": .one(of: Event.Name.self, "The kind of event."),
    "app": "The app that it is about.",
  ]

  /// Every reason of every event: its code, which is stable, the rule that it follows, and its text.
  static var moreOfSchema: [String: JSONValue] {
    let reasons = Why.table.flatMap { event, reasons in
      reasons.map { reason -> JSONValue in
        var members: [String: JSONValue] = ["event": .string(event.rawValue), "reason": .string(reason.code)]
        members["rule"] = reason.rule.map(JSONValue.string)
        members["text"] = .string(reason.text)
        return .object(members)
      }
    }
    return ["additionalProperties": true, "x-reasons": .array(reasons)]
  }
}

enum EventsResource {
  fileprivate static let pageLimit = 256
  fileprivate static let newline = [UInt8(ascii: "\n")]

  static let routes: [HandsetRoute] = [
    HandsetRoute(
      "GET", "/events", "events", in: .events, "Past events, and new ones as they come",
      query: [
        Operation.Query(
          name: "after",
          meaning: .number(
            from: 0,
            "Events after this sequence number. Numbers ascend. A missing number is that of an event that the journal "
              + "no longer has: it keeps 10,000 events named refused and, beside them, 100,000 others; of too many it "
              + "drops the oldest of the app, or provider, that has most."),
          form: .integer, standard: .integer(0)),
        Operation.Query(name: "follow", meaning: "True to wait for new events.", form: .flag, standard: false),
      ],
      response: Operation.Answer(
        meaning:
          "JSON lines, one event each; with follow they go on until the reader leaves or the daemon stops. If the "
          + "journal cannot be read, the last line is an ErrorBody: it has the key error, which no event has.",
        form: .either([EventReport.self, ErrorBody.self]), type: "application/x-ndjson")
    ) { handset, request in
      let first = request.target.queryValue("after") ?? "0"
      guard let after = UInt64(first) else {
        throw ControlError(400, "after is an event's sequence number, 0 or more, not '\(shown(first))'")
      }
      let word = request.target.queryValue("follow") ?? "false"
      guard let follow = Bool(word) else { throw ControlError(400, "follow is true or false, not '\(shown(word))'") }
      return HTTPResponse(
        headers: ["Content-Type": "application/x-ndjson", "Cache-Control": "no-store"],
        body: .stream { write in
          do {
            try await handset.sendEvents(after: after, follow: follow, to: write)
          } catch let error as ControlError {
            try await write(error.response.bytes + newline)
          }
        })
    }
  ]
}

extension HandsetParts {
  /// Sends events as JSON lines. A page is read when the reader has taken the one before.
  /// - Parameter follow: true to continue with new events; false to end with the existing ones.
  /// - Throws: `ControlError` if the journal cannot be read; errors of `write`.
  fileprivate func sendEvents(
    after sequence: UInt64, follow: Bool, to write: @Sendable ([UInt8]) async throws -> Void
  ) async throws {
    // Begins before the first page is read, so that no event is missed.
    var news = follow ? daemon.events.listen(to: id).makeAsyncIterator() : nil
    var last = sequence
    while true {
      let page: [EventReport]
      do throws(ControlError) {
        page = try await access.read { [last] _, store, number, _ in
          try store.events(of: number, after: last, limit: EventsResource.pageLimit)
        }
      } catch {
        throw ControlError(
          503, "the events after number \(last) cannot be read: \(error.message)",
          hint: "continue with 'deskbell events --since \(last)' once the disk works again")
      }
      for event in page { try await write(Array(timed(event).line.utf8) + EventsResource.newline) }
      if let newest = page.last {
        last = newest.sequence
      } else if await news?.next() == nil || Task.isCancelled {
        return
      }
    }
  }
}

extension HandsetParts {
  /// Adds the real time of an event, which only a test bench knows.
  private func timed(_ event: EventReport) -> EventReport {
    guard let real = daemon.bench?.progress.realMicroseconds(of: event.sequence, on: id) else { return event }
    var event = event
    event.fields["realMicroseconds"] = .number(Int(real))
    return event
  }
}

extension ControlClient {
  /// Passes each line of the event stream to `body` as it arrives. Returns at the end of the stream.
  /// - Throws: also `HTTPClientError.refused` if the daemon cannot read the journal any further.
  public func events(
    after sequence: UInt64, follow: Bool, _ body: (String) async throws -> Void
  ) async throws {
    try await http.lines(path("events") + "?after=\(sequence)&follow=\(follow)") { lines in
      while let line = try await lines.next() {
        // No event begins like this.
        if line.hasPrefix(#"{"error":"#), let end = try? JSONDecoder().decode(ErrorBody.self, from: Data(line.utf8)) {
          throw HTTPClientError.refused(status: 503, error: end.error, hint: end.hint)
        }
        try await body(line)
      }
    }
  }

  /// Reads a line of the stream.
  /// - Throws: `HTTPClientError.malformedAnswer`.
  public func event(_ line: String) throws -> EventReport {
    do {
      return try JSONDecoder().decode(EventReport.self, from: Data(line.utf8))
    } catch {
      throw otherVersion
    }
  }
}
