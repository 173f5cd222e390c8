import HandsetCore

public struct UsageReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The use of each limit, with the largest users."

  /// The most apps, and the most providers, that are listed.
  public static let named = 5

  public struct Quota: Codable, Sendable, Equatable, WireType {
    static let meaning = "The use of a limit."

    public var used: Int
    public var limit: Int

    static let meanings: [String: Meaning] = [
      "used": .count("The number in use."),
      "limit": .count("The most that there may be."),
    ]
  }

  public struct App: Codable, Sendable, Equatable, WireType {
    static var schemaName: String { "AppUsage" }
    static let meaning = "The contents of Notification Center for one app."

    public var app: String
    public var notifications: Quota
    public var bytes: Quota

    static let meanings: [String: Meaning] = [
      "notifications": "Its notifications."
    ]
  }

  public struct Provider: Codable, Sendable, Equatable, WireType {
    static var schemaName: String { "ProviderUsage" }
    static let meaning = "The use of the push port by one provider since the daemon started."

    public var provider: String
    public var connections: Quota
    public var requests: Int
    public var refusedRequests: Int
    public var requestsPerSecondLimit: Int

    static let meanings: [String: Meaning] = [
      "provider": "The name.",
      "connections": "Its open connections.",
      "requests": .count("Accepted requests."),
      "refusedRequests": .count(
        "Requests answered with 429: they exceeded requestsPerSecondLimit for longer than a burst may last."),
      "requestsPerSecondLimit": .count("The limit; 0 is no limit."),
    ]
  }

  public var notifications: Quota
  public var bytes: Quota
  public var events: Quota
  public var apps: [App]
  public var providers: [Provider]

  static let meanings: [String: Meaning] = [
    "notifications": "The contents of Notification Center for all apps.",
    "events": "The events in the journal without refusals.",
    "apps": "The apps with most bytes, the largest first, at most 5.",
    "providers": "The providers with most requests since the daemon started, at most 5.",
  ]
}

extension UsageReport {
  /// - Parameters:
  ///   - events: the number in the handset's journal.
  ///   - providers: all that have connections, or have sent something.
  init(of handset: Handset, events: Int, providers: [Provider]) {
    let tally = handset.tally
    let apps = handset.usage.sorted { ($0.bytes, $1.app) > ($1.bytes, $0.app) }.prefix(UsageReport.named)
    let busiest = providers.sorted { ($0.requests, $1.provider) > ($1.requests, $0.provider) }
    self.init(
      notifications: Quota(used: tally.notifications, limit: Policy.centerLimit),
      bytes: Quota(used: tally.notificationBytes, limit: Policy.centerSizeLimit),
      events: Quota(used: events, limit: Policy.eventLimit),
      apps: apps.map { app in
        App(
          app: app.app.text, notifications: Quota(used: app.notifications, limit: Policy.centerLimitPerApp),
          bytes: Quota(used: app.bytes, limit: Policy.centerSizeLimitPerApp))
      },
      providers: Array(busiest.prefix(UsageReport.named)))
  }
}
