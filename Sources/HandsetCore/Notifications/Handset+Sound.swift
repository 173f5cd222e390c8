// Sound and vibration of a notification, and the reason for silence: rules A1, A4, D3, N9, N12 and S5.

/// What a notification asks of sound and motor, when it arrives and when it sounds again.
struct Ring {
  var id: PushID
  var level: InterruptionLevel
  var sound: SoundRequest

  init(_ push: Push) { (id, level, sound) = (push.id, push.level, push.sound) }
  init(_ notification: Notification) {
    (id, level, sound) = (notification.push, notification.level, notification.sound)
  }
}

/// What came of a ring.
struct Rung {
  var sound: String?
  var vibration: String?
  var silenced: Event.NotPresented?
}

extension Handset {
  /// Plays and vibrates as the notification asks and the handset allows.
  mutating func ring(_ ring: Ring, of app: App, _ turn: inout Turn) -> Rung {
    var rung = Rung(silenced: reasonForSilence(of: ring, from: app, &turn))
    if rung.silenced == nil, let choice = sound(of: ring, for: app) {
      turn.rule(Ruling(ring.sound, played: choice), on: ring.id)
      turn.effects.append(.play(choice))
      rung.sound = choice.name
    }
    // A snooze is for the hand, too.
    if rung.silenced == .snoozed { return rung }
    let settings = record.settings
    let vibrates = rung.silenced == nil ? settings.vibrateOnRing : settings.vibrateOnSilent
    if !vibrates { turn.rule(.vibrationOff, on: ring.id) }
    if vibrates, let pattern = VibrationPattern.standard(for: ring.level) {
      turn.rule(.vibrates, on: ring.id)
      turn.effects.append(.vibrate(pattern, push: ring.id))
      rung.vibration = pattern.name
    }
    return rung
  }

  /// Nil if the sound is played. A snooze comes first, because it also stops the motor; the switch is checked before
  /// quiet hours, because a person can see it.
  func reasonForSilence(of push: Ring, from app: App, _ turn: inout Turn) -> Event.NotPresented? {
    if push.level == .passive { return turn.rule(.passive, on: push.id, so: .passive) }
    if isCritical(push.level, from: app) {
      turn.rule(.critical, on: push.id)
      guard case .critical(_, let volume) = push.sound, volume <= 0 else { return nil }
      return turn.rule(.criticalVolumeZero, on: push.id, so: .criticalVolumeZero)
    }
    if push.level == .critical { turn.rule(.criticalOff, on: push.id) }
    if endOfSnooze(of: app, at: turn.now) != nil { return turn.rule(.snoozed, on: push.id, so: .snoozed) }
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
  func isCritical(_ level: InterruptionLevel, from app: App) -> Bool {
    level == .critical && app.state.settings.critical
  }

  /// Rule A1: the default sound replaces one that the app does not have, or that could not be decoded at installation.
  private func sound(of push: Ring, for app: App) -> SoundChoice? {
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

extension Push {
  /// With the level and the sound that it has for that app.
  func chosen(for app: App) -> Push {
    var push = self
    if level == .critical, !app.state.settings.critical, let other = levelWhereNotCritical { push.level = other }
    if let sound = tags?.first(where: { app.manifest.sounds.contains($0) }) {
      switch push.sound {
      case .system: push.sound = .named(sound)
      case .critical(nil, let volume): push.sound = .critical(name: sound, volume: volume)
      default: break
      }
    }
    return push
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
