// A time zone that is set in each of the ways in which it is, on a file of the test's own.

import Foundation
import Testing

@testable import Clocks

@Suite(.timeLimit(.minutes(10))) struct ZoneWatchTests {
  private let folder = "/tmp/deskbell-zone-\(UUID().uuidString.prefix(8))"
  private var path: String { "\(folder)/localtime" }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
  }

  /// Each element is what the file was found to hold.
  /// - Returns: the reports that the body did not await.
  private func watching(_ body: (inout AsyncStream<String>.AsyncIterator) async throws -> Void) async throws -> [String]
  {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try write("Berlin", to: "berlin")
    try write("New York", to: "new-york")
    let (found, teller) = AsyncStream.makeStream(of: String.self)
    let path = path
    let watch = try ZoneWatch(on: path) {
      teller.yield((try? String(contentsOfFile: path, encoding: .utf8)) ?? "nothing")
    }
    var iterator = found.makeAsyncIterator()
    do {
      try await body(&iterator)
    } catch {
      watch.stop()
      throw error
    }
    watch.stop()
    teller.finish()
    var rest: [String] = []
    while let text = await iterator.next() { rest.append(text) }
    return rest
  }

  @Test("A link that is moved into its place, as timedatectl does, is reported once (L1)")
  func replaced() async throws {
    let rest = try await watching { found in
      for name in ["berlin", "new-york"] {
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/new", withDestinationPath: name)
        #expect(rename("\(folder)/new", path) == 0)
        #expect(await found.next() == (name == "berlin" ? "Berlin" : "New York"))
      }
    }
    #expect(rest == [])
  }

  @Test("A link that is removed and created again: a missing file is not reported, nor one with another name")
  func takenAwayAndMade() async throws {
    let rest = try await watching { found in
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "berlin")
      #expect(await found.next() == "Berlin")
      #expect(unlink(path) == 0)
      try write("another file", to: "hostname")
      try write("a name as long as there can be", to: String(repeating: "x", count: 255))
      // To nowhere: that is no zone.
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
      #expect(unlink(path) == 0)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "new-york")
      #expect(await found.next() == "New York")
    }
    // The report of the link to nowhere may come when the next one exists already.
    #expect(rest.allSatisfy { $0 == "New York" })
  }

  @Test("A file that is written in place is reported when it is complete")
  func written() async throws {
    _ = try await watching { found in
      let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
      #expect(Glibc.write(descriptor, "Lon", 3) == 3)
      #expect(Glibc.write(descriptor, "don", 3) == 3)
      close(descriptor)
      while let text = await found.next() { if text == "London" { break } }
    }
  }

  @Test func aFolderThatIsNotThereCannotBeWatched() {
    let reason = "\(folder)/none/ cannot be watched: No such file or directory"
    #expect(throws: ClockError(description: reason)) {
      _ = try ZoneWatch(on: "\(folder)/none/localtime") {}
    }
  }
}
