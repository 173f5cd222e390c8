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
    // By bytes, as the kernel does.
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
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

  /// Names in that folder, those of folders among them; none where it cannot be read.
  static func files(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Paths of the files in that folder and in the folders in it, with `/`.
  static func filesBelow(_ folder: String) -> [String] {
    files(in: folder).flatMap { name in
      let path = "\(folder)/\(name)"
      guard isFolder(path) else { return isFile(path) ? [name] : [] }
      return files(in: path).filter { isFile("\(path)/\($0)") }.map { "\(name)/\($0)" }
    }
  }

  private static var executablePath: String? {
    guard let path = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }
}
