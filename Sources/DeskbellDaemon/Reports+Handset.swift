// From the handset's values to the control API's words.

import Board
import ControlAPI
import HandsetCore
import HandsetStore
import PushGateway

extension AppReport {
  init(_ app: App, of handset: Handset) {
    let (registration, kinds): (String, NotificationKinds) =
      switch app.state.registration {
      case .pending: ("pending", [])
      case .registered(let kinds): ("registered", kinds)
      case .unregistered: ("unregistered", [])
      }
    self.init(
      id: app.id.text, name: app.manifest.name, registration: registration, kinds: kinds.names,
      lifecycle: app.state.lifecycle.rawValue, badge: app.state.badge, visibleBadge: handset.visibleBadge(of: app),
      token: app.state.token.hex, receivesBackgroundUpdates: app.manifest.receivesBackgroundUpdates,
      foregroundPresentation: app.foregroundPresentation.names, sounds: app.manifest.sounds.sorted(),
      notifications: handset.listedCount(of: app.id),
      settings: AppSettings.Key.allCases.map { SettingReport(key: $0.rawValue, value: app.state.settings[$0]) },
      held: handset.held(for: app.id).map {
        Held(push: $0.push.description, expiresWallMicroseconds: $0.expires.microseconds)
      })
  }
}

extension NotificationReport {
  /// - Parameter place: where it stands, which is how much of its words is seen (rule N6).
  init(
    _ notification: Notification, in place: NotificationContent.Place, isLocked: Bool, store: HandsetStore,
    number: HandsetNumber
  ) throws {
    let content = try store.content(of: notification.id, handset: number)?.shortened(for: place)
    self.init(
      id: notification.id.number, app: notification.app.text, appName: content?.appName ?? notification.app.text,
      push: notification.push.description, level: notification.level.rawValue, title: content?.title,
      subtitle: content?.subtitle,
      body: content?.body,
      buttons: content?.buttons(isLocked: isLocked) ?? [], threadID: content?.threadID,
      collapseID: notification.collapseID,
      isListed: notification.isListed, isSeen: notification.isSeen,
      arrivedWallMicroseconds: content?.arrived.microseconds ?? 0)
  }
}

extension PresentationReport.Lamp {
  init(_ lamp: Presentation.Lamp) {
    self.init(
      pattern: lamp.pattern.name, sinceUptimeMicroseconds: lamp.since.inMicroseconds,
      steps: lamp.pattern.steps.map { .init(lit: $0.lit, milliseconds: $0.duration.inMicroseconds / 1000) })
  }
}

extension PresentationReport.Motor {
  init(_ pattern: VibrationPattern, after elapsed: Duration) {
    self.init(
      pattern: pattern.name, elapsedMilliseconds: elapsed.inMicroseconds / 1000,
      steps: pattern.steps.map { .init(runs: $0.runs, milliseconds: $0.duration.inMicroseconds / 1000) })
  }
}

extension PushID {
  /// A version 4 UUID.
  static func random() -> PushID {
    let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    return PushID(high: high & ~0xF000 | 0x4000, low: low & ~(0b11 << 62) | 0b10 << 62)
  }
}

extension DeviceToken {
  /// 32 bytes, as long as the service's own.
  static func random() -> DeviceToken {
    guard let token = DeviceToken(bytes: randomBytes(32)) else {
      preconditionFailure("32 is one of DeviceToken.lengths")
    }
    return token
  }
}

extension DeviceID {
  static func random() -> DeviceID {
    guard let id = DeviceID(bytes: randomBytes(DeviceID.byteCount)) else { preconditionFailure("that is its length") }
    return id
  }
}

/// Of the system's randomness.
private func randomBytes(_ count: Int) -> [UInt8] {
  var generator = SystemRandomNumberGenerator()
  return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
}
