import ControlAPI
import HandsetCore

/// A handset's Notification Center, local notifications and settings in the control API.
struct CenterControl: CenterBackend, LocalNotificationsBackend, SettingsBackend {
  let access: HandsetAccess

  func center(of app: AppID?, limit: Int) async throws(ControlError) -> [NotificationReport] {
    try await access.read { handset, store, number, _ in
      try handset.listed(of: app).suffix(max(limit, 1)).reversed().map {
        try NotificationReport($0, of: handset, in: .center, store: store, number: number)
      }
    }
  }

  func scheduled(of app: AppID?) async throws(ControlError) -> [LocalNotificationReport] {
    try await access.read { handset, _, _, now in handset.scheduled(of: app, at: now) }
  }

  func freshPush() -> PushID { .random() }

  func conditions() async throws(ControlError) -> [SettingReport] {
    try await access.read { handset, _, _, _ in [SettingReport](conditionsOf: handset) }
  }

  func settings() async throws(ControlError) -> [SettingReport] {
    try await access.read { handset, _, _, _ in [SettingReport](settingsOf: handset) }
  }
}
