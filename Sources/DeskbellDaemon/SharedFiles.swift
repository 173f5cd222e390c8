// Sounds and board files come with the program, and stand in different places for a package and for a checkout.

import Glibc

/// Finds what is shipped beside the executable.
enum SharedFiles {
  /// The folder of that name: `Sounds`, `board-configs`. Nil where there is none.
  static func folder(_ name: String) -> String? {
    candidates.map { "\($0)/\(name)" }.first(where: isFolder)
  }

  /// Where to look: `$DESKBELL_SHARE`; `../share/deskbell` of the executable, as a package installs it; the folders
  /// above the executable, as a build in a checkout has it.
  static var candidates: [String] {
    var found: [String] = []
    if let set = getenv("DESKBELL_SHARE") { found.append(String(cString: set)) }
    guard let executable = executablePath else { return found }
    var folder = parent(of: executable)
    found.append("\(parent(of: folder))/share/deskbell")
    while folder != "/" && !folder.isEmpty {
      found.append(folder)
      folder = parent(of: folder)
    }
    return found
  }

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private static var executablePath: String? {
    guard let path = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }
}
