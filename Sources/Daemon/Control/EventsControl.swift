// The journal of events as a stream: read page by page, at the speed of its reader.

import ControlAPI
import HandsetCore
import HandsetStore

/// A handset's events in the control API.
struct EventsControl: EventsBackend {
  enum Limits {
    /// Events read from the journal at a time.
    static let page = 256
  }

  let access: HandsetAccess
  let stream: EventStreamSink

  func events(
    after sequence: UInt64, follow: Bool
  ) async throws(ControlError) -> AsyncThrowingStream<String, any Error> {
    // The producer waits for its reader: a page is read when the one before is consumed.
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
          try store.events(of: number, after: after, limit: EventsControl.Limits.page)
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
