import Foundation
import HandsetCore

@testable import FleetFolder

/// 2026-11-21.
let now = WallTime(seconds: 1_795_248_000)

let servers = [
  Fleet.Server(name: "a", host: "10.0.0.1", port: 4222, clusterPort: 6222),
  Fleet.Server(name: "b", host: "n2.example.org", port: 4222, clusterPort: 6222),
  Fleet.Server(name: "c", host: "fd00::3", port: 4300, clusterPort: 6300),
]

/// A folder for one test, removed after it; the fleet is in its folder `fleet`.
struct Place: ~Copyable {
  let path: String
  var fleet: String { path + "/fleet" }

  init() throws {
    path = NSTemporaryDirectory() + "deskbell-fleet-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  func make(_ servers: [Fleet.Server] = servers) throws -> FleetFolder {
    try FleetFolder(making: fleet, servers: servers, maxStore: nil, now: now)
  }

  func text(_ name: String) throws -> String { try String(contentsOfFile: "\(fleet)/\(name)", encoding: .utf8) }

  func mode(_ name: String) throws -> Int {
    try (FileManager.default.attributesOfItem(atPath: "\(fleet)/\(name)")[.posixPermissions] as! NSNumber).intValue
  }

  /// Returns the paths of all files of the fleet, sorted.
  func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: fleet).filter { name in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(fleet)/\(name)", isDirectory: &isFolder) && !isFolder.boolValue
    }.sorted()
  }

  /// Returns the texts of all files.
  func contents() throws -> [String: String] {
    try Dictionary(uniqueKeysWithValues: files().map { ($0, try text($0)) })
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
