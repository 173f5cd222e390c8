import HTTP

/// The filter of a listener's messages [ntfy: filter messages].
struct NtfyFilter {
  var id: String?
  var message: String?
  var title: String?
  /// The tags that a message must have, all of them.
  var tags: Set<String> = []
  /// The priorities that pass; empty for any.
  var priorities: Set<Int> = []

  /// Makes a filter that every message passes.
  init() {}

  /// - Throws: 400 for an invalid priority.
  init(_ head: RequestHead, _ target: RequestTarget, _ limits: PortLimits) throws(KeyedRefusal) {
    let parameters = NtfyParameters(head, target)
    id = head.headers["x-id"] ?? head.headers["id"] ?? target.queryValue("x-id") ?? target.queryValue("id")
    (message, title) = (parameters[.message], parameters[.title])
    tags = Set(parameters.tagList(limits).map(\.trimmingSpaces).filter { !$0.isEmpty })
    for priority in (parameters[.priority] ?? "").separatedByCommas(limits) where !priority.trimmingSpaces.isEmpty {
      priorities.insert(try NtfyMessage.priority(priority))
    }
  }

  /// Returns true if an event passes; events other than messages pass every filter.
  func passes(_ event: NtfySubscriptions.Event) -> Bool {
    guard let content = event.content else { return true }
    return (id ?? event.id) == event.id && (message ?? content.text) == content.text
      && (title ?? content.title) == content.title && tags.isSubset(of: content.tags)
      && (priorities.isEmpty || priorities.contains(content.priority))
  }
}
