import AppLink
import ControlAPI
import FoundationEssentials
import HandsetCore
import Synchronization
import WebCalls

/// A handset's apps in the control API.
final class AppsControl: AppsBackend {
  private let access: HandsetAccess
  private let folders: AppFolders
  private let link: AppLink
  private let keys: AppKeys
  private let language: String
  private let endReading: @Sendable (AppID) -> Void
  /// The apps that are being installed.
  private let installing = Mutex<Set<AppID>>([])

  /// - Parameter endReading: closes the streams that access keys read from an app that is uninstalled.
  init(
    access: HandsetAccess, folders: AppFolders, link: AppLink, keys: AppKeys, language: String,
    endReading: @escaping @Sendable (AppID) -> Void
  ) {
    self.access = access
    self.folders = folders
    self.link = link
    self.keys = keys
    self.language = language
    self.endReading = endReading
  }

  func apps() async throws(ControlError) -> [AppReport] {
    try await access.read { handset, _, _, _ in
      handset.apps.values.sorted { $0.id < $1.id }.map { AppReport($0, of: handset) }
    }
  }

  func app(_ id: AppID) async throws(ControlError) -> AppReport {
    let report = try await access.read { handset, _, _, _ in handset.apps[id].map { AppReport($0, of: handset) } }
    guard let report else { throw ControlError(404, Refusal.unknownApp(id).explanation) }
    return report
  }

  func freshToken() -> DeviceToken { .random() }

  func install(_ upload: BundleUpload) async throws(ControlError) -> InstallReport {
    let files = upload.files.mapValues { Array($0) }
    let digest = folders.hold(files)
    defer { folders.release(digest) }
    let bundle: AppBundle
    do {
      bundle = try AppBundle(files: files, folder: "bundle", language: language) { name in
        folders.hasSound(name, in: digest)
      }
    } catch {
      throw ControlError(400, error.description)
    }
    let id = bundle.manifest.id
    guard installing.withLock({ $0.insert(id).inserted }) else {
      throw ControlError(409, "\(id) is being installed by another command", hint: "wait until it is done")
    }
    defer { installing.withLock { _ = $0.remove(id) } }
    do {
      try folders.store(bundle, files: files, as: digest)
    } catch {
      throw ControlError(507, "\(error)")
    }
    let verdict = try await access.submit(.install(bundle.manifest, token: freshToken()))
    if case .refused(let refusal) = verdict { throw ControlError(409, refusal.explanation) }
    if bundle.manifest.acknowledge != nil { _ = try await keys.key(of: address(of: id), by: access.host) }
    do {
      link.install(address(of: id), programs: try folders.install(digest, as: address(of: id)))
    } catch {
      throw ControlError(
        507, "\(id) is installed with the hooks it had: \(error.description)", hint: "install it again")
    }
    return InstallReport(app: try await app(id), notes: bundle.notes)
  }

  func uninstall(_ id: AppID) async throws(ControlError) -> Verdict {
    let verdict = try await access.submit(.uninstall(id))
    guard verdict == .accepted else { return verdict }
    endReading(id)
    link.uninstall(address(of: id))
    keys.forget(address(of: id))
    folders.remove(address(of: id))
    return verdict
  }

  func key(of id: AppID, isNew: Bool) async throws(ControlError) -> AppKeyReport {
    // 404 for an app that is not installed.
    _ = try await app(id)
    let address = address(of: id)
    let key = isNew ? try await keys.renew(address, by: access.host) : try await keys.key(of: address, by: access.host)
    return AppKeyReport(app: id.text, key: key.text)
  }

  private func address(of app: AppID) -> AppAddress { AppAddress(app, on: access.identity.id) }
}
