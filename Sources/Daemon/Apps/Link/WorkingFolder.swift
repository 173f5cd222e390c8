// The folder in which an app's commands run. The files of a bundle are stored once for all handsets, so commands must
// not run among them: files that a command writes belong to its app on its handset alone.

import Glibc

enum WorkingFolder {
  /// Creates the folder if it does not exist, and in it a symbolic link to each file and folder of the bundle. An entry
  /// with which a command has replaced a link stays.
  /// - Parameters:
  ///   - folder: absolute; at most its last two components are created.
  ///   - bundle: relative to `folder`.
  static func prepare(_ folder: String, bundle: String) throws(ProgramFault) {
    if mkdir(folder, 0o700) != 0 && errno == ENOENT, let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) {
      _ = mkdir(String(folder[..<slash]), 0o700)
      _ = mkdir(folder, 0o700)
    }
    // If the folder could not be created, starting the command reports it.
    guard let directory = opendir("\(folder)/\(bundle)") else {
      throw ProgramFault(
        message: "its bundle \(folder)/\(bundle) cannot be read: \(errorText(errno)); install the app again")
    }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      guard symlink("\(bundle)/\(name)", "\(folder)/\(name)") == 0 || errno == EEXIST else {
        throw ProgramFault(
          message: "its folder \(folder) cannot be written: \(errorText(errno)); free some space in the state directory"
        )
      }
    }
  }
}
