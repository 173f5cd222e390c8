import Glibc
import HandsetCore

/// Paths of apps and of the bundles that they share:
///
///     bundles/DIGEST/hooks.json, files/…, sounds/NAME.wav   of a bundle, once however many handsets have the app
///     handsets/NUMBER/apps/APP                              a symbolic link to the app's bundle
///     handsets/NUMBER/work/APP/                             where the app's commands run
struct AppPaths: Sendable {
  /// The state directory.
  let state: String

  /// The names of the apps' folders in the state directory.
  static let names = ["bundles", "handsets"]

  var bundles: String { "\(state)/bundles" }
  var handsets: String { "\(state)/handsets" }

  func bundle(_ digest: String) -> String { "\(bundles)/\(digest)" }
  func apps(of handset: HandsetID) -> String { "\(handsets)/\(handset)/apps" }
  func work(of handset: HandsetID) -> String { "\(handsets)/\(handset)/work" }
  func link(of app: AppAddress) -> String { "\(apps(of: app.handset))/\(app.app)" }
  func work(of app: AppAddress) -> String { "\(work(of: app.handset))/\(app.app)" }

  /// Returns the target of an app's link.
  static func linkTarget(_ digest: String) -> String { "../../../bundles/\(digest)" }
  /// Returns the path of a bundle's files, relative to the folder in which the app's commands run.
  static func files(of digest: String) -> String { "../../../../bundles/\(digest)/files" }

  /// Returns the bundle that an app has; nil if it has none.
  func digest(of app: AppAddress) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link(of: app), &target, target.count)
    guard count > 0 else { return nil }
    let bytes = target[..<count].map(UInt8.init(bitPattern:))
    return bytes.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) }
  }
}
