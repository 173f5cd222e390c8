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
      lifecycle: app.state.lifecycle.rawValue, badge: app.state.badge, visibleBadge: app.state.visibleBadge,
      token: app.state.token.hex, receivesBackgroundUpdates: app.manifest.receivesBackgroundUpdates,
      sounds: app.manifest.sounds.sorted(), notifications: handset.listedCount(of: app.id),
      settings: AppSettings.Key.allCases.map { SettingReport(key: $0.rawValue, value: app.state.settings[$0]) },
      held: handset.held(for: app.id).map {
        Held(push: $0.push.description, expiresWallMicroseconds: $0.expires.microseconds)
      })
  }
}

extension NotificationReport {
  init(_ notification: Notification, isLocked: Bool, store: HandsetStore, number: HandsetNumber) throws {
    let content = try store.content(of: notification.id, handset: number)
    self.init(
      id: notification.id.number, app: notification.app.text, appName: content?.appName ?? notification.app.text,
      push: notification.push.description, level: notification.level.rawValue, title: content?.title,
      subtitle: content?.subtitle,
      body: content?.body.map { NotificationContent.truncate($0, to: Policy.centerCharacters) },
      buttons: content?.buttons(isLocked: isLocked) ?? [], threadID: content?.threadID,
      collapseID: notification.collapseID,
      isListed: notification.isListed, isSeen: notification.isSeen,
      arrivedWallMicroseconds: content?.arrived.microseconds ?? 0)
  }
}

extension DeviceToken {
  /// 32 bytes of the system's randomness, as long as the service's own.
  static func random() -> DeviceToken {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    guard let token = DeviceToken(bytes: bytes) else { preconditionFailure("32 is one of DeviceToken.lengths") }
    return token
  }
}
