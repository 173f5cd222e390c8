// Where an app's commands run. The files of a bundle are stored once for all handsets, so commands must not run among
// them: what a command writes belongs to its app on its handset alone.

import Glibc

enum WorkingFolder {
  /// Makes the folder where it does not exist, and in it a symbolic link to each file and folder of the bundle. What a
  /// command has put in the place of a link stays.
  /// - Parameters:
  ///   - folder: absolute; at most its last two components are made.
  ///   - bundle: relative to `folder`.
  static func prepare(_ folder: String, bundle: String) throws(HookFault) {
    if mkdir(folder, 0o700) != 0 && errno == ENOENT, let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) {
      _ = mkdir(String(folder[..<slash]), 0o700)
      _ = mkdir(folder, 0o700)
    }
    // Where the folder could not be made, starting the command says so.
    guard let directory = opendir("\(folder)/\(bundle)") else {
      throw HookFault(
        message: "its bundle \(folder)/\(bundle) cannot be read: \(errorText(errno)); install the app again")
    }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      guard symlink("\(bundle)/\(name)", "\(folder)/\(name)") == 0 || errno == EEXIST else {
        throw HookFault(
          message: "its folder \(folder) cannot be written: \(errorText(errno)); free some space in the state directory"
        )
      }
    }
  }
}
