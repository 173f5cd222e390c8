// Installing apps on a handset, and what was installed there.

import AppLink
import ControlAPI
import FoundationEssentials
import HandsetCore
import Synchronization

/// A handset's apps, as the control API sees them.
final class AppsControl: AppsBackend {
  private let access: HandsetAccess
  private let library: SoundLibrary
  private let folders: AppFolders
  private let link: AppLink
  private let language: String
  /// Apps whose installation is under way.
  private let installing = Mutex<Set<AppID>>([])

  init(access: HandsetAccess, library: SoundLibrary, folders: AppFolders, link: AppLink, language: String) {
    self.access = access
    self.library = library
    self.folders = folders
    self.link = link
    self.language = language
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
    let bundle: AppBundle
    do {
      bundle = try AppBundle(files: files, folder: "bundle", language: language)
    } catch {
      throw ControlError(400, error.description)
    }
    let id = bundle.manifest.id
    guard installing.withLock({ $0.insert(id).inserted }) else {
      throw ControlError(409, "\(id) is being installed by another command", hint: "wait until it is done")
    }
    defer { installing.withLock { _ = $0.remove(id) } }
    let (sounds, staged) = try stage(bundle, files)
    do throws(ControlError) {
      let verdict = try await access.submit(.install(bundle.manifest, token: freshToken()))
      if case .refused(let refusal) = verdict { throw ControlError(409, refusal.explanation) }
    } catch {
      library.forget(sounds)
      folders.forget(staged)
      throw error
    }
    library.adopt(sounds)
    do {
      link.install(id, hooks: try folders.adopt(staged))
    } catch {
      throw ControlError(
        507, "\(id) is installed with the hooks it had: \(error.description)", hint: "install it again")
    }
    return InstallReport(app: try await app(id), notes: bundle.notes)
  }

  /// Writes what an app brings beside what it has; nothing is left behind where that fails.
  private func stage(
    _ bundle: AppBundle, _ files: [String: [UInt8]]
  ) throws(ControlError) -> (StagedSounds, StagedBundle) {
    do {
      let sounds = try library.stage(bundle.sounds, of: bundle.manifest.id)
      do {
        return (sounds, try folders.stage(bundle.manifest.id, hooks: bundle.hooks, files: files))
      } catch {
        library.forget(sounds)
        throw error
      }
    } catch {
      throw ControlError(507, "\(error)", hint: "make room in the state directory")
    }
  }

  func uninstall(_ id: AppID) async throws(ControlError) -> Verdict {
    let verdict = try await access.submit(.uninstall(id))
    guard verdict == .accepted else { return verdict }
    link.uninstall(id)
    folders.remove(id)
    library.removeSounds(of: id)
    return verdict
  }
}
