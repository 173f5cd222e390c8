// Rule Q3: Focus modes.

@testable import HandsetCore

extension HandsetModel {
  mutating func setMode(_ name: String, _ mode: FocusMode?) -> Refusal? {
    let known = modes.firstIndex { $0.name == name }
    guard var mode else {
      guard let known else { return .unknownFocusMode(name) }
      if settings.focus == name { turn(to: nil) }
      modes.remove(at: known)
      inHours.remove(name)
      emit(.focus(name, .removed), nil, nil)
      return nil
    }
    if name == "off" || name.isEmpty { return .badFocusMode }
    mode.name = name
    if let known {
      if modes[known].schedule != mode.schedule { inHours.remove(name) }
      modes[known] = mode
    } else {
      if modes.count == 16 { return .tooManyFocusModes }
      modes.append(mode)
    }
    emit(.focus(name, .set), nil, nil)
    followHours()
    return nil
  }

  mutating func turn(to name: String?) {
    let before = settings.focus
    settings.focus = name
    emit(.setting(key: "focus", value: name ?? "off"), nil, nil)
    if before == name { return }
    if let before { emit(.focus(before, .off), nil, nil) }
    if let name { emit(.focus(name, .on), nil, nil) }
  }

  mutating func followHours() {
    let before = inHours
    inHours = Set(modes.filter { $0.schedule.map(isIn) ?? false }.map(\.name))
    if let current = settings.focus, before.contains(current), !inHours.contains(current) {
      turn(to: inHours.min())
    } else if settings.focus == nil, let begun = inHours.subtracting(before).min() {
      turn(to: begun)
    }
  }

  /// The next time at which the hours of a mode begin or end, or clocks jump.
  var focusEdge: WallTime? {
    let hours = modes.compactMap(\.schedule)
    if hours.isEmpty { return nil }
    let second = Int64((Double(now.wall.microseconds) / 1_000_000).rounded(.down))
    let midnight = second - Int64(zone.secondOfDay(at: now.wall))
    let minutes = hours.map(\.start) + hours.map(\.end)
    let today = minutes.map { midnight + Int64($0 * 60) }
    let jumps = zone.transitions.map { Int64($0.time) }
    let times = today + today.map { $0 + 86_400 } + jumps
    return times.filter { $0 > second }.min().map { WallTime(seconds: $0) }
  }

  func isSilencedByFocus(_ level: InterruptionLevel, _ app: ModelApp, _ criteria: String?) -> Bool {
    guard let mode = modes.first(where: { $0.name == settings.focus }) else { return false }
    switch level {
    case .critical where app.settings.critical: return false
    case .timeSensitive where app.settings.timeSensitive && mode.timeSensitive: return false
    default: break
    }
    if !mode.allow.contains(app.id) { return true }
    guard let criteria, let passing = mode.filters[app.id.text] else { return false }
    return !passing.contains(criteria)
  }
}
