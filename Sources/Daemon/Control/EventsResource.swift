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
    + "the digits; `overflow` is true if the number is larger."
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

/// The events of one handset.
struct EventsResource: Sendable {
  enum Limits {
    /// Events read from the journal at a time.
    static let page = 256
  }

  let access: HandsetAccess
  let stream: EventStreamSink

  /// JSON lines: without `follow` the existing events, with it until the reader leaves or the daemon stops. If the
  /// journal cannot be read, the last line is an `ErrorBody`.
  static let routes: [HandsetRoute] = [
    HandsetRoute(
      "GET", "/events", "events", in: .events, "Past events, and new ones as they come",
      query: [
        Operation.Query(
          "after",
          .number(
            from: 0,
            "Events after this sequence number. Numbers ascend. A missing number is that of an event that the journal "
              + "no longer has: it keeps 10,000 events named refused and, beside them, 100,000 others; of too many it "
              + "drops the oldest of the app, or provider, that has most."),
          form: .integer, standard: .integer(0)),
        Operation.Query("follow", "True to wait for new events.", form: .flag, standard: false),
      ],
      response: .lines(
        [EventReport.self, ErrorBody.self],
        "JSON lines, one event each; with follow they go on until the reader leaves or the daemon stops. If the "
          + "journal cannot be read, the last line is an ErrorBody: it has the key error, which no event has.")
    ) { handset, request in
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
      let lines = handset.events.lines(after: after, follow: follow)
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

  /// Returns events as JSON lines, without newlines. The producer waits for its reader: a page is read when the one
  /// before is consumed. If the journal cannot be read, the stream throws a `ControlError`.
  /// - Parameters:
  ///   - sequence: the events after this number.
  ///   - follow: true to continue with new events; false to end with the existing ones.
  func lines(after sequence: UInt64, follow: Bool) -> AsyncThrowingStream<String, any Error> {
    let pager = EventPager(access: access, bell: follow ? stream.listen(to: access.identity.id) : nil, after: sequence)
    return AsyncThrowingStream(unfolding: { try await pager.next() })
  }
}

/// A reader of the journal, page by page.
private actor EventPager {
  private let access: HandsetAccess
  private var bell: AsyncStream<Void>.AsyncIterator?
  private var last: UInt64
  private var events: [EventReport] = []

  init(access: HandsetAccess, bell: AsyncStream<Void>?, after sequence: UInt64) {
    self.access = access
    self.bell = bell?.makeAsyncIterator()
    self.last = sequence
  }

  /// Returns the next event; nil at the end.
  /// - Throws: `ControlError` 503 if the journal cannot be read.
  func next() async throws -> String? {
    while events.isEmpty {
      let after = last
      let page: [EventReport]
      do {
        page = try await access.read { _, store, number, _ in
          try store.events(of: number, after: after, limit: EventsResource.Limits.page)
        }
      } catch {
        throw ControlError(
          503, "the events after number \(after) cannot be read: \(error.message)",
          hint: "continue with 'deskbell events --since \(after)' once the disk works again")
      }
      if let newest = page.last {
        last = newest.sequence
        events = page.reversed()
      } else {
        guard var waiting = bell else { return nil }
        guard await waiting.next(isolation: self) != nil, !Task.isCancelled else { return nil }
        bell = waiting
      }
    }
    return events.popLast()?.line
  }
}

extension ControlClient {
  /// Passes each line of the event stream to `body` as it arrives. Returns at the end of the stream.
  /// - Parameters:
  ///   - sequence: the events after this one.
  ///   - follow: true to wait for new events.
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
