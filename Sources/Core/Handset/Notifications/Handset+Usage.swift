/// The contents of Notification Center, in notifications and in bytes of texts and payloads.
public struct CenterUsage: Sendable {
  /// The usage of one app.
  public struct App: Sendable {
    public var app: AppID
    public var notifications: Int
    public var bytes: Int
  }

  public var notifications: Int
  public var bytes: Int
  /// The usage of each app, in no order.
  public var apps: [App]
}

extension Handset {
  public var usage: CenterUsage {
    CenterUsage(
      notifications: center.listed.count, bytes: center.size,
      apps: center.sections.map { id, section in
        CenterUsage.App(app: id, notifications: section.listed.count, bytes: section.size)
      })
  }
}
