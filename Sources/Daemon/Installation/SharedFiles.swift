// Sounds and board files are shipped with the program; their place differs between a package and a checkout.

import FoundationEssentials
import Glibc

public enum SharedFiles {
  /// Returns the path of a shipped folder: `Sounds`, `board-configs`, `examples/mailroom`. Nil if it is missing.
  public static func folder(_ name: String) -> String? {
    candidates.map { "\($0)/\(name)" }.first(where: isFolder)
  }

  /// The folders that are searched: `$DESKBELL_SHARE`; `../share/deskbell` of the executable (a package); the folders
  /// above the executable (a build in a checkout).
  public static var candidates: [String] {
    var found: [String] = []
    if let set = getenv("DESKBELL_SHARE") { found.append(String(cString: set)) }
    guard let executable = absolute("/proc/self/exe") else { return found }
    var folder = parent(of: executable)
    found.append("\(parent(of: folder))/share/deskbell")
    while folder != "/" && !folder.isEmpty {
      found.append(folder)
      folder = parent(of: folder)
    }
    return found
  }

  public static func absolute(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  public static func parent(of path: String) -> String {
    // Compares bytes, as the kernel does.
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  public static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  public static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns the names of the files and folders in a folder; none if it cannot be read.
  public static func files(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// Returns the relative paths of the files in a folder and in its subfolders that are not hidden.
  public static func filesBelow(_ folder: String, depth: Int = 2) -> [String] {
    files(in: folder).flatMap { name in
      let path = "\(folder)/\(name)"
      guard isFolder(path) else { return isFile(path) ? [name] : [] }
      return depth > 0 && !name.hasPrefix(".") ? filesBelow(path, depth: depth - 1).map { "\(name)/\($0)" } : []
    }
  }
}
