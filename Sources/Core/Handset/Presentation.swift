// The visible state, not an event. Drawing it twice changes nothing, the newest replaces older ones, and a device that
// works again gets the current one.

/// Everything that a person can see of the handset at one moment.
public struct Presentation: Hashable, Sendable {
  /// The number on the display (rule B5); zero is dark.
  public var badge: Int128
  /// The lamp's light; nil if it is dark.
  public var lamp: Lamp?
  public var banner: Banner?
  /// The alert on top (rule N7).
  public var alert: Alert?
  /// True if the display is dimmed for the night (rule B5). False while the display is dark.
  public var isDimmed = false

  public static let dark = Presentation(badge: 0, lamp: nil, banner: nil, alert: nil)

  /// The light of the lamp.
  public struct Lamp: Hashable, Sendable {
    public var pattern: LampPattern
    /// On the uptime clock.
    public var since: Duration

    public init(pattern: LampPattern, since: Duration) {
      self.pattern = pattern
      self.since = since
    }
  }

  /// A message that disappears after a few seconds (rule N3).
  public struct Banner: Hashable, Sendable, Codable {
    public var notification: NotificationID
    public var app: AppID
    /// On the uptime clock.
    public var until: Duration
  }

  /// A message that stays until it is acted on (rules N3, N4).
  public struct Alert: Hashable, Sendable {
    public var notification: NotificationID
    public var app: AppID
    /// True if there is an action button besides Close; otherwise the only button is OK.
    public var hasAction: Bool
    /// True if the handset is locked, which the action button's title says (rule N5).
    public var isLocked: Bool
    /// The number of alerts below this one.
    public var below: Int
    /// The title of the action that View has selected in place of the action button's; nil for none (rule N15).
    public var selected: String? = nil
  }
}
