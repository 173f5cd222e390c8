// The visible state, and the time at which the handset has to be woken: for the first of all waits, and for nothing
// else.

@testable import HandsetCore

extension HandsetModel {
  var uptimeDeadline: Duration? {
    var times: [Duration] = []
    if let banner { times.append(banner.until) }
    if let selection { times.append(selection.until) }
    times += [snooze?.until, nextAgain, nextFetch].compactMap { $0 } + apps.compactMap { $0.snooze?.until }
    for app in apps {
      times += app.offers.compactMap(\.deadline)
      times += app.pending.compactMap(\.dueUptime)
      if let due = heldDue(app) { times.append(due) }
    }
    return (times + activityUptimes).min()
  }

  var wallDeadline: WallTime? {
    var times: [WallTime] = []
    for app in apps {
      if let held = app.held { times.append(held.expires) }
      times += app.kept.map(\.expires)
      times += app.offers.filter(\.waits).map(\.expires)
      times += app.pending.filter { $0.dueUptime == nil }.map(\.dueWall)
    }
    times += [nightEdge, focusEdge, summaryTime].compactMap { $0 } + waiting.map(\.expires)
    return (times + activityDates).min()
  }

  /// The time at which a lit display is next dimmed or bright again, or local clocks jump before that (rule B5).
  private var nightEdge: WallTime? {
    guard let hours = settings.nightHours, settings.notifications, visible.badge > 0 || !activities.isEmpty
    else { return nil }
    let second = Int64((Double(now.wall.microseconds) / 1_000_000).rounded(.down))
    let midnight = second - Int64(zone.secondOfDay(at: now.wall))
    let edges = [0, 1].flatMap { day in
      [hours.start, hours.end].map { midnight + Int64(day * 86_400 + $0 * 60) }
    }
    let jumps = zone.transitions.map { Int64($0.time) }
    return (edges + jumps).filter { $0 > second }.min().map { WallTime(seconds: $0) }
  }

  private func unseen(_ app: AppID) -> Int { notices.count { $0.app == app && $0.isListed && !$0.isSeen } }

  /// The visible state, with notifications by their pushes.
  var visible: ModelPresentation {
    var shown = ModelPresentation()
    shown.lamp = settings.lamp.map { Presentation.Lamp(pattern: $0, since: .zero) }
    guard settings.notifications else { return shown }
    for app in apps where app.allows(.badge, isLocal: app.badgeIsLocal) {
      guard (settings.badgeShows ?? app.id) == app.id else { continue }
      shown.badge += Int128(app.settings.badgeShows == .unseen ? unseen(app.id) : app.badge)
    }
    shown.activity = activityDisplay
    if let light = activityLamp { shown.lamp = light }
    if let lamp { shown.lamp = Presentation.Lamp(pattern: lamp.pattern, since: lamp.since) }
    if let banner, banner.until > now.uptime {
      shown.banner = .init(push: banner.push, app: banner.app, until: banner.until)
    }
    if let top = alerts.last {
      shown.alert = .init(
        push: top.push, app: top.app, hasAction: top.hasAction, isLocked: conditions.contains(.locked),
        below: alerts.count - 1)
      shown.alert?.selected = actions(of: top).first { $0.id == selection?.action }?.title
    }
    shown.isDimmed = (shown.badge > 0 || shown.activity != nil) && settings.nightHours.map(isIn) ?? false
    return shown
  }
}

struct ModelPresentation: Hashable {
  var badge: Int128 = 0
  var lamp: Presentation.Lamp?
  var banner: Banner?
  var alert: Alert?
  var isDimmed = false
  var activity: ActivityDisplay?

  struct Banner: Hashable {
    var push: PushID?
    var app: AppID
    var until: Duration
  }

  struct Alert: Hashable {
    var push: PushID?
    var app: AppID
    var hasAction: Bool
    var isLocked: Bool
    var below: Int
    var selected: String?
  }
}
