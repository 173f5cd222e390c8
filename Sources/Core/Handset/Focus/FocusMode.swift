/// A Focus mode: while it is on, only the notifications that it allows reach the person at once (rule Q3).
public struct FocusMode: Hashable, Sendable, Codable {
  public var name: String
  /// The apps whose notifications pass.
  public var allow: [AppID] = []
  /// True if time-sensitive notifications of all apps pass, where the person allows an app those.
  public var timeSensitive = true
  /// By an allowed app's identifier: the criteria that pass. A push with other criteria does not, one without does
  /// [APNs, `filter-criteria`].
  public var filters: [String: [String]] = [:]
  /// The hours at which it turns on and off by itself.
  public var schedule: DailyHours?
  /// True while the handset's clock is within the schedule, as the handset last saw it.
  @WrittenWhereTrue public var isInHours = false

  public init(name: String) {
    self.name = name
  }

  /// Each key but the name may be absent.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    allow = try values.decodeIfPresent([AppID].self, forKey: .allow) ?? []
    timeSensitive = try values.decodeIfPresent(Bool.self, forKey: .timeSensitive) ?? true
    filters = try values.decodeIfPresent([String: [String]].self, forKey: .filters) ?? [:]
    schedule = try values.decodeIfPresent(DailyHours.self, forKey: .schedule)
    isInHours = try values.decodeIfPresent(Bool.self, forKey: .isInHours) ?? false
  }

  /// Returns true if a mode can have the name: 1 to `Policy.focusNameLimit` letters, digits, dots, dashes and
  /// underscores, and not `off`.
  public static func isName(_ text: String) -> Bool {
    (1...Policy.focusNameLimit).contains(text.utf8.count) && text.utf8.allSatisfy(\.isOfIdentifier) && text != "off"
  }

  /// True if it is within the limits of `Policy`.
  public var isValid: Bool {
    allow.count <= Policy.focusAppLimit && filters.count <= Policy.focusAppLimit
      && filters.allSatisfy { app, criteria in
        AppID(app) != nil && criteria.count <= Policy.focusCriteriaLimit
          && criteria.allSatisfy { $0.utf8.count <= Policy.filterCriteriaLimit }
      }
  }

  /// Returns true if a notification of the app with these criteria passes by itself.
  fileprivate func allows(_ app: AppID, _ criteria: String?) -> Bool {
    guard allow.contains(app) else { return false }
    guard let criteria, let passing = filters[app.text] else { return true }
    return passing.contains(criteria)
  }
}

extension DailyHours: SingleValueCodable {
  public var coded: String { description }
  public init?(coded text: String) { self.init(text) }
}

extension Event {
  /// What happened to a Focus mode. The raw value is stored and sent.
  public enum FocusChange: String, Hashable, Sendable {
    case on, off
    /// The person made or changed it.
    case set
    case removed
  }
}

extension Handset {
  /// Creates, changes or, if it is nil, removes a mode.
  mutating func setFocusMode(_ name: String, to mode: FocusMode?, _ turn: inout Turn) -> Verdict {
    let before = focusModes[name]
    guard var mode else {
      guard before != nil else { return .refused(.unknownFocusMode(name)) }
      if record.settings.focus == name { turnFocus(to: nil, &turn) }
      commit(.focusMode(name, before: before, after: nil), &turn)
      emit(.focus(name, .removed), &turn)
      return .accepted
    }
    guard FocusMode.isName(name), mode.isValid else { return .refused(.badFocusMode) }
    guard before != nil || focusModes.count < Policy.focusModeLimit else { return .refused(.tooManyFocusModes) }
    mode.name = name
    mode.isInHours = before.map { $0.isInHours && $0.schedule == mode.schedule } ?? false
    commit(.focusMode(name, before: before, after: mode), &turn)
    emit(.focus(name, .set), &turn)
    followFocusHours(&turn)
    return .accepted
  }

  /// Turns a mode on, and with it the one off that was on.
  mutating func turnFocus(to name: String?, _ turn: inout Turn) {
    let before = record.settings.focus
    record.settings.focus = name
    let key = HandsetSettings.Key.focus
    emit(.setting(key: key.rawValue, value: record.settings[key]), &turn)
    guard before != name else { return }
    if let before { emit(.focus(before, .off), &turn) }
    if let name { emit(.focus(name, .on), &turn) }
  }

  /// Turns modes on and off as their hours begin and end. The person may turn one off meanwhile; a mode that the person
  /// turned on is not replaced.
  mutating func followFocusHours(_ turn: inout Turn) {
    guard !focusModes.isEmpty else { return }
    let second = timeZone.secondOfDay(at: turn.now.wall)
    let names = focusModes.keys.sorted()
    var changed: Set<String> = []
    for name in names {
      guard let before = focusModes[name] else { continue }
      var after = before
      after.isInHours = before.schedule?.contains(secondOfDay: second) ?? false
      guard after.isInHours != before.isInHours else { continue }
      commit(.focusMode(name, before: before, after: after), &turn)
      changed.insert(name)
    }
    let inHours = names.filter { focusModes[$0]?.isInHours == true }
    if let current = record.settings.focus {
      if changed.contains(current), !inHours.contains(current) { turnFocus(to: inHours.first, &turn) }
    } else if let begun = inHours.first(where: changed.contains) {
      turnFocus(to: begun, &turn)
    }
  }

  /// Returns the time at which the hours of a mode next begin or end, or local clocks change.
  func nextFocusEdge(after now: Moment) -> WallTime? {
    let second = timeZone.secondOfDay(at: now.wall)
    guard
      let seconds = focusModes.values.compactMap({ $0.schedule?.secondsUntilChange(afterSecondOfDay: second) }).min()
    else { return nil }
    let change = WallTime(seconds: floorDivide(now.wall.microseconds, by: 1_000_000)).advanced(by: .seconds(seconds))
    return timeZone.nextTransition(after: now.wall).map { min($0, change) } ?? change
  }

  /// The mode that is on.
  private var currentFocusMode: FocusMode? { record.settings.focus.flatMap { focusModes[$0] } }

  /// Returns the time at which the mode that is on turns off by itself; nil if none is on, or it has no hours now.
  public func focusEnd(at now: Moment) -> WallTime? {
    guard let mode = currentFocusMode, mode.isInHours, let hours = mode.schedule
    else { return nil }
    let today = timeZone.localSeconds(at: now.wall) - Int64(timeZone.secondOfDay(at: now.wall))
    let end = timeZone.time(ofLocal: today + Int64(hours.end) * 60)
    return end > now.wall ? end : timeZone.time(ofLocal: today + Int64(hours.end) * 60 + 86_400)
  }

  /// Returns true if the mode that is on silences such a notification.
  func isSilencedByFocus(_ ring: Ring, from app: App) -> Bool {
    guard let mode = currentFocusMode else { return false }
    if isCritical(ring.level, from: app) { return false }
    if ring.level == .timeSensitive, mode.timeSensitive, app.state.settings.timeSensitive { return false }
    return !mode.allows(app.id, ring.criteria)
  }

  /// The notification that lights the lamp (rule D1).
  var newestToLight: NotificationID? { record.settings.focus == nil ? center.newestToLight : newestInFocus }

  /// The same while a mode is on: only those that it allows. Of apps that it does not allow, such as a time-sensitive one,
  /// it is among the newest of its level.
  private var newestInFocus: NotificationID? {
    for level in InterruptionLevel.allCases.reversed() where level != .passive {
      let unseen = center.unseen[level.rank]
      if let id = unseen.descending.prefix(Policy.focusLampSearch).first(where: passesFocus) { return id }
      if unseen.count > Policy.focusLampSearch, let id = newestOfAllowedApps(level) { return id }
    }
    return nil
  }

  private func passesFocus(_ id: NotificationID) -> Bool {
    guard let notification = center.notifications[id], let app = apps[notification.app] else { return false }
    return !isSilencedByFocus(notification.ring, from: app)
  }

  /// Finds what lies below many newer ones of other apps.
  private func newestOfAllowedApps(_ level: InterruptionLevel) -> NotificationID? {
    let unseen = center.unseen[level.rank]
    return (currentFocusMode?.allow ?? []).compactMap { app in
      guard let section = center.section(of: app), section.unseen > 0 else { return nil }
      return section.listed.descending.first { unseen.contains($0) && passesFocus($0) }
    }.max()
  }
}
