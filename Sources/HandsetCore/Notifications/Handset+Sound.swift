// What is heard and felt of a notification, and why where it is not: rules A1, A4, D3, N9 and S5.

extension Handset {
  /// Plays and vibrates as the notification asks and the handset allows.
  mutating func ring(
    for push: Push, of app: App, _ presented: inout Event.Presented, at now: Moment, _ turn: inout Turn
  ) {
    presented.silenced = reasonForSilence(of: push.level, from: app, at: now)
    if presented.silenced == nil, let choice = sound(of: push, for: app) {
      turn.effects.append(.play(choice))
      presented.sound = choice.name
    }
    let settings = record.settings
    let vibrates = presented.silenced == nil ? settings.vibrateOnRing : settings.vibrateOnSilent
    if vibrates, let pattern = VibrationPattern.standard(for: push.level) {
      turn.effects.append(.vibrate(pattern, push: push.id))
      presented.vibration = pattern.name
    }
  }

  /// Nil where it is heard. The switch before the hours: of two reasons it is the one that somebody can see.
  private func reasonForSilence(
    of level: InterruptionLevel, from app: App, at now: Moment
  ) -> Event.NotPresented? {
    if level == .passive { return .passive }
    if isCritical(level, from: app) { return nil }
    if record.conditions.contains(.silent) { return .silentSwitch }
    let passesQuietHours = level == .timeSensitive && app.state.settings.timeSensitive
    if let hours = record.settings.quietHours, hours.contains(secondOfDay: timeZone.secondOfDay(at: now.wall)),
      !passesQuietHours
    {
      return .quietHours
    }
    return nil
  }

  /// Whether it passes quiet hours and the switch: the person allowed that (rule N9).
  private func isCritical(_ level: InterruptionLevel, from app: App) -> Bool {
    level == .critical && app.state.settings.critical
  }

  /// Rule A1: what the app has not, or could not be decoded when it was installed, is the default sound.
  private func sound(of push: Push, for app: App) -> SoundChoice? {
    let source: SoundChoice.Source
    var volume = 1.0
    switch push.sound {
    case .none: return nil
    case .system: source = .system
    case .named(let name): source = self.source(of: name, for: app)
    case .critical(let name, let own):
      source = name.map { self.source(of: $0, for: app) } ?? .system
      volume = min(max(own, 0), 1)
    }
    return SoundChoice(
      source: source, push: push.id, criticalVolume: isCritical(push.level, from: app) ? volume : nil)
  }

  private func source(of name: String, for app: App) -> SoundChoice.Source {
    for candidate in [name, withoutExtension(name)] where app.manifest.sounds.contains(candidate) {
      return .bundle(app.id, name: candidate)
    }
    return .system
  }

  private func withoutExtension(_ name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}
