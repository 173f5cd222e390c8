// Looks at the user's files without a daemon, so that a mistake is found at the desk and not on the board.

import Board
import FoundationEssentials
import StrictYAML

/// Everything that is wrong with a file or folder, one line each, as `file:line:column: error: …`; empty where all is
/// well.
/// - Parameter path: of a board file, a configuration file, an app's `app.yaml`, or its folder.
public func check(path: String) -> [String] {
  if SharedFiles.isFolder(path) { return checkBundle(path) }
  if path.hasSuffix("/app.yaml") || path == "app.yaml" { return checkBundle(SharedFiles.parent(of: path)) }
  do {
    let document = try YAMLDocument.parse(contentsOf: path, emptyAsMapping: true)
    let keys = Set(try document.root.entries().map(\.key))
    if keys.isDisjoint(with: ["chip", "lamp", "display"]) {
      _ = try Configuration(contentsOf: path)
    } else {
      _ = try BoardDescription(contentsOf: path)
    }
    return []
  } catch let error as StrictYAMLError {
    return error.diagnostics.map(\.description)
  } catch {
    return ["\(error)"]
  }
}

private func checkBundle(_ folder: String) -> [String] {
  var files: [String: [UInt8]] = [:]
  for path in SharedFiles.filesBelow(folder) {
    guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(path)") else {
      return ["\(folder)/\(path):1:1: error: cannot be read"]
    }
    files[path] = Array(bytes)
  }
  do {
    return try AppBundle(files: files, folder: folder, language: "en").notes.map { "\(folder)/\($0)" }
  } catch {
    return error.diagnostics.map(\.description)
  }
}
