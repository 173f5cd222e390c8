/// Everything that a person can see of the handset at one moment. It is a state, not an event: drawing it twice changes
/// nothing, the newest replaces older ones, and a device that works again gets the current one.
public struct Presentation: Hashable, Sendable {
  /// The number on the display (rule B5); zero is dark.
  public var badge: Int128
  /// Nil if it is dark.
  public var lamp: Lamp?
  public var banner: Banner?
  /// The alert on top (rule N7).
  public var alert: Alert?
  /// True if the display is dimmed for the night (rule B5). False while the display is dark.
  public var isDimmed = false
  /// What the digits show in place of the badge; nil while no Live Activity owns them (rule LA9).
  public var activity: ActivityDisplay? = nil

  public static let dark = Presentation(badge: 0, lamp: nil, banner: nil, alert: nil)

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
    public var below: Int
    /// The title of the action that View has selected in place of the action button's; nil for none (rule N15).
    public var selected: String? = nil
  }
}

extension Handset {
  public func presentation(at now: Moment) -> Presentation {
    let byHand = record.settings.lamp.map { Presentation.Lamp(pattern: $0, since: .zero) }
    guard record.settings.notifications else { return Presentation(badge: 0, lamp: byHand, banner: nil, alert: nil) }
    let badge = shownBadge
    let alert = center.topAlert.map { top in
      Presentation.Alert(
        notification: top.id, app: top.app, hasAction: top.hasAction,
        isLocked: record.conditions.contains(.locked), below: center.alerts.count - 1, selected: selectedTitle)
    }
    let banner = banner.flatMap { $0.until > now.uptime ? $0 : nil }
    var presentation = Presentation(
      badge: badge, lamp: lamp?.lamp ?? byHand, banner: banner, alert: alert, isDimmed: badge > 0 && isNight(at: now))
    if !activities.isEmpty {
      let (display, light) = activityPresentation(at: now)
      presentation.activity = display
      if lamp == nil, let light { presentation.lamp = light }
      if display != nil { presentation.isDimmed = isNight(at: now) }
    }
    return presentation
  }

  private var shownBadge: Int128 {
    record.settings.badgeShows.map { Int128(number(of: apps[$0], $0)) } ?? badgeSum
  }

  func isNight(at now: Moment) -> Bool {
    record.settings.nightHours?.contains(secondOfDay: timeZone.secondOfDay(at: now.wall)) ?? false
  }

  /// Returns the time at which night hours next begin or end while the display is lit, or local clocks change.
  func nextNightEdge(after now: Moment) -> WallTime? {
    guard let hours = record.settings.nightHours, record.settings.notifications, shownBadge > 0 || !activities.isEmpty
    else { return nil }
    let seconds = hours.secondsUntilChange(afterSecondOfDay: timeZone.secondOfDay(at: now.wall))
    let change = WallTime(seconds: floorDivide(now.wall.microseconds, by: 1_000_000)).advanced(by: .seconds(seconds))
    return timeZone.nextTransition(after: now.wall).map { min($0, change) } ?? change
  }

  /// Settles the lamp, which shows the newest of the most urgent unseen notifications (rule D1). Its pattern is the one
  /// that the person chose for the app, else a tag's, else the app's own, else the level's. A newer notification starts
  /// its pattern at once. When the lamp returns to an older one with the same pattern, the pattern continues.
  mutating func settleLamp(_ turn: inout Turn) {
    guard let id = newestToLight, let top = center.notifications.lighting(id), let pattern = pattern(of: top)
    else {
      if lamp != nil { commit(.lamp(before: lamp, after: nil), &turn) }
      return
    }
    var since = turn.now.uptime
    if let lamp, lamp.lamp.pattern == pattern {
      if lamp.push == top.push && lamp.notification == id { return }
      if id < lamp.notification { since = lamp.lamp.since }
    }
    let lit = LitLamp(id, top.push, .init(pattern: pattern, since: since))
    commit(.lamp(before: lamp, after: lit), &turn)
  }

  private func pattern(of notification: Lighting) -> LampPattern? {
    let app = app(notification.app)
    return app?.state.settings.lamp ?? notification.lamp ?? app?.manifest.lampPattern
      ?? LampPattern.standard(for: notification.level)
  }

  /// Records for each notification that was listed in this turn whether the lamp shows it.
  func ruleOnLamp(_ turn: inout Turn) {
    for index in turn.rulings.indices where turn.rulings[index].rulings.contains(.listed) {
      turn.rulings[index].rulings.append(lamp?.push == turn.rulings[index].push ? .lampLit : .lampOfAnother)
    }
  }
}
