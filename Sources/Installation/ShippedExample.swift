/// An app that is shipped as an example.
public enum ShippedExample {
  /// Names of the examples, sorted.
  public static var names: [String] {
    guard let folder = SharedFiles.folder("examples") else { return [] }
    return SharedFiles.files(in: folder).filter { SharedFiles.isFile("\(folder)/\($0)/app.yaml") }.sorted()
  }

  /// The bundle folder that is meant: a folder that is there, else the example of that name, with `examples/` before it
  /// or without; nil if there is neither.
  public static func folder(meant path: String) -> String? {
    if SharedFiles.isFolder(path) { return path }
    let prefix = "examples/"
    let name = path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    guard !name.contains("/") else { return nil }
    return names.contains(name) ? SharedFiles.folder(prefix + name) : nil
  }
}
