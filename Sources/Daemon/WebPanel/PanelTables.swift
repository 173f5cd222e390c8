import HTTP
import HandsetCore

/// The core's lists for the panel, as a module of JavaScript, so that the page has no copies of them.
enum PanelTables {
  static let path = "modules/tables.js"

  static var module: [UInt8] {
    let meanings = Dictionary(uniqueKeysWithValues: Condition.allCases.map { ($0.rawValue, $0.meaning) })
    let lines = [
      line("CONDITIONS", meanings), line("HANDSET_SETTINGS", values(of: HandsetSettings.self)),
      line("APP_SETTINGS", values(of: AppSettings.self)), line("EVENTS", Event.Name.allCases.map(\.rawValue)),
      line("KINDS", NotificationKinds.all.names), line("LEVELS", InterruptionLevel.allCases.map(\.rawValue)),
    ]
    return Array(lines.joined())
  }

  private static func line(_ name: String, _ value: some Encodable) -> [UInt8] {
    // Texts, and lists and tables of them, can always be encoded.
    Array("export const \(name) = ".utf8) + ((try? value.encoded()) ?? []) + Array(";\n".utf8)
  }

  /// Returns the values of each setting: words, or the description of a range.
  private static func values<Settings: KeyedSettings>(of _: Settings.Type) -> [String: [String]] {
    Dictionary(uniqueKeysWithValues: Settings.Key.allCases.map { ($0.rawValue, Settings.values(of: $0)) })
  }
}
