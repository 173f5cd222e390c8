import FoundationEssentials
import Glibc

/// The replacement of a state directory's contents by a backup's as a whole, even if the power is cut at any time. The
/// contents are prepared in a folder, which is then renamed: from that moment on, the next lock of the directory
/// completes the replacement. The directory stays locked for as long as this lives.
public final class StateReplacement {
  /// Folders that belong to an installation, beside the database.
  public static let companions = ["tls", "bundles", "handsets"]

  private let state: StateDirectory

  /// Also completes a replacement that was interrupted.
  /// - Throws: `StoreError.inUse` if a daemon has the directory; `.directory`.
  public init(directory: String) throws(StoreError) {
    state = try StateDirectory(directory)
  }

  /// The state directory, without symbolic links.
  public var directory: String { state.path }

  /// The folder in which to prepare it. The caller makes and flushes it.
  public var folder: String { "\(state.path)/restoring" }

  /// Replaces the current contents by the prepared ones.
  /// - Returns: the folder with the former contents; nil if there were none.
  /// - Throws: `StoreError.directory`. If that is after the replacement began, the next start of the daemon completes
  ///   it.
  public func commit() throws(StoreError) -> String? {
    let prepared = "\(state.path)/\(StateDirectory.prepared)"
    guard rename(folder, prepared) == 0 else { throw StateDirectory.failure(folder, "cannot be renamed") }
    StateDirectory.sync(state.path)
    return try state.finishReplacement()
  }
}

extension StateDirectory {
  fileprivate static let prepared = "restored"
  /// The folder within the prepared one for the former contents.
  private static let replaced = ".replaced"

  /// Completes a replacement that has begun. Steps that were done before are left out.
  /// - Returns: the folder with the former contents; nil if there were none, or no replacement.
  @discardableResult
  func finishReplacement() throws(StoreError) -> String? {
    let folder = "\(path)/\(StateDirectory.prepared)"
    guard access(folder, F_OK) == 0 else { return nil }
    let before = "\(folder)/\(StateDirectory.replaced)"
    guard mkdir(before, 0o700) == 0 || errno == EEXIST else { throw StateDirectory.failure(before, "cannot be made") }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder).sorted() else {
      throw StateDirectory.failure(folder, "cannot be read")
    }
    for name in names where name != StateDirectory.replaced {
      // The log of the older database must never meet the newer one.
      let companions = name == HandsetStore.fileName ? ["-wal", "-shm", "-damaged"].map { name + $0 } : []
      for old in companions + [name] { try move(old, from: path, to: before) }
      sync(before, path)
      try move(name, from: folder, to: path)
      sync(path, folder)
    }
    var kept: String?
    if rmdir(before) != 0 {
      var number = 1
      while access("\(path)/replaced-\(number)", F_OK) == 0 { number += 1 }
      kept = "\(path)/replaced-\(number)"
      try move(StateDirectory.replaced, from: folder, to: path, as: "replaced-\(number)")
    }
    guard rmdir(folder) == 0 else { throw StateDirectory.failure(folder, "cannot be removed") }
    sync(path)
    return kept
  }

  private func sync(_ folders: String...) { for folder in folders { StateDirectory.sync(folder) } }

  private func move(_ name: String, from folder: String, to other: String, as newName: String? = nil)
    throws(StoreError)
  {
    guard rename("\(folder)/\(name)", "\(other)/\(newName ?? name)") == 0 || errno == ENOENT else {
      throw StateDirectory.failure("\(folder)/\(name)", "cannot be moved to \(other)")
    }
  }
}
