// The use of each limit, and its largest users.

import HandsetCore

/// The use of the limits of a handset and of the push port, with the largest users.
public struct UsageReport: Codable, Sendable, Equatable {
  /// The most apps, and the most providers, that are listed.
  public static let named = 5

  /// The use of a limit.
  public struct Quota: Codable, Sendable, Equatable {
    public var used: Int
    public var limit: Int

    init(_ used: Int, of limit: Int) {
      (self.used, self.limit) = (used, limit)
    }
  }

  /// The contents of Notification Center for one app.
  public struct App: Codable, Sendable, Equatable {
    public var app: String
    public var notifications: Quota
    /// The bytes of texts and payloads.
    public var bytes: Quota
  }

  /// The use of the push port by one provider since the daemon started.
  public struct Provider: Codable, Sendable, Equatable {
    public var provider: String
    public var connections: Quota
    public var requests: Int
    /// Requests answered with 429: they exceeded `requestsPerSecondLimit` for longer than a burst may last.
    public var refusedRequests: Int
    /// The limit; 0 is no limit.
    public var requestsPerSecondLimit: Int
  }

  /// The contents of Notification Center for all apps.
  public var notifications: Quota
  /// The bytes of texts and payloads.
  public var bytes: Quota
  /// The events in the journal without refusals.
  public var events: Quota
  /// The apps with most bytes, the largest first.
  public var apps: [App]
  /// The providers with most requests, the busiest first.
  public var providers: [Provider]
}

extension UsageReport {
  /// - Parameters:
  ///   - events: the number in the handset's journal.
  ///   - providers: all that have connections, or have sent something.
  init(of handset: Handset, events: Int, providers: [Provider]) {
    let usage = handset.usage
    let apps = usage.apps.sorted { ($0.bytes, $1.app) > ($1.bytes, $0.app) }.prefix(UsageReport.named)
    let busiest = providers.sorted { ($0.requests, $1.provider) > ($1.requests, $0.provider) }
    self.init(
      notifications: Quota(usage.notifications, of: Policy.centerLimit),
      bytes: Quota(usage.bytes, of: Policy.centerSizeLimit), events: Quota(events, of: Policy.eventLimit),
      apps: apps.map { app in
        App(
          app: app.app.text, notifications: Quota(app.notifications, of: Policy.centerLimitPerApp),
          bytes: Quota(app.bytes, of: Policy.centerSizeLimitPerApp))
      },
      providers: Array(busiest.prefix(UsageReport.named)))
  }
}
