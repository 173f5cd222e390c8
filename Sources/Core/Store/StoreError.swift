import CSQLite

public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The state directory, or a file in it, cannot be made or opened.
  case directory(path: String, problem: String)
  /// Another daemon has the directory; its process is nil if it has not written it down yet.
  case inUse(directory: String, process: Int32?)
  case foreign(path: String)
  /// A version of this program from before the first schema wrote the database; `version` is its `user_version`.
  case older(path: String, version: Int)
  case newer(path: String, version: Int, known: Int)
  /// SQLite refused; `code` is its extended result code.
  case sqlite(path: String, code: Int32, message: String)
  /// Pages of a copy are not as a daemon wrote them; `count` is the number of all its pages.
  case changed(path: String, pages: [Int], count: Int)
  /// The first fault that SQLite's integrity check finds in a copy.
  case inconsistent(path: String, problem: String)
  /// A row without which the store cannot continue cannot be read.
  case damaged(StoreDamage)
  /// A private key, which must never be stored, was about to be stored.
  case privateKey(provider: String)
  case unwritable(String, problem: String)

  public var description: String {
    switch self {
    case .directory(let path, let problem):
      "\(path): \(problem)"
    case .inUse(let directory, let process):
      "another deskbell\(process.map { " (process \($0))" } ?? "") uses \(directory): "
        + "stop it, or give this one another state directory with --state"
    case .foreign(let path):
      "\(path) is a database, and not one of deskbell's: move it away, or use another directory with --state"
    case .older(let path, let version):
      "\(path) was written by an older deskbell (version \(version), this one reads "
        + "\(PageChecksums.version + Schema.firstStep) and later): deskbell 0.7.3 converts it; "
        + "or use another directory with --state"
    case .newer(let path, let version, let known):
      "\(path) was written by a newer deskbell (schema \(version), this one knows \(known)): "
        + "install that version or a later one, or use another directory with --state"
    case .sqlite(let path, let code, let message):
      "\(path): \(message) (SQLite error \(code))" + StoreError.advice(for: code)
    case .changed(let path, let pages, let count):
      "\(path): \(pages.count) of \(count) pages are not as the daemon wrote them, the first is page \(pages.first ?? 0)"
    case .inconsistent(let path, let problem):
      "\(path): SQLite's integrity check fails: \(problem)"
    case .damaged(let damage):
      "\(damage)\(StoreError.restoring)"
    case .privateKey(let provider):
      "provider '\(provider)': this is a private key, and only public ones are stored: derive the public key first"
    case .unwritable(let thing, let problem):
      "\(thing) cannot be written as JSON: \(problem)"
    }
  }

  /// SQLITE_IOERR_FSYNC, which C combines from two other numbers.
  static let failedSync = SQLITE_IOERR | 4 << 8

  /// SQLITE_IOERR_DATA: a page does not have its checksum. SQLite has no other use for it.
  static let changedPage = SQLITE_IOERR | 32 << 8

  private static let restoring = "; 'deskbell restore FILE' brings back a backup"

  private static func advice(for code: Int32) -> String {
    if code == changedPage { return restoring }
    // The low byte of an extended code is its primary code.
    return switch code & 0xFF {
    case SQLITE_FULL:
      "; free space on its file system, or, where it has its \(StoreLimits.databaseBytes >> 20) MB, clear Notification "
        + "Center or uninstall apps"
    case SQLITE_IOERR: "; check the disk and the kernel's log"
    case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM: "; check owner and permissions of the file and its directory"
    case SQLITE_BUSY, SQLITE_LOCKED: "; end the program that has it open"
    case SQLITE_CORRUPT, SQLITE_NOTADB: restoring
    default: ""
    }
  }

  /// True if nothing can be stored or read until there is another database.
  public var isDamage: Bool {
    switch self {
    case .damaged: true
    // A disk that cannot be read is not damage.
    case .sqlite(_, StoreError.changedPage, _): true
    // The low byte of an extended code is its primary code.
    case .sqlite(_, let code, _): [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF)
    default: false
    }
  }
}

/// A stored row that cannot be read back, which costs that row alone.
public struct StoreDamage: Error, Hashable, Sendable, CustomStringConvertible {
  public var table: String
  /// The row's key without the handset's number.
  public var key: String
  public var column: String
  public var problem: String

  public var description: String { "table '\(table)', row '\(key)', column '\(column)': \(problem)" }
}
