// Version 0.1 had one handset, and folders for each app: `apps/APP` with its hooks and its files, `sounds/APP` with its
// converted sounds. They become bundles of the first handset's apps.

import Glibc
import HandsetCore
import HeldFolders
import Installation

extension AppPaths {
  /// Moves the files of version 0.1. If it is interrupted, the next start continues.
  func takeOverFrom01() {
    let (apps, sounds) = ("\(state)/apps", "\(state)/sounds")
    // An upgrade that a power cut interrupted had moved the app's older folder away.
    for name in SharedFiles.files(in: apps) where name.hasSuffix(".old.") {
      rename("\(apps)/\(name)", "\(apps)/\(name.dropLast(".old.".count))")
    }
    for name in SharedFiles.files(in: sounds) { rmdir("\(sounds)/\(name)") }
    for app in Set((SharedFiles.files(in: apps) + SharedFiles.files(in: sounds)).compactMap { AppID($0) }) {
      try? takeOver(app, from: "\(apps)/\(app)", sounds: "\(sounds)/\(app)")
    }
    for folder in [apps, sounds] {
      for name in SharedFiles.files(in: folder) where AppID(name) == nil { HeldFolder.removeAll(at: "\(folder)/\(name)") }
      rmdir(folder)
    }
  }

  private func takeOver(_ app: AppID, from folder: String, sounds: String) throws(DaemonError) {
    // No bundle's digest contains dots.
    let digest = "0.1.\(app)"
    try StateFolder.make(bundle(digest))
    try StateFolder.make(apps(of: .first))
    let link = link(of: AppAddress(app, on: .first))
    // The link first: a bundle without a link is removed.
    guard symlink(AppPaths.linkTarget(digest), link) == 0 || errno == EEXIST else { throw .disk(link) }
    try StateFolder.flush(apps(of: .first))
    rename("\(folder)/bundle", "\(bundle(digest))/files")
    rename("\(folder)/hooks.json", "\(bundle(digest))/hooks.json")
    rename(sounds, "\(bundle(digest))/sounds")
    try StateFolder.flush(bundle(digest))
    rmdir(folder)
  }
}
