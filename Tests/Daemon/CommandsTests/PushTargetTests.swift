import Crypto
import Foundation
import ProviderClient
import Testing

@testable import CommandSupport
@testable import Commands
@testable import DeskbellDaemon

@Suite struct PushTargetTests {
  private let folder = try! Folder()

  private static let key = SigningKey(pem: "", keyID: "F6G7H8J9K0", teamID: "DESKBELL00")

  private static func provider(_ name: String, _ apps: [String], team: String, key: String) -> ProviderReport {
    ProviderReport(name: name, apps: apps, credential: "token", teamID: team, keyID: key)
  }

  @Test func connectsToWhereTheDaemonListens() {
    for everywhere in ["*:2197", "0.0.0.0:2197", "[::]:2197"] {
      #expect(Endpoint(reaching: everywhere) == Endpoint(host: "localhost", port: 2197))
    }
    #expect(Endpoint(reaching: "192.168.1.5:80") == Endpoint(host: "192.168.1.5", port: 80))
    #expect(Endpoint(reaching: "[::1]:80") == Endpoint(host: "::1", port: 80))
    #expect(Endpoint(reaching: "nowhere") == nil)
  }

  @Test func addsItsKeyOnce() throws {
    let other = Self.provider("local", ["x"], team: "DESKBELL00", key: "AAAAAAAAAA")
    func change(_ providers: [ProviderReport]) -> String? {
      PushTarget.localProvider(Self.key, for: "a.b", among: providers).map { "\($0.name) \($0.apps)" }
    }
    #expect(change([]) == #"local ["a.b"]"#)
    let own = Self.provider("local", ["c.d"], team: "DESKBELL00", key: "F6G7H8J9K0")
    #expect(change([own]) == #"local ["c.d", "a.b"]"#)
    #expect(change([Self.provider("local", ["a.b"], team: "DESKBELL00", key: "F6G7H8J9K0")]) == nil)
    // Another user's key keeps its name.
    #expect(change([other]) == #"local-f6g7h8j9k0 ["a.b"]"#)
    #expect(change([Self.provider("shop", ["a.b"], team: "OTHERTEAM0", key: "F6G7H8J9K0")]) == #"local ["a.b"]"#)
  }

  @Test func makesAKeyThatNobodyElseReads() throws {
    let place = folder.path + "/config/deskbell"
    let key = try KeyFile.local(in: place)
    #expect(key.keyID.count == 10)
    #expect(key.teamID == "DESKBELL00")
    #expect(try KeyFile.local(in: place) == key)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["provider-key.pem"])
    #expect(try folder.mode("config/deskbell/provider-key.pem") == 0o600)
    let publicHalf = try P256.Signing.PrivateKey(pemRepresentation: key.pem).publicKey.pemRepresentation
    #expect(try KeyFile.publicPEM(at: place + "/provider-key.pem") == publicHalf)
    // It can sign a provider token.
    _ = try ProviderTokenSigner(privateKeyPEM: key.pem, keyID: key.keyID, teamID: key.teamID).bearer()
    let second = try Folder()
    #expect(try KeyFile.local(in: second.path).keyID != key.keyID)
  }

  @Test func refusesAKeyThatOthersRead() throws {
    _ = try KeyFile.local(in: folder.path)
    let path = folder.path + "/provider-key.pem"
    #expect(chmod(path, 0o640) == 0)
    #expect(
      throws: Failure("others can read the key \(path)", hint: "chmod 600 \(path), or remove it: a new one is made")
    ) { try KeyFile.local(in: folder.path) }
    #expect(chmod(path, 0o600) == 0)
    try folder.write("provider-key.pem", "no key")
    #expect(
      throws: Failure(
        "\(path): the key is not PEM: expected a text file with -----BEGIN PRIVATE KEY-----",
        hint: "remove it: a new one is made")
    ) { try KeyFile.local(in: folder.path) }
  }

  @Test("A key's file is complete or missing, replaces no other, and leaves nothing beside it")
  func makesAWholeFile() throws {
    let path = "\(folder.path)/a/b/file"
    try KeyFile.make(path, "one")
    #expect(try folder.mode("a") == 0o700 && folder.mode("a/b/file") == 0o600)
    // A killed process with this number left half of a draft.
    try folder.write("a/b/file.\(getpid()).new", "half of")
    try KeyFile.make(path, "two")
    #expect(folder.names("a/b") == ["file"])
    #expect(try folder.text("a/b/file") == "one\n")
    let inTheWay = Failure(
      "a key of your own cannot be kept: \(path): Not a directory",
      hint: "make the folder writable, or give --key, --key-id and --team, or --password-file")
    #expect(throws: inTheWay) { try KeyFile.make("\(path)/c/key", "text") }
  }

  @Test func readsKeysUpToALimit() throws {
    let key = P256.Signing.PrivateKey()
    let pem = key.pemRepresentation + "\n"
    try folder.write("k", pem + String(repeating: " ", count: KeyFile.bytes - pem.utf8.count))
    #expect(try KeyFile.publicPEM(at: folder.path + "/k") == key.publicKey.pemRepresentation)
    try folder.write("k", pem + String(repeating: " ", count: KeyFile.bytes + 1 - pem.utf8.count))
    let path = folder.path + "/k"
    #expect(throws: Failure("\(path) is no key: expected a PEM file of at most 65536 bytes")) {
      try KeyFile.publicPEM(at: path)
    }
    #expect(throws: Failure.self) { try KeyFile.publicPEM(at: folder.path) }
    #expect(throws: Failure("the key \(path)s cannot be read: No such file or directory", hint: "check the path")) {
      try KeyFile.publicPEM(at: path + "s")
    }
  }

  @Test func readsTheKeyIDInAName() {
    #expect(KeyFile.keyID(inNameOf: "/a/AuthKey_F6G7H8J9K0.p8") == "F6G7H8J9K0")
    #expect(KeyFile.keyID(inNameOf: "AuthKey_F6G7H8J9K.p8") == nil)
    #expect(KeyFile.keyID(inNameOf: "key.pem") == nil)
  }

  @Test func keepsItsKeyWhereConfigurationIs() throws {
    #expect(try KeyFile.folder(Environment(["HOME": "/h"])) == "/h/.config/deskbell")
    #expect(try KeyFile.folder(Environment(["HOME": "/h", "XDG_CONFIG_HOME": "/x"])) == "/x/deskbell")
    #expect(throws: Failure.self) { try KeyFile.folder(Environment(["HOME": ""])) }
  }

  @Test func takesFromTheEnvironmentWhatIsNotGiven() throws {
    let environment = Environment([
      "DESKBELL_HOST": "h", "DESKBELL_PORT": "99", "DESKBELL_CA": "c", "DESKBELL_TOKEN": "t", "DESKBELL_KEY": "k",
      "DESKBELL_KEY_ID": "i", "DESKBELL_TEAM": "m",
    ])
    let options = try TargetOptions.parse(["--host", "given"]).completed(from: environment)
    #expect(options.host == "given" && options.port == 99 && options.ca == "c" && options.token == "t")
    #expect(options.key == "k" && options.keyID == "i" && options.team == "m")
    #expect(try TargetOptions.parse([]).completed(from: Environment([:])).port == nil)
    #expect(throws: (any Error).self) {
      try TargetOptions.parse([]).completed(from: Environment(["DESKBELL_PORT": "https"]))
    }
    #expect(throws: (any Error).self) {
      try TargetOptions.parse(["--port", "65536"]).completed(from: Environment([:]))
    }
    #expect(try TargetOptions.parse(["--port", "65535"]).completed(from: Environment([:])).port == 65_535)
  }

  /// With all data given, no daemon is asked.
  @Test func needsNoDaemonWhereAllIsGiven() async throws {
    let pem = P256.Signing.PrivateKey().pemRepresentation
    try folder.write("AuthKey_F6G7H8J9K0.p8", pem)
    let options = try TargetOptions.parse([
      "--host", "h", "--token", "00", "--team", "TEAM", "--key", folder.path + "/AuthKey_F6G7H8J9K0.p8",
    ])
    struct Asked: Error {}
    let target = try await PushTarget(
      app: "a.b", options, keyFolder: { throw Asked() }, client: { throw Asked() })
    #expect(target.endpoint == Endpoint(host: "h", port: 2197))
    #expect(target.identity.trust == .system)
    #expect(target.token == "00")
    #expect(target.key == SigningKey(pem: pem, keyID: "F6G7H8J9K0", teamID: "TEAM"))
    var without = options
    without.token = nil
    await #expect(throws: Asked.self) {
      try await PushTarget(app: "a.b", without, keyFolder: { throw Asked() }, client: { throw Asked() })
    }
  }

  @Test func readsAPNSFiles() throws {
    try folder.write("a.apns", #"{"Simulator Target Bundle":"a.b","aps":{"content-available":1},"x":1}"#)
    func all(_ words: String...) throws -> [PushContent] {
      try PushContent.all(PushSubject(words), PayloadOptions.parse([]))
    }
    let file = folder.path + "/a.apns"
    let content = try #require(all(file).first)
    #expect(content.app == "a.b")
    #expect(content.isBackground)
    #expect(String(decoding: content.payload, as: UTF8.self) == #"{"aps":{"content-available":1},"x":1}"#)
    // The app on the command line overrides the file's.
    #expect(try all("c.d", file).map(\.app) == ["c.d"])
    try folder.write("b.apns", #"{"aps":{"alert":"x","content-available":1}}"#)
    let nameless = folder.path + "/b.apns"
    #expect(try all("c.d", nameless).map(\.isBackground) == [false])
    #expect(
      throws: Failure(
        "\(nameless) does not say which app it is for",
        hint: #"name the app before the file, or in the file: "Simulator Target Bundle": "com.example.mail""#)
    ) { try all(nameless) }
  }
}
