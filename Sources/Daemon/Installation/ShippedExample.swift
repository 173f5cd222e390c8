public enum ShippedExample {
  public static var names: [String] {
    guard let folder = SharedFiles.folder("examples") else { return [] }
    return SharedFiles.files(in: folder).filter { SharedFiles.isFile("\(folder)/\($0)/app.yaml") }.sorted()
  }

  /// Returns an existing folder with that path, else the example with that name, with or without `examples/` before it;
  /// nil if there is neither.
  public static func folder(meant path: String) -> String? {
    if SharedFiles.isFolder(path) { return path }
    let prefix = "examples/"
    let name = path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    guard !name.contains("/") else { return nil }
    return names.contains(name) ? SharedFiles.folder(prefix + name) : nil
  }
}
