// How much of each limit is used, and by whom.

import HandsetCore

/// How much of the limits of a handset and of the push port is used, and who uses most.
public struct UsageReport: Codable, Sendable, Equatable {
  /// The apps, and the providers, that are named at most.
  public static let named = 5

  /// What is used of a limit.
  public struct Quota: Codable, Sendable, Equatable {
    public var used: Int
    public var limit: Int

    public init(_ used: Int, of limit: Int) {
      (self.used, self.limit) = (used, limit)
    }
  }

  /// What Notification Center keeps of one app.
  public struct App: Codable, Sendable, Equatable {
    public var app: String
    public var notifications: Quota
    /// Of texts and payloads.
    public var bytes: Quota
  }

  /// What one provider has asked of the push port since the daemon started.
  public struct Provider: Codable, Sendable, Equatable {
    public var provider: String
    public var connections: Quota
    public var requests: Int
    /// Answered 429, as they came faster than `requestsPerSecondLimit` for longer than a burst may last.
    public var refusedRequests: Int
    /// 0 is no limit.
    public var requestsPerSecondLimit: Int

    public init(
      provider: String, connections: Quota, requests: Int, refusedRequests: Int, requestsPerSecondLimit: Int
    ) {
      self.provider = provider
      self.connections = connections
      self.requests = requests
      self.refusedRequests = refusedRequests
      self.requestsPerSecondLimit = requestsPerSecondLimit
    }
  }

  /// What Notification Center keeps of all apps.
  public var notifications: Quota
  /// Of texts and payloads.
  public var bytes: Quota
  /// In the journal, refusals apart.
  public var events: Quota
  /// Those with most bytes, the largest first.
  public var apps: [App]
  /// Those with most requests, the busiest first.
  public var providers: [Provider]
}

extension UsageReport {
  /// - Parameters:
  ///   - events: in the handset's journal.
  ///   - providers: all that have connections, or have sent something.
  public init(of handset: Handset, events: Int, providers: [Provider]) {
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
