// The daemon's side of the web panel: its password, where it may listen, and sounds as they are drawn.

import ControlAPI
import Foundation
import Speaker
import Testing

@testable import DeskbellDaemon

@Suite struct WebPanelTests {
  private func desk(_ stored: String? = nil) -> PanelDesk { PanelDesk(storedPassword: stored, now: { .zero }) }

  @Test func withoutAPortThereIsNoAddress() {
    #expect(throws: ControlError.self) { try desk().report() }
    #expect(throws: ControlError.self) { try desk().token() }
  }

  @Test func anAddressSignsOneBrowserIn() throws {
    let desk = desk()
    desk.started(at: .init(host: "127.0.0.1", port: 2198), scheme: "http", isOnNetwork: false)
    let (one, other) = (try desk.token(), try desk.token())
    #expect(one.url.hasPrefix("http://127.0.0.1:2198/#token="))
    #expect(one.url != other.url)
    #expect(one.validSeconds == 300)
  }

  @Test func everyAddressIsThisMachinesToo() throws {
    let desk = desk()
    desk.started(at: .init(host: "*", port: 2198), scheme: "https", isOnNetwork: true)
    #expect(
      try desk.report()
        == PanelReport(address: "*:2198", url: "https://localhost:2198/", isOnNetwork: true, hasPassword: false))
  }

  @Test func onTheNetworkItsAddressIsTheOneThatTheCertificateIsGoodFor() throws {
    let desk = desk()
    for host in ["*", "192.168.1.7"] {
      desk.started(
        at: .init(host: host, port: 2198), scheme: "https", isOnNetwork: true, certifiedHost: "bell.example.org")
      #expect(try desk.report().url == "https://bell.example.org:2198/")
      #expect(try desk.report().address == "\(host):2198")
    }
    desk.started(
      at: .init(host: "127.0.0.1", port: 2198), scheme: "http", isOnNetwork: false, certifiedHost: "bell.example.org")
    #expect(try desk.report().url == "http://127.0.0.1:2198/")
  }

  @Test func keepsAHashAndKnowsThePasswordAgain() async throws {
    let desk = desk()
    let kept = Kept()
    #expect(await desk.isRight("", from: nil) == false)
    try await desk.setPassword("correct horse") { hash throws(ControlError) in await kept.keep(hash) }
    let hash = try #require(await kept.hash)
    #expect(hash.hasPrefix("$scrypt$"))
    for desk in [desk, self.desk(hash)] {
      #expect(desk.hasPassword)
      #expect(await desk.isRight("correct horse", from: "192.0.2.1") == true)
      #expect(await desk.isRight("battery staple", from: "192.0.2.1") == false)
    }
  }

  @Test func aPasswordThatCannotBeKeptIsNotSet() async throws {
    let desk = desk()
    await #expect(throws: ControlError.self) {
      try await desk.setPassword("correct horse") { _ throws(ControlError) in throw ControlError(503, "disk full") }
    }
    #expect(!desk.hasPassword)
    await #expect(throws: ControlError.self) { try await desk.setPassword("short") { _ in } }
  }

  @Test func onTheNetworkItCannotBeRemoved() async throws {
    let desk = desk()
    try await desk.setPassword("correct horse") { _ in }
    desk.started(at: .init(host: "*", port: 2198), scheme: "https", isOnNetwork: true)
    await #expect(throws: ControlError.self) { try await desk.setPassword(nil) { _ in } }
    #expect(desk.hasPassword)
  }

  @Test func theNetworkNeedsAPassword() async throws {
    let desk = desk()
    var configuration = Configuration()
    try PanelService.requirePassword(configuration, desk)
    configuration.panel = .init(host: "*", port: 2198)
    #expect(
      throws: DaemonError(
        "panel *:2198: other machines can reach it there, so it needs a password. Start with --panel 127.0.0.1:2198, "
          + "set one with 'deskbell panel password', and start again")
    ) { try PanelService.requirePassword(configuration, desk) }
    configuration.panel = nil
    try PanelService.requirePassword(configuration, desk)
    try await desk.setPassword("correct horse") { _ in }
    configuration.panel = .init(host: "192.168.1.5", port: 2198)
    try PanelService.requirePassword(configuration, desk)
  }

  /// A file of the form that is played, with those samples.
  private func waveform(_ samples: [Int16], points: Int) throws -> Waveform? {
    let path = FileManager.default.temporaryDirectory.appending(path: "wave-\(UInt32.random(in: 0 ... .max)).wav").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var data = Data(repeating: 0, count: 44)
    for sample in samples { withUnsafeBytes(of: sample.littleEndian) { data.append(contentsOf: $0) } }
    try data.write(to: URL(filePath: path))
    return Waveform(of: Sound(name: "s", path: path), points: points)
  }

  @Test func drawsTheLoudestOfEachStretch() throws {
    let samples: [Int16] = [0, 1, -16_384, 100, .min, .max, 0, 0]
    #expect(try waveform(samples, points: 4)?.peaks == [0, 50, 100, 0])
    #expect(try waveform(samples, points: 100)?.peaks.count == 8)
    #expect(try waveform([], points: 4)?.peaks == [])
    #expect(try waveform(Array(repeating: 0, count: 88_200), points: 4)?.milliseconds == 1000)
    #expect(Waveform(of: Sound(name: "s", path: "/nonexistent"), points: 4) == nil)
  }

  @Test func drawsNoSoundThatIsTooLong() throws {
    let longest = SoundFile.Limits.seconds * SoundFormat.framesPerSecond * SoundFormat.channels
    #expect(try waveform(Array(repeating: 0, count: longest), points: 1)?.peaks == [0])
    #expect(try waveform(Array(repeating: 0, count: longest + 1), points: 1) == nil)
  }
}

private actor Kept {
  private(set) var hash: String?
  func keep(_ hash: String?) { self.hash = hash }
}
