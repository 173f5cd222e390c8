import FoundationEssentials
import HTTP
import HandsetCore
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite(.timeLimit(.minutes(10))) struct SoundRoutesTests {
  /// A shipped sound's file.
  private let wave = ControlRig.sounds + "/ping.wav"

  /// Installs an app with two sounds.
  private func install(_ asker: Asker) async throws {
    let sound = try Data(contentsOf: URL(filePath: wave))
    let files = [
      "app.yaml": Data("id: \(mail)\nname: Mail".utf8), "sounds/letter.wav": sound, "sounds/parcel.wav": sound,
    ]
    #expect(try await asker.client.install(mail, BundleUpload(files: files)).notes == [])
  }

  @Test(.daemon) func playsTheDefaultAnAppsOrAFile() async throws {
    try await install(asker)
    #expect(try await asker.client.play() == SoundPlayReport(sound: "default"))
    #expect(try await asker.client.play("parcel", of: mail) == SoundPlayReport(sound: "parcel"))
    let bytes = try Array(Data(contentsOf: URL(filePath: wave)))
    #expect(try await asker.client.play(file: "my bell.wav", bytes) == SoundPlayReport(sound: "my bell.wav"))
    #expect(rig.player.played == ["default", "parcel", "my bell.wav"])
    let refusal = try await asker.refusal("POST", "/v1/sounds/play", #"{"file":{"name":"a","bytes":"AA=="}}"#)
    #expect(refusal.hasPrefix("400 "))
  }

  @Test(.daemon) func refusesWhatThereIsNot() async throws {
    try await install(asker)
    try await asker.refuses([
      #"POST /v1/sounds/play {"app":"\#(mail)","sound":"lettre"}"#:
        "404 '\(mail)' has no sound 'lettre' | did you mean 'letter'?"
    ])
    let choice = "400 expected an app and its sound, a shipped sound, a file, or nothing for the default sound"
    for body in [
      #"{"app":"\#(mail)"}"#, #"{"sound":"chime","file":{"name":"a","bytes":""}}"#,
      #"{"app":"\#(mail)","sound":"letter","file":{"name":"a","bytes":""}}"#,
    ] {
      try await asker.refuses(["POST /v1/sounds/play \(body)": choice])
    }
    let long = String(repeating: "x", count: ControlLimits.soundNameBytes)
    #expect(
      try await asker.refusal("POST", "/v1/sounds/play", #"{"file":{"name":"\#(long)","bytes":"AA=="}}"#)
        != "400 a file's name has 1 to 255 bytes")
    for name in ["", long + "x"] {
      try await asker.refuses([
        #"POST /v1/sounds/play {"file":{"name":"\#(name)","bytes":"AA=="}}"#: "400 a file's name has 1 to 255 bytes"
      ])
    }
  }

  @Test(.daemon) func saysWhyNothingIsHeard() async throws {
    rig.player.fail("the card is gone")
    try await asker.refuses(["POST /v1/sounds/play {}": "409 'default' cannot be played: the card is gone"])
  }

  @Test(.daemon) func playsAShippedSound() async throws {
    #expect(try await asker.ask("POST", "/v1/sounds/play", #"{"sound":"chime"}"#).body == #"{"sound":"chime"}"#)
    try await asker.refuses([
      #"POST /v1/sounds/play {"sound":"chimes"}"#: "404 there is no shipped sound 'chimes' | did you mean 'chime'?"
    ])
  }

  @Test func anAppsSoundMayBeAShippedOne() {
    #expect(ControlError.noSound("bel", of: AppID(mail)!, sounds: []).hint == "did you mean 'bell'?")
    #expect(ControlError.noSound("lettr", of: AppID(mail)!, sounds: ["letter"]).hint == "did you mean 'letter'?")
  }

  @Test(.daemon) func drawsASound() async throws {
    try await install(asker)
    // Without the app there is no such sound, so the default one is played.
    #expect(try await asker.client.waveform(of: "letter", app: nil).sound == "default")
    let own = try await asker.client.waveform(of: "letter", app: mail)
    #expect(own.sound == "letter" && own.peaks.count == ControlLimits.waveformPoints && own.milliseconds > 0)
    #expect(try await asker.client.waveform(of: "chime", app: nil).sound == "chime")
    #expect(try await asker.ask("GET", "/v1/sounds/letter/waveform?app=com.example.other").status == 404)
    let long = String(repeating: "x", count: ControlLimits.soundNameBytes)
    #expect(try await asker.ask("GET", "/v1/sounds/\(long)/waveform").status == 200)
    #expect(try await asker.ask("GET", "/v1/sounds/\(long)x/waveform").status == 404)
  }

  @Test(.daemon) func sendsASoundAsItIsPlayed() async throws {
    try await install(asker)
    let sent = try await asker.http.send("GET", "/v1/sounds/letter/audio?app=\(mail)")
    #expect(sent.headers["Content-Type"] == "audio/wav")
    #expect(sent.body.starts(with: Array("RIFF".utf8)))
    let file = "\(rig.folder)/handsets/1/apps/\(mail)/sounds/letter.wav"
    #expect(try Array(Data(contentsOf: URL(filePath: file))) == Array(sent.body))
    #expect(try await asker.ask("GET", "/v1/sounds/letter/audio").status == 200)
    #expect(try await asker.ask("GET", "/v1/sounds/letter/audio?app=com.example.other").status == 404)
    let long = String(repeating: "x", count: ControlLimits.soundNameBytes)
    #expect(try await asker.ask("GET", "/v1/sounds/\(long)x/audio").status == 404)
    try FileManager.default.removeItem(atPath: file)
    try await asker.refuses([
      "GET /v1/sounds/letter/audio?app=\(mail)": "404 the sound 'letter' is not there | install its app again"
    ])
  }
}
