import FoundationEssentials
import HandsetCore
import Speaker
import StrictYAML
import Testing

@testable import DeskbellDaemon

extension Configuration {
  init(text: String, file: String) throws(StrictYAMLError) {
    self = try Configuration(YAMLDocument.parse(Array(text.utf8), file: file, emptyAsMapping: true))
  }
}

@Suite struct ConfigurationTests {
  private func errors(_ text: String) -> [String] {
    errorsOf { _ = try Configuration(text: text, file: "deskbell.yaml") }
  }

  /// The reference lists the keys that are read, and no others.
  @Test(
    arguments: [
      (nil, "zzzzzzzz: 1"), ("certificate", "certificate: { zzzzzzzz: 1 }"), ("fleet", "fleet: { zzzzzzzz: 1 }"),
      ("http", "http: { zzzzzzzz: 1 }"), ("limits", "limits: { zzzzzzzz: 1 }"), ("mqtt", "mqtt: { zzzzzzzz: 1 }"),
      ("speaker", "speaker: { zzzzzzzz: 1 }"), ("speaker.duck", "speaker: { duck: { zzzzzzzz: 1 } }"),
    ] as [(String?, String)])
  func keysThatAreReadAreDescribed(_ section: String?, _ text: String) throws {
    let error = try #require(errors(text).first { $0.contains("unknown key 'zzzzzzzz'") })
    let valid = error.split(separator: "'").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    let prefix = section.map { "\($0)." } ?? ""
    let described = DescribedSetting.all.map(\.key).filter { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count) }
    #expect(valid.dropFirst().sorted() == described.filter { !$0.contains(".") }.map(String.init))
  }

  @Test func everyKey() throws {
    let configuration = try Configuration(
      text: """
        listen: "[::1]:2200"
        channels: "*:2195"
        panel: "192.168.1.5:8443"
        tls-names: [bell.local, 10.0.0.7]
        certificate: { chain: /etc/chain.pem, key: /etc/key.pem }
        environment: development
        board: raspberry-pi-4
        display: max7219
        speaker: { pcm: "plughw:1", duck: { card: "hw:1", element: Music, to: 30% } }
        state: /srv/bell
        control: /run/bell.sock
        language: de
        default-sound: chime
        handsets: [kitchen, hall-2]
        board-handset: hall-2
        limits:
          connections: 40
          connections-per-address: 4
          connections-per-provider: 3
          requests-per-second: 0
          idle-minutes: 5
        """, file: "deskbell.yaml")
    #expect(configuration.listen == Configuration.Address(host: "::1", port: 2200))
    #expect(configuration.listen.description == "[::1]:2200")
    #expect(configuration.channels == Configuration.Address(host: "*", port: 2195))
    #expect(configuration.panel == Configuration.Address(host: "192.168.1.5", port: 8443))
    #expect(configuration.names == ["bell.local", "10.0.0.7"])
    #expect(configuration.certificate?.chain == "/etc/chain.pem")
    #expect(configuration.certificate?.key == "/etc/key.pem")
    #expect(configuration.pushEnvironment == .development)
    #expect(configuration.board == "raspberry-pi-4")
    #expect(configuration.display == "max7219")
    #expect(configuration.speaker == .alsa(pcm: "plughw:1"))
    #expect(configuration.duck == Configuration.Duck(card: "hw:1", element: "Music", percent: 30))
    #expect(configuration.state == "/srv/bell")
    #expect(configuration.controlSocket == "/run/bell.sock")
    #expect(configuration.language == "de")
    #expect(configuration.defaultSound == "chime")
    #expect(configuration.handsets == ["kitchen", "hall-2"])
    #expect(configuration.boardHandset == "hall-2")
    #expect(configuration.limits.connections == 40)
    #expect(configuration.limits.connectionsPerAddress == 4)
    #expect(configuration.limits.connectionsPerProvider == 3)
    #expect(configuration.limits.requestsPerSecond == 0)
    #expect(configuration.limits.idleDuration == .seconds(300))
  }

  @Test("Handsets are named, or counted; what is neither is refused where it stands")
  func handsets() throws {
    #expect(try Configuration(text: "handsets: 3", file: "deskbell.yaml").handsets == ["1", "2", "3"])
    #expect(try Configuration(text: "handsets: 1000", file: "deskbell.yaml").handsets.count == 1_000)
    let longest = String(repeating: "a", count: 32)
    #expect(try Configuration(text: "handsets: [\(longest), 7]", file: "deskbell.yaml").handsets == [longest, "7"])
    for (text, error) in [
      ("1001", "1:11: error: 'handsets' must be an integer from 1 to 1000, not 1001"),
      ("0", "1:11: error: 'handsets' must be an integer from 1 to 1000, not 0"),
      ("[a, b, a]", "1:18: error: item 3 of 'handsets' is in the list already: 'a'"),
      (
        "[\(longest)a]",
        "1:12: error: item 1 of 'handsets' must be 1 to 32 of a to z, 0 to 9 and '-', not '\(longest)a'"
      ),
      ("[Hall]", "1:12: error: item 1 of 'handsets' must be 1 to 32 of a to z, 0 to 9 and '-', not 'Hall'"),
      ("{a: b}", "1:11: error: 'handsets' must be a list of names, such as [kitchen, hall], or a number of handsets"),
    ] { #expect(errors("handsets: \(text)") == ["deskbell.yaml:\(error)"]) }
    #expect(
      errors("handsets: [kitchen, hall]\nboard-handset: kichen")
        == ["deskbell.yaml:2:16: error: 'board-handset' cannot be 'kichen', did you mean 'kitchen'?"])
  }

  @Test func emptyMeansDefaults() throws {
    let configuration = try Configuration(text: "# nothing\n", file: "deskbell.yaml")
    #expect(configuration.handsets == ["1"])
    #expect(configuration.listen == Configuration.Address(host: "*", port: 2197))
    #expect(configuration.channels == nil)
    #expect(configuration.panel == Configuration.Address(host: "127.0.0.1", port: 2198))
    #expect(configuration.speaker == .alsa(pcm: "default"))
    #expect(configuration.controlSocket == "\(configuration.state)/control.sock")
  }

  @Test("A3: which music dims, and how far")
  func ducking() throws {
    func duck(_ text: String) throws -> Configuration.Duck? {
      try Configuration(text: "speaker: { duck: { element: Music\(text) } }\n", file: "deskbell.yaml").duck
    }
    #expect(try duck("") == Configuration.Duck(card: "default", element: "Music", percent: 20))
    #expect(try duck(", to: 0%")?.percent == 0)
    #expect(try duck(", to: 100%")?.percent == 100)
    for wrong in ["101%", "-1%", "20", "\"%\"", "loud"] {
      #expect(
        errors("speaker: { duck: { element: Music, to: \(wrong) } }\n")
          == ["deskbell.yaml:1:40: error: 'to' expected how much of the music is left, from 0% to 100%: 20%"],
        "\(wrong)")
    }
    #expect(errors("speaker: { duck: { card: default } }\n").count == 1)
    #expect(
      errors("speaker: { wav: /tmp, duck: { element: Music } }\n").first?
        .hasSuffix("duck goes with pcm; what is written to files dims nothing") == true)
  }

  @Test func mistakes() {
    #expect(
      errors("lisen: \"*:1\"\n") == ["deskbell.yaml:1:1: error: unknown key 'lisen', did you mean 'listen'?"])
    #expect(
      errors("quiet-hours: 22:00-07:00\n") == [
        "deskbell.yaml:1:1: error: unknown key 'quiet-hours'; a person changes it while the daemon runs: "
          + "deskbell settings quiet-hours VALUE"
      ])
    #expect(errors("listen: 2197\n").count == 1)
    #expect(
      errors("limits: { conections: 1 }\n") == [
        "deskbell.yaml:1:11: error: unknown key 'conections', did you mean 'connections'?"
      ])
    #expect(errors("limits: { connections: 0 }\n").count == 1)
    #expect(
      errors("environment: develpment\n")
        == ["deskbell.yaml:1:14: error: 'environment' cannot be 'develpment', did you mean 'development'?"])
    #expect(errors("speaker: { pcm: default, wav: /tmp }\n").count == 1)
    #expect(errors("certificate: { chain: a.pem }\n").count == 1)
  }

  @Test func theVirtualClocksOptionsNeedIt() throws {
    let start = WallTime(seconds: 1_767_225_600)
    var options = DaemonOptions(clock: .virtual, joinsClocks: true, clockStart: start, clockFile: "now")
    let configuration = try Configuration(options)
    #expect(configuration.joinsClocks && configuration.clockStart == start && configuration.clockFile == "now")
    options.clock = .system
    #expect(throws: DaemonError("--all needs a virtual clock: add --clock virtual.")) { try Configuration(options) }
    options.joinsClocks = false
    #expect(throws: DaemonError("--clock-start needs a virtual clock: add --clock virtual.")) {
      try Configuration(options)
    }
    options.clockStart = nil
    #expect(throws: DaemonError("--clock-file needs a virtual clock: add --clock virtual.")) {
      try Configuration(options)
    }
    for (seconds, isValid) in [
      (1_735_689_599, false), (1_735_689_600, true), (7_258_118_400, true), (7_258_118_401, false),
    ] as [(Int64, Bool)] {
      let options = DaemonOptions(clock: .virtual, clockStart: WallTime(seconds: seconds))
      #expect((options.clockProblem == nil) == isValid, "\(seconds)")
    }
  }

  @Test("A bench has a folder of its own with its state in it, and is on this machine alone")
  func aBenchIsNoDesk() throws {
    func configuration(
      folder: String?, state: String? = nil, listen: String? = "127.0.0.1:0"
    ) throws(DaemonError) -> Configuration {
      var options = DaemonOptions(state: state, listen: listen)
      var settings = BenchSettings()
      (settings.folder, settings.handsets) = (folder, 2)
      options.bench = settings
      return try Configuration(options)
    }
    let own = try configuration(folder: "/tmp/deskbell-bench.a/", state: "/tmp/deskbell-bench.a/state")
    #expect(own.bench?.handsets == 2 && own.handsets == ["1", "2"])
    #expect(throws: DaemonError.self) { try configuration(folder: nil) }
    #expect(throws: DaemonError.self) { try configuration(folder: "/tmp/deskbell-bench.a") }
    let outside = [
      "/var/lib/deskbell", "/tmp/deskbell-bench.ab/s", "/tmp/deskbell-bench.a", "/tmp/deskbell-bench.a/../b",
    ]
    for state in outside {
      #expect(
        throws: DaemonError(
          "--bench: the state '\(state)' is not in '/tmp/deskbell-bench.a'; start a bench with: deskbell bench")
      ) { try configuration(folder: "/tmp/deskbell-bench.a", state: state) }
    }
    for listen in ["*:2197", "192.168.1.5:2197", nil] {
      let given = listen ?? "*:2197"
      #expect(throws: DaemonError("--bench: \(given) is not this machine's alone; give --listen 127.0.0.1:0")) {
        try configuration(folder: "/tmp/deskbell-bench.a", state: "/tmp/deskbell-bench.a/state", listen: listen)
      }
    }
  }

  @Test func thePanelMayBeOff() throws {
    #expect(try Configuration(text: "panel: off\n", file: "deskbell.yaml").panel == nil)
    #expect(
      errors("panel: 2198\n")
        == ["deskbell.yaml:1:8: error: 'panel' expected HOST:PORT, such as \"127.0.0.1:2198\", or off"])
    var options = DaemonOptions(panel: "off")
    #expect(try Configuration(options).panel == nil)
    options.panel = "*:2198"
    #expect(try Configuration(options).panel == Configuration.Address(host: "*", port: 2198))
    options.panel = "on"
    #expect(
      throws: DaemonError("--panel 'on': expected HOST:PORT, such as 127.0.0.1:2198, or off")
    ) { try Configuration(options) }
  }

  @Test(arguments: ["127.0.0.1", "127.8.8.8", "localhost", "::1"])
  func ofThisMachineAlone(_ host: String) {
    #expect(Configuration.Address(host: host, port: 1).isLoopback)
  }

  @Test(arguments: ["*", "0.0.0.0", "::", "192.168.1.5", "127.evil.example", "bell.local", "::ffff:127.0.0.1"])
  func ofTheNetwork(_ host: String) {
    #expect(!Configuration.Address(host: host, port: 1).isLoopback)
  }

  @Test(arguments: ["", ":", "a", "a:", ":1", "a:b", "a:65536", "a:-1", "::1:1"])
  func noAddress(_ text: String) {
    #expect(Configuration.Address(text) == nil)
  }

  @Test func theCommandLineGoesBeforeTheFile() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).yaml").path
    try "listen: \"*:1\"\nboard: simulated\n".write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    let configuration = try Configuration(DaemonOptions(config: file, listen: "127.0.0.1:0", wav: "/tmp/w"))
    #expect(configuration.listen == Configuration.Address(host: "127.0.0.1", port: 0))
    #expect(configuration.board == "simulated")
    #expect(configuration.pushEnvironment == .production)
    let sandbox = try Configuration(DaemonOptions(config: file, environment: .development))
    #expect(sandbox.pushEnvironment == .development)
    #expect(configuration.speaker == .wav(folder: "/tmp/w"))
  }
}

@Suite struct AppBundleTests {
  private static let manifest = """
    id: com.example.mail
    name: Mail
    background-modes: [remote-notification]
    action-title: Read
    lamp: heartbeat
    foreground-presentation: [badge, sound]
    """

  private func bundle(
    _ files: [String: String], sounds: [String: [UInt8]] = [:], language: String = "en"
  ) throws -> AppBundle {
    let texts = files.mapValues { Array($0.utf8) }
    return try AppBundle(
      files: texts.merging(sounds) { first, _ in first }, folder: "mail", language: language,
      decoder: .inThisProcess)
  }

  @Test func theWholeManifest() throws {
    let bundle = try bundle(
      ["app.yaml": Self.manifest, "strings/en.yaml": "A: one\n", "strings/de.yaml": "A: eins\n"],
      sounds: ["sounds/ding.wav": FoldersRig.wave, "icon.png": BundlePicturesTests.png()], language: "de")
    var expected = AppManifest(id: AppID("com.example.mail")!, name: "Mail", receivesBackgroundUpdates: true)
    expected.actionTitle = "Read"
    expected.lampPattern = .heartbeat
    expected.foregroundPresentation = [.badge, .sound]
    expected.sounds = ["ding"]
    expected.strings = ["A": "eins"]
    // Its background modes name none of the types of which nothing is presented (T1).
    expected.pushTypes = []
    #expect(bundle.manifest == expected)
    #expect(bundle.notes == [])
    #expect(bundle.pictures == ["icon.png"])
    #expect(bundle.sounds.map(\.name) == ["ding"])
    #expect(bundle.sounds.first?.sound.frames == 100)
  }

  @Test func anotherLanguageFallsBackToEnglish() throws {
    let files = ["app.yaml": Self.manifest, "strings/en.yaml": "A: one\n", "strings/de.yaml": "A: eins\n"]
    #expect(try bundle(files, language: "fr").manifest.strings == ["A": "one"])
  }

  @Test("A sound that cannot be decoded is left out with a note; the app is installed (A1)")
  func badSound() throws {
    let bundle = try bundle(
      ["app.yaml": Self.manifest, "sounds/broken.wav": "not a sound", "sounds/.hidden.wav": "x", "readme.txt": "x"])
    #expect(bundle.manifest.sounds == [])
    #expect(bundle.notes.count == 3)
    #expect(bundle.notes[1].hasPrefix("sound 'sounds/broken.wav'"))
    #expect(bundle.notes[2].hasPrefix("readme.txt: not used"))
  }

  @Test func mistakes() {
    func lines(_ files: [String: String]) -> [String] { errorsOf { _ = try bundle(files) } }
    #expect(lines([:]).count == 1)
    #expect(
      lines(["app.yaml": "id: com.example.mail\nnmae: Mail\n"])
        == ["mail/app.yaml:2:1: error: unknown key 'nmae', did you mean 'name'?"])
    #expect(
      lines(["app.yaml": "id: \"no spaces\"\nname: Mail\n"]).first?.hasPrefix("mail/app.yaml:1:5: error:") == true)
    #expect(
      lines(["app.yaml": Self.manifest, "strings/xx.yaml": "A: [1]\n"]).first?.hasPrefix("mail/strings/xx.yaml:1:4:")
        == true)
  }

  @Test("One file more than a bundle may have is refused")
  func limits() throws {
    var files = ["app.yaml": Self.manifest]
    for number in 1..<AppBundle.Limits.files { files["f\(number)"] = "" }
    #expect(try bundle(files).notes.count == AppBundle.Limits.files - 1)
    files["one more"] = ""
    #expect(throws: StrictYAMLError.self) { try bundle(files) }
  }

  @Test("A sound more than an app may have is left out with a note")
  func soundLimit() throws {
    var sounds: [String: [UInt8]] = [:]
    for number in 0...Policy.appSoundLimit { sounds["sounds/s\(number).wav"] = FoldersRig.wave }
    let bundle = try bundle(["app.yaml": Self.manifest], sounds: sounds)
    #expect(bundle.sounds.count == Policy.appSoundLimit)
    #expect(bundle.notes.count == 1)
  }
}
