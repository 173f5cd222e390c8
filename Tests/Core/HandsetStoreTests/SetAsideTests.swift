import CSQLite
import Foundation
import Testing

@testable import HandsetCore
@testable import HandsetStore

@Suite struct SetAsideTests {
  private let place = Place()
  private var directory: String { place.path }

  @Test func `What is damaged in use is refused by the next start, and set aside with what hangs on it`() throws {
    try {
      var rig = try Rig(directory)
      try rig.installMail()
      try rig.commit(.push(push(1)), durable: true)
      try rig.restart { try damage("event", in: directory) }
      let error = #expect(throws: StoreError.self) { try rig.commit(.push(push(2)), durable: true) }
      #expect(error?.isDamage == true)
    }()
    #expect(refusal(directory)?.isDamage == true)
    try FileManager.default.createDirectory(atPath: directory + "/bundles/x", withIntermediateDirectories: true)
    let folder = try HandsetStore.setAside(directory: directory, with: ["bundles", "handsets"])
    #expect(folder == directory + "/damaged-1")
    #expect(try names(in: folder).filter { !$0.hasSuffix("-wal") } == ["bundles", "deskbell.sqlite"])
    #expect(try names(in: directory) == ["damaged-1", "lock"])
    let contents = try HandsetStore(directory: directory).load(handset: 1).contents
    #expect(contents.apps.isEmpty)
    #expect(contents.record.nextEvent == 1)
  }

  @Test func `The first that was set aside stays, and no more than three are kept`() throws {
    for number in 1...4 {
      _ = try HandsetStore(directory: directory)
      try replaceFile(directory, with: Array(String(repeating: "\(number)", count: 512).utf8))
      #expect(refusal(directory)?.isDamage == true)
      let folder = try HandsetStore.setAside(directory: directory, with: [])
      #expect(folder == directory + "/damaged-\(min(number, 3))")
    }
    let kept = try (1...3).map { number in
      try String(contentsOfFile: directory + "/damaged-\(number)/deskbell.sqlite", encoding: .utf8)
    }
    #expect(kept.map(\.first) == ["1", "2", "4"])
  }

  @Test func `A database that is empty or missing beside the rest of an installation is damage`() throws {
    try {
      var rig = try Rig(directory)
      try rig.installMail()
      try rig.store.emptyLog()
    }()
    let file = directory + "/deskbell.sqlite"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    for name in ["tls", "bundles", "handsets", nil] as [String?] {
      let folder = name.map { "\(directory)/\($0)" }
      if let folder { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false) }
      if name == nil { try bytes.write(to: URL(fileURLWithPath: file + "-wal")) }
      for isEmpty in [true, false] {
        unlink(file)
        if isEmpty { try Data().write(to: URL(fileURLWithPath: file)) }
        let error = refusal(directory)
        #expect(error?.isDamage == true)
        #expect(
          error?.description
            == "\(file): it is \(isEmpty ? "empty" : "missing"), though there is more of the installation beside it: "
            + "\(name ?? "a write-ahead log") (SQLite error 11); 'deskbell restore FILE' brings back a backup")
      }
      if let folder { try FileManager.default.removeItem(atPath: folder) }
    }
    // The rest of the log is moved with it.
    let folder = try HandsetStore.setAside(directory: directory, with: [])
    #expect(try names(in: folder) == ["deskbell.sqlite-wal"])
    #expect(try HandsetStore(directory: directory).load(handset: 1).contents.apps.isEmpty)
  }

  @Test func `An empty directory, and a first start that was cut off, begin anew`() throws {
    try withDirectory(made: true) { directory in
      for name in ["deskbell.sqlite", "deskbell.sqlite-wal", "lock"] {
        try Data().write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
      }
      #expect(try HandsetStore(directory: directory).load(handset: 1).contents.apps.isEmpty)
    }
  }

  @Test func `A disk that cannot be read is not damage`() {
    for code in [SQLITE_IOERR, SQLITE_IOERR | 1 << 8, SQLITE_IOERR | 33 << 8, StoreError.failedSync, SQLITE_FULL] {
      #expect(!StoreError.sqlite(path: "x", code: code, message: "").isDamage)
    }
    #expect(StoreError.sqlite(path: "x", code: SQLITE_IOERR | 32 << 8, message: "").isDamage)
  }
}
