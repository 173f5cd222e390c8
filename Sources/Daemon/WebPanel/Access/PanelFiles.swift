// The page itself: a folder of plain files, read once at the start, so that no requested path reaches the disk.

import Crypto
import FoundationEssentials
import HTTP

enum PanelFiles {
  /// - Parameters:
  ///   - folder: the folder with `index.html`; its subfolders are read, one level deep.
  ///   - made: further files by path; one of the folder with that path is not served.
  /// - Throws: `PanelError` if there is no page, or it is too large.
  static func routes(in folder: String, made: [String: [UInt8]] = [:]) throws(PanelError) -> [Route] {
    var routes = made.compactMap { path, bytes in PanelFiles.type(of: path).map { route("/" + path, $0, bytes) } }
    for path in names(in: folder).sorted() where made[path] == nil {
      guard let type = type(of: path) else { continue }
      guard routes.count < PanelLimits.files else {
        throw PanelError(
          description: "\(folder) has more than \(PanelLimits.files) files; remove those that are not the panel's")
      }
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(path)"), data.count <= PanelLimits.fileBytes
      else {
        throw PanelError(
          description: "\(folder)/\(path) cannot be read, or has more than \(PanelLimits.fileBytes) bytes; "
            + "install Deskbell again")
      }
      routes.append(route(path == "index.html" ? "/" : "/" + path, type, Array(data)))
    }
    guard routes.contains(where: { $0.pattern == "/" }) else {
      throw PanelError(description: "\(folder) has no index.html; install Deskbell again")
    }
    return routes
  }

  private static func route(_ pattern: String, _ type: String, _ bytes: [UInt8]) -> Route {
    let tag = "\"" + Data(SHA256.hash(data: bytes).prefix(12)).base64EncodedString() + "\""
    // The browser asks each time and gets a changed file, so versions are never mixed.
    let fields: HeaderFields = ["Content-Type": type, "ETag": tag, "Cache-Control": "no-cache"]
    return Route("GET", pattern, bodyLimit: 0) { request in
      if request.headers["If-None-Match"] == tag { return HTTPResponse(status: 304, headers: fields) }
      return HTTPResponse(headers: fields, body: .bytes(bytes))
    }
  }

  private static func type(of path: String) -> String? {
    switch path.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    default: nil
    }
  }

  private static func names(in folder: String) -> [String] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return entries.flatMap { name -> [String] in
      guard !name.hasPrefix(".") else { return [] }
      let inner = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)")) ?? []
      return inner.isEmpty ? [name] : inner.filter { !$0.hasPrefix(".") }.map { "\(name)/\($0)" }
    }
  }
}

/// The reason why there is no panel. The description tells the user what to do.
public struct PanelError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
}
