// Sound and vibration of a notification, and the reason for silence: rules A1, A4, D3, N9 and S5.

extension Handset {
  /// Plays and vibrates as the notification asks and the handset allows.
  mutating func ring(for push: Push, of app: App, _ presented: inout Event.Presented, _ turn: inout Turn) {
    presented.silenced = reasonForSilence(of: push, from: app, &turn)
    if presented.silenced == nil, let choice = sound(of: push, for: app) {
      turn.rule(Ruling(push.sound, played: choice), on: push.id)
      turn.effects.append(.play(choice))
      presented.sound = choice.name
    }
    let settings = record.settings
    let vibrates = presented.silenced == nil ? settings.vibrateOnRing : settings.vibrateOnSilent
    if !vibrates { turn.rule(.vibrationOff, on: push.id) }
    if vibrates, let pattern = VibrationPattern.standard(for: push.level) {
      turn.rule(.vibrates, on: push.id)
      turn.effects.append(.vibrate(pattern, push: push.id))
      presented.vibration = pattern.name
    }
  }

  /// Nil if the sound is played. The switch is checked before quiet hours, because a person can see it.
  private func reasonForSilence(of push: Push, from app: App, _ turn: inout Turn) -> Event.NotPresented? {
    if push.level == .passive { return turn.rule(.passive, on: push.id, so: .passive) }
    if isCritical(push.level, from: app) {
      turn.rule(.critical, on: push.id)
      guard case .critical(_, let volume) = push.sound, volume <= 0 else { return nil }
      return turn.rule(.criticalVolumeZero, on: push.id, so: .criticalVolumeZero)
    }
    if push.level == .critical { turn.rule(.criticalOff, on: push.id) }
    if record.conditions.contains(.silent) { return turn.rule(.silentSwitch, on: push.id, so: .silentSwitch) }
    if app.state.settings.volume == 0 { return turn.rule(.volumeZero, on: push.id, so: .volumeZero) }
    guard record.settings.quietHours?.contains(secondOfDay: timeZone.secondOfDay(at: turn.now.wall)) == true else {
      return turn.rule(.audible, on: push.id, so: nil)
    }
    if push.level == .timeSensitive {
      if app.state.settings.timeSensitive { return turn.rule(.timeSensitive, on: push.id, so: nil) }
      turn.rule(.timeSensitiveOff, on: push.id)
    }
    return turn.rule(.quietHours, on: push.id, so: .quietHours)
  }

  /// Whether it passes quiet hours and the silent switch, which the person has to allow (rule N9).
  private func isCritical(_ level: InterruptionLevel, from app: App) -> Bool {
    level == .critical && app.state.settings.critical
  }

  /// Rule A1: the default sound replaces one that the app does not have, or that could not be decoded at installation.
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
    let isCritical = isCritical(push.level, from: app)
    return SoundChoice(
      source: source, push: push.id, volume: isCritical ? volume : Double(app.state.settings.volume) / 100,
      isCritical: isCritical)
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

extension Ruling {
  /// Rule A1: what was asked for, and what is played.
  fileprivate init(_ request: SoundRequest, played choice: SoundChoice) {
    switch (request, choice.source) {
    case (_, .bundle): self = .soundOwn
    case (.named, .system), (.critical(.some, _), .system): self = .soundMissing
    default: self = .soundDefault
    }
  }
}
