import Foundation
import HandsetCore
import Speaker
import Testing

@testable import DeskbellDaemon

@Suite struct WebPanelTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func access(_ stored: String? = nil) -> PanelAccess { PanelAccess(storedPassword: stored, now: { .zero }) }

  @Test func everyAddressIsThisMachinesToo() async throws {
    let access = access()
    access.started(at: .init(host: "*", port: 2198), scheme: "https", isOnNetwork: true)
    #expect(
      try await access.report()
        == PanelReport(address: "*:2198", url: "https://localhost:2198/", isOnNetwork: true, hasPassword: false))
  }

  @Test func onTheNetworkItsAddressIsTheOneThatTheCertificateIsGoodFor() async throws {
    let access = access()
    for host in ["*", "192.168.1.7"] {
      access.started(
        at: .init(host: host, port: 2198), scheme: "https", isOnNetwork: true, certifiedHost: "bell.example.org")
      #expect(try await access.report().url == "https://bell.example.org:2198/")
      #expect(try await access.report().address == "\(host):2198")
    }
    access.started(
      at: .init(host: "127.0.0.1", port: 2198), scheme: "http", isOnNetwork: false, certifiedHost: "bell.example.org")
    #expect(try await access.report().url == "http://127.0.0.1:2198/")
  }

  @Test func keepsAHashAndKnowsThePasswordAgain() async throws {
    let access = access()
    let kept = Kept()
    #expect(await access.isRight("", from: nil) == false)
    try await access.setPassword("correct horse") { hash throws(ControlError) in await kept.keep(hash) }
    let hash = try #require(await kept.hash)
    #expect(hash.hasPrefix("$scrypt$"))
    for access in [access, self.access(hash)] {
      #expect(access.hasPassword)
      #expect(await access.isRight("correct horse", from: "192.0.2.1") == true)
      #expect(await access.isRight("battery staple", from: "192.0.2.1") == false)
    }
  }

  @Test func onTheNetworkItCannotBeRemoved() async throws {
    let access = access()
    try await access.setPassword("correct horse") { _ in }
    access.started(at: .init(host: "*", port: 2198), scheme: "https", isOnNetwork: true)
    await #expect(throws: ControlError.self) { try await access.setPassword(nil) { _ in } }
    #expect(access.hasPassword)
  }

  @Test func movesToTheNetworkOnceItHasAPassword() async throws {
    let access = access()
    let stored = Kept()
    func set(_ isOn: Bool) async throws -> PanelReport {
      try await access.setNetwork(isOn) { value throws(ControlError) in await stored.keep(value) }
    }
    await #expect(throws: ControlError.self) { try await set(true) }
    access.started(at: .init(host: "127.0.0.1", port: 2198), scheme: "http", isOnNetwork: false)
    await #expect(throws: ControlError.self) { try await set(true) }
    try await access.setPassword("correct horse") { _ in }
    let port = Task {
      for await move in access.moves {
        let host = move.toNetwork ? "*" : "127.0.0.1"
        access.started(at: .init(host: host, port: 2198), scheme: "https", isOnNetwork: move.toNetwork)
        move.done(nil)
      }
    }
    #expect(try await set(true).address == "*:2198")
    #expect(await stored.hash == "on")
    #expect(access.isNetworkWanted)
    await #expect(throws: ControlError.self) { try await access.setPassword(nil) { _ in } }
    #expect(try await set(false).address == "127.0.0.1:2198")
    #expect(await stored.hash == nil)
    #expect(!access.isNetworkWanted)
    access.ended()
    await port.value
    await #expect(throws: ControlError.self) { try await set(true) }
    #expect(!access.isNetworkWanted)
  }

  @Test func wherePortsCannotBeOpenedItStays() async throws {
    let access = access()
    let stored = Kept()
    access.started(at: .init(host: "127.0.0.1", port: 2198), scheme: "http", isOnNetwork: false)
    try await access.setPassword("correct horse") { _ in }
    let port = Task {
      for await move in access.moves { move.done("the port is taken") }
    }
    await #expect(throws: ControlError(409, "the panel stays at 127.0.0.1:2198: the port is taken")) {
      try await access.setNetwork(true) { value throws(ControlError) in await stored.keep(value) }
    }
    #expect(await stored.hash == nil)
    access.ended()
    await port.value
  }

  @Test func whatTheSettingsPlaceIsNotMoved() async throws {
    let access = access()
    try await access.setPassword("correct horse") { _ in }
    access.started(at: .init(host: "*", port: 2198), scheme: "https", isOnNetwork: true)
    await #expect(throws: ControlError.self) { try await access.setNetwork(false) { _ in } }
  }

  /// Returns a sound whose file has those bytes.
  private func sound(_ data: Data) throws -> Sound {
    let path = "\(folder.path)/wave.wav"
    try data.write(to: URL(filePath: path))
    return Sound(name: "s", path: path)
  }

  /// Measures a sound with those samples.
  private func waveform(_ samples: [Int16], points: Int) throws -> WaveformReport? {
    var data = Data(repeating: 0, count: 44)
    for sample in samples { withUnsafeBytes(of: sample.littleEndian) { data.append(contentsOf: $0) } }
    return WaveformReport(of: try sound(data), points: points)
  }

  @Test func drawsTheLoudestOfEachStretch() throws {
    let samples: [Int16] = [0, 1, -16_384, 100, .min, .max, 0, 0]
    #expect(try waveform(samples, points: 4)?.peaks == [0, 50, 100, 0])
    #expect(try waveform(samples, points: 100)?.peaks.count == 8)
    #expect(try waveform([], points: 4)?.peaks == [])
    #expect(try waveform(Array(repeating: 0, count: 88_200), points: 4)?.milliseconds == 1000)
    #expect(WaveformReport(of: Sound(name: "s", path: "/nonexistent"), points: 4) == nil)
  }

  @Test func readsASoundInPieces() async throws {
    let whole = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0) })
    let pieces = Pieces()
    let audio = try #require(SoundAudio(of: try sound(whole)))
    try await audio.write { await pieces.take($0) }
    #expect(await pieces.all.map(\.count) == [65_536, 65_536, 18_928])
    #expect(await Data(pieces.all.joined()) == whole)
    // Neither a folder nor a file that is not a sound.
    for other in [FileManager.default.temporaryDirectory.path, "/nonexistent", "/dev/zero", "/dev/null"] {
      #expect(SoundAudio(of: Sound(name: "s", path: other)) == nil, "\(other)")
    }
  }

  @Test func neitherReadsNorDrawsASoundThatIsTooLong() throws {
    let longest = 44 + SoundFile.Limits.seconds * SoundFormat.framesPerSecond * SoundFormat.bytesPerFrame
    let sound = try sound(Data(count: longest))
    #expect(SoundAudio(of: sound) != nil)
    #expect(WaveformReport(of: sound, points: 1)?.peaks == [0])
    _ = try self.sound(Data(count: longest + 1))
    #expect(SoundAudio(of: sound) == nil)
    #expect(WaveformReport(of: sound, points: 1) == nil)
  }
}

private actor Pieces {
  private(set) var all: [[UInt8]] = []
  func take(_ piece: [UInt8]) { all.append(piece) }
}

private actor Kept {
  private(set) var hash: String?
  func keep(_ hash: String?) { self.hash = hash }
}

@Suite struct PanelTablesTests {
  @Test("The panel's module of lists has the core's, one exported constant on each line")
  func module() {
    let lines = String(decoding: PanelTables.module, as: UTF8.self).split(separator: "\n")
    let names = ["CONDITIONS", "HANDSET_SETTINGS", "APP_SETTINGS", "EVENTS", "KINDS", "LEVELS"]
    #expect(lines.map { String($0.prefix { $0 != "=" }) } == names.map { "export const \($0) " })
    #expect(lines.last == #"export const LEVELS = ["passive","active","time-sensitive","critical"];"#)
    #expect(lines.first?.contains(#""low-power":"\#(Condition.lowPower.meaning)""#) == true)
    #expect(lines[1].contains(#""fetch-mode":["push","fetch","manual"]"#))
  }
}
