import CSQLite
import FoundationEssentials
import Glibc

extension HandsetStore {
  /// Moves a database that cannot be read into a folder `damaged-1` of the state directory, where it can be repaired, so
  /// that the next one begins empty. There are three such folders at most: then the newest is replaced, and the first,
  /// which may have the most in it, stays.
  /// - Parameter companions: other files of the state directory that are of no use without the database.
  /// - Throws: `StoreError.inUse` if a daemon has the directory; `.directory` if a file cannot be moved.
  public static func setAside(directory: String, with companions: [String]) throws(StoreError) -> String {
    let state = try StateDirectory(directory)
    let folders = (1...3).map { "\(state.path)/damaged-\($0)" }
    let folder: String = folders.first { access($0, F_OK) != 0 } ?? folders[2]
    try? FileManager.default.removeItem(atPath: folder)
    guard mkdir(folder, 0o700) == 0 else { throw StateDirectory.failure(folder, "cannot be made") }
    let names = [fileName + "-wal", fileName] + companions
    for name in names {
      guard rename("\(state.path)/\(name)", "\(folder)/\(name)") == 0 || errno == ENOENT else {
        throw StateDirectory.failure("\(state.path)/\(name)", "cannot be moved to \(folder)")
      }
    }
    unlink("\(state.path)/\(fileName)-shm")
    unlink("\(state.path)/\(StateDirectory.damageNote)")
    StateDirectory.sync(folder)
    StateDirectory.sync(state.path)
    return folder
  }
}

/// The extent of the damage to a database that was set aside.
public struct DamageExtent: Hashable, Sendable, CustomStringConvertible {
  /// Pages that are not as the daemon wrote them.
  public var changedPages: [Int] = []
  public var pageCount = 0
  /// The first fault that SQLite's own check finds; nil if it finds none.
  public var problem: String?

  /// - Parameter folder: the result of `HandsetStore.setAside`. Nothing in it changes.
  public init(of folder: String) {
    let file = "\(folder)/\(HandsetStore.fileName)"
    if let changed = try? PageChecksums.changedPages(of: file) {
      (changedPages, pageCount) = (changed.numbers, changed.count)
    }
    do throws(StoreError) {
      let database = try SQLiteConnection(path: file, in: nil, flags: SQLITE_OPEN_READONLY, checksums: false)
      let answer = try database.first("PRAGMA quick_check(1)", []) { $0.text(0) } ?? nil
      problem = answer == "ok" ? nil : (answer ?? "no answer").split(separator: "\n").joined(separator: " ")
    } catch {
      problem = "\(error)"
    }
    unlink("\(file)-shm")
  }

  /// True if another program may have changed it on purpose.
  public var isAcceptable: Bool { problem == nil && !changedPages.isEmpty }

  public var description: String {
    if pageCount == 0 { return "there is no page of a database" }
    let pages =
      switch changedPages.count {
      case 0: "each page is as it was written"
      case 1: "page \(changedPages[0]) of \(pageCount) is not as it was written"
      case 2...8:
        "pages \(changedPages.map(String.init).joined(separator: ", ")) of \(pageCount) are not as they were written"
      default: "\(changedPages.count) of \(pageCount) pages are not as they were written"
      }
    return pages + (problem.map { "; SQLite's own check says: \($0)" } ?? "; SQLite's own check finds no fault")
  }
}
