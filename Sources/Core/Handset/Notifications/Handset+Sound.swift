// Sound and vibration of a notification, and the reason for silence: rules A1, A4, A6, D3, N9, N12 and S5.

/// A notification's request for sound and vibration, when it arrives and when it sounds again.
struct Ring {
  var id: PushID
  var level: InterruptionLevel
  var sound: SoundRequest
  /// The push's `filter-criteria` (rule Q3).
  var criteria: String?
}

extension Notification {
  var ring: Ring { Ring(id: push, level: level, sound: sound, criteria: options?.filterCriteria) }
}

extension Push {
  /// Returns its request, with the level and the sound that it has for that app.
  func ring(for app: App) -> Ring {
    var ring = Ring(id: id, level: level, sound: sound, criteria: options?.filterCriteria)
    if level == .critical, !app.state.settings.critical, let other = levelWhereNotCritical { ring.level = other }
    if priority == 1 || app.state.isProvisional { ring.level = .passive }
    guard let name = tags?.first(where: { app.manifest.sounds.contains($0) }) else { return ring }
    switch sound {
    case .system: ring.sound = .named(name)
    case .critical(nil, let volume): ring.sound = .critical(name: name, volume: volume)
    default: break
    }
    return ring
  }
}

public struct Rung: Hashable, Sendable {
  public var sound: String?
  public var vibration: String?
  public var silenced: Event.NotPresented?

  mutating func drop(_ reason: Event.NotPresented) -> Bool {
    guard sound != nil, silenced == nil else { return false }
    silenced = reason
    return true
  }
}

extension Handset {
  /// Plays and vibrates as the notification asks and the handset allows.
  mutating func ring(_ ring: Ring, of app: App, _ turn: inout Turn) -> Rung {
    var rung = Rung(silenced: reasonForSilence(of: ring, from: app, &turn))
    var isCritical = false
    if rung.silenced == nil, let choice = sound(of: ring, for: app, &turn) {
      (rung.sound, isCritical) = (choice.name, choice.isCritical)
      turn.effects.append(.play(choice))
    }
    // A snooze and a Focus mode also cover vibration.
    if rung.silenced == .snoozed || rung.silenced == .focus { return rung }
    let vibrates = rung.silenced == nil ? record.settings.vibrateOnRing : record.settings.vibrateOnSilent
    if !vibrates { turn.rule(.vibrationOff, on: ring.id) }
    if vibrates, let pattern = VibrationPattern.standard(for: ring.level) {
      turn.rule(.vibrates, on: ring.id)
      turn.effects.append(.vibrate(pattern, push: ring.id, isCritical: isCritical))
      rung.vibration = pattern.name
    }
    return rung
  }

  /// Returns the reason for silence; nil if the sound is played. A snooze comes first, because it also stops the motor;
  /// the switch is checked before quiet hours, because a person can see it.
  func reasonForSilence(of push: Ring, from app: App, _ turn: inout Turn) -> Event.NotPresented? {
    if push.level == .passive { return turn.rule(.passive, on: push.id, so: .passive) }
    if isCritical(push.level, from: app) {
      turn.rule(.critical, on: push.id)
      guard case .critical(_, let volume) = push.sound, volume <= 0 else { return nil }
      return turn.rule(.criticalVolumeZero, on: push.id, so: .criticalVolumeZero)
    }
    if push.level == .critical { turn.rule(.criticalOff, on: push.id) }
    if record.settings.focus != nil, isSilencedByFocus(push, from: app) { return .focus }
    if endOfSnooze(of: app, at: turn.now) != nil { return turn.rule(.snoozed, on: push.id, so: .snoozed) }
    if record.conditions.contains(.silent) { return turn.rule(.silentSwitch, on: push.id, so: .silentSwitch) }
    if app.state.settings.volume == 0 { return turn.rule(.volumeZero, on: push.id, so: .volumeZero) }
    if volume(at: turn.now) == 0 { return turn.rule(.handsetVolumeZero, on: push.id, so: .handsetVolumeZero) }
    guard record.settings.quietHours?.contains(secondOfDay: timeZone.secondOfDay(at: turn.now.wall)) == true else {
      return turn.rule(.audible, on: push.id, so: nil)
    }
    if push.level == .timeSensitive {
      if app.state.settings.timeSensitive { return turn.rule(.timeSensitive, on: push.id, so: nil) }
      turn.rule(.timeSensitiveOff, on: push.id)
    }
    return turn.rule(.quietHours, on: push.id, so: .quietHours)
  }

  /// Returns true if it passes quiet hours and the silent switch, which the person has to allow (rule N9).
  func isCritical(_ level: InterruptionLevel, from app: App) -> Bool {
    level == .critical && app.state.settings.critical
  }

  private func sound(of push: Ring, for app: App, _ turn: inout Turn) -> SoundChoice? {
    let source: SoundChoice.Source
    var volume = 1.0
    switch push.sound {
    case .none: return nil
    case .system: source = self.source(of: nil, for: app, push.id, &turn)
    case .named(let name): source = self.source(of: name, for: app, push.id, &turn)
    case .critical(let name, let own):
      source = self.source(of: name, for: app, push.id, &turn)
      volume = min(max(own, 0), 1)
    }
    let isCritical = isCritical(push.level, from: app)
    return SoundChoice(
      source: source, push: push.id, volume: isCritical ? volume : self.volume(of: app, at: turn.now),
      isCritical: isCritical)
  }

  /// Returns the volume of an app's sounds that are not critical, 0 to 1: its own share of the handset's.
  public func volume(of app: App, at now: Moment) -> Double {
    Double(volume(at: now) * app.state.settings.volume) / 10_000
  }

  /// Returns the volume in percent.
  private func volume(at now: Moment) -> Int {
    isNight(at: now) ? record.settings.nightVolume ?? record.settings.volume : record.settings.volume
  }

  /// Applies rule A1: the default sound replaces one that Deskbell does not have, and that the app lacks or that could
  /// not be decoded at installation.
  private func source(of name: String?, for app: App, _ push: PushID, _ turn: inout Turn) -> SoundChoice.Source {
    if let name, let found = Handset.sound(named: name, for: app) {
      if case .shipped = found { turn.rule(.soundShipped, on: push) } else { turn.rule(.soundOwn, on: push) }
      return found
    }
    turn.rule(name == nil ? .soundDefault : .soundMissing, on: push)
    let source = defaultSound(for: app)
    if source != .system { turn.rule(.soundChosen, on: push) }
    return source
  }

  /// Returns the default sound of an app, or of the handset: the person's choice, else the installation's (rule A6).
  public func defaultSound(for app: App? = nil) -> SoundChoice.Source {
    (app?.state.settings.defaultSound ?? record.settings.defaultSound).map { .shipped($0) } ?? .system
  }

  /// Returns the sound of that name, with its extension or without: the app's own, else the one that comes with
  /// Deskbell (rule A1); nil if there is neither.
  public static func sound(named name: String, for app: App?) -> SoundChoice.Source? {
    let sounds = app?.manifest.sounds ?? []
    // Spelled as in the bundle, which is its file's name: another spelling of the same letters is another file.
    if let app, let own = sounds.firstIndex(of: name) { return .bundle(app.id, name: sounds[own]) }
    let short = withoutExtension(name)
    if let app, let own = short.flatMap({ sounds.firstIndex(of: $0) }) { return .bundle(app.id, name: sounds[own]) }
    return (shippedSound(name) ?? short.flatMap(shippedSound)).map { .shipped($0) }
  }

  /// Returns the sound of that name. Most names differ in their lengths, which is quicker told than by `rawValue`.
  private static func shippedSound(_ name: String) -> ShippedSound? {
    shippedSounds.first { $0.rawValue.utf8.count == name.utf8.count && $0.rawValue == name }
  }

  private static let shippedSounds = ShippedSound.allCases

  private static func withoutExtension(_ name: String) -> String? {
    let dot = name.utf8.lastIndex(of: UInt8(ascii: "."))
    return dot.flatMap { $0 == name.startIndex ? nil : String(name[..<$0]) }
  }
}
