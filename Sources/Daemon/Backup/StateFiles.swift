import FoundationEssentials
import Glibc
import HandsetStore
import HeldFolders
import Installation

enum StateFiles {
  /// The most bytes of a file in a backup. Only files written by an app's commands can be larger.
  static let fileBytes = 64 << 20

  /// Reads the files below some names in a folder, each folder before its contents.
  /// - Returns: the paths that were left out: sockets, pipes, and files of more than `fileBytes`.
  static func read(
    _ names: [String], in folder: String, _ body: (DatabaseCopy.File) throws -> Void
  ) throws -> [String] {
    try names.flatMap { name -> [String] in
      let path = "\(folder)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else {
        // An app's command may remove its files at any time.
        if errno == ENOENT { return [] }
        throw DaemonError.disk(path)
      }
      let mode = UInt32(status.st_mode & 0o777)
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        try body(DatabaseCopy.File(.state, name, .folder, mode: mode))
        return try read(SharedFiles.files(in: path).sorted().map { "\(name)/\($0)" }, in: folder, body)
      case S_IFLNK:
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
          throw DaemonError.disk(path)
        }
        try body(DatabaseCopy.File(.state, name, .link, mode: mode, content: Array(target.utf8)))
        return []
      case S_IFREG where status.st_size <= fileBytes:
        guard let content = FileManager.default.contents(atPath: path) else { throw DaemonError.disk(path) }
        try body(DatabaseCopy.File(.state, name, .file, mode: mode, content: Array(content)))
        return []
      default:
        return [name]
      }
    }
  }

  struct Writer {
    let folder: String
    private var folders: [(path: String, mode: UInt32)] = []

    init(_ folder: String) { self.folder = folder }

    /// - Throws: `DaemonError` if the path is not below one of `StateReplacement.companions`, if its parent folder was
    ///   not written before, or if the disk fails.
    mutating func write(_ file: DatabaseCopy.File) throws(DaemonError) {
      let parts = file.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      let parent = SharedFiles.parent(of: file.path)
      guard !file.path.utf8.contains(0),
        StateReplacement.companions.contains(where: { $0.utf8.elementsEqual(parts[0]) }),
        !parts.contains(where: { $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }),
        parts.count == 1 || folders.contains(where: { $0.path == parent })
      else { throw DaemonError("the backup has a file of no installation, '\(file.path)'; nothing was changed") }
      let path = "\(folder)/\(file.path)"
      switch file.kind {
      case .folder:
        guard mkdir(path, 0o700) == 0 else { throw .disk(path) }
        folders.append((file.path, file.mode))
      case .link:
        let target = String(decoding: file.content, as: UTF8.self)
        guard symlink(target, path) == 0 else { throw .disk(path) }
      case .file:
        try StateFolder.explaining { () throws(HeldFolder.Fault) in
          try HeldFolder(SharedFiles.parent(of: path))
            .make(HeldFolder.name(of: path), file.content, mode: mode_t(file.mode & 0o777))
        }
      }
    }

    func finish() throws(DaemonError) {
      try StateFolder.explaining { () throws(HeldFolder.Fault) in
        for (path, mode) in folders.reversed() {
          let written = try HeldFolder("\(folder)/\(path)")
          try written.synchronize()
          try written.setMode(mode_t(mode & 0o777))
        }
      }
      try StateFolder.flush(folder)
    }
  }
}
