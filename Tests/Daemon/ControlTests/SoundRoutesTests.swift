import FoundationEssentials
import HTTPRoutes
import HandsetCore
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite(.timeLimit(.minutes(10))) struct SoundRoutesTests {
  @Test func playsTheDefaultAnAppsOrAFile() async throws {
    try await withServer { asker, rig async throws in
      await rig.installMail()
      #expect(try await asker.ask("POST", "/v1/sounds/play", "{}").body == #"{"sound":"default"}"#)
      #expect(
        try await asker.ask("POST", "/v1/sounds/play", #"{"app":"\#(mail)","sound":"parcel"}"#).body
          == #"{"sound":"parcel"}"#)
      #expect(try await asker.client.play() == SoundPlayReport(sound: "default"))
      #expect(try await asker.client.play("parcel", of: mail) == SoundPlayReport(sound: "parcel"))
      #expect(try await asker.client.play(file: "my bell.wav", [1, 2]) == SoundPlayReport(sound: "my bell.wav"))
    }
  }

  @Test func refusesWhatThereIsNot() async throws {
    try await withServer { asker, rig async throws in
      await rig.installMail()
      #expect(
        try await asker.refusal("POST", "/v1/sounds/play", #"{"app":"\#(mail)","sound":"lettre"}"#)
          == "404 '\(mail)' has no sound 'lettre' | did you mean 'letter'?")
      #expect(
        try await asker.refusal("POST", "/v1/sounds/play", #"{"app":"com.example.mial","sound":"letter"}"#)
          == "404 no app 'com.example.mial' is installed | did you mean 'com.example.mail'?")
      let choice = "400 expected an app and its sound, a shipped sound, a file, or nothing for the default sound"
      for body in [
        #"{"app":"\#(mail)"}"#, #"{"sound":"chime","file":{"name":"a","bytes":""}}"#,
        #"{"app":"\#(mail)","sound":"letter","file":{"name":"a","bytes":""}}"#,
      ] {
        #expect(try await asker.refusal("POST", "/v1/sounds/play", body) == choice)
      }
      let long = String(repeating: "x", count: ControlLimits.soundNameBytes)
      #expect(
        try await asker.ask("POST", "/v1/sounds/play", #"{"file":{"name":"\#(long)","bytes":"AA=="}}"#).status == 200)
      for name in ["", long + "x"] {
        #expect(
          try await asker.refusal("POST", "/v1/sounds/play", #"{"file":{"name":"\#(name)","bytes":"AA=="}}"#)
            == "400 a file's name has 1 to 255 bytes")
      }
    }
  }

  @Test func saysWhyNothingIsHeard() async throws {
    try await withServer { asker, rig async throws in
      rig.breakStore()
      #expect(
        try await asker.refusal("POST", "/v1/sounds/play", "{}") == "409 'default' is not heard: the card is gone")
    }
  }

  @Test func playsAShippedSound() async throws {
    try await withServer { asker, _ async throws in
      #expect(try await asker.ask("POST", "/v1/sounds/play", #"{"sound":"chime"}"#).body == #"{"sound":"chime"}"#)
      #expect(
        try await asker.refusal("POST", "/v1/sounds/play", #"{"sound":"chimes"}"#)
          == "404 there is no shipped sound 'chimes' | did you mean 'chime'?")
    }
  }

  @Test func anAppsSoundMayBeAShippedOne() {
    #expect(ControlError.noSound("bel", of: AppID(mail)!, sounds: []).hint == "did you mean 'bell'?")
    #expect(ControlError.noSound("lettr", of: AppID(mail)!, sounds: ["letter"]).hint == "did you mean 'letter'?")
  }
}
