import Crypto
import HTTP
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite struct ProviderRoutesTests {
  private static let pem = P256.Signing.PrivateKey().publicKey.pemRepresentation

  private static let key =
    #"{"apps":["com.example.mail"],"teamID":"A1B2C3D4E5","keyID":"F6G7H8J9K0","key":""#
    + pem.replacing("\n", with: "\\n") + #""}"#

  @Test(.daemon) func addsListsAndRemoves() async throws {
    #expect(try await asker.ask("GET", "/v1/providers").body == "[]")
    #expect(
      try await asker.ask("PUT", "/v1/providers/shop", Self.key).body
        == #"{"apps":["com.example.mail"],"credential":"token","environment":"both","keyID":"F6G7H8J9K0","#
        + #""name":"shop","teamID":"A1B2C3D4E5"}"#)
    #expect(try await asker.client.providers().map(\.name) == ["shop"])
    var request = ProviderRequest(apps: ["a", "b"])
    (request.teamID, request.keyID, request.key) = ("A1B2C3D4E5", "F6G7H8J9K1", Self.pem)
    #expect(try await asker.client.setProvider("shop", request).apps == ["a", "b"])
    try await asker.refuses(["DELETE /v1/providers/shob": "404 there is no provider 'shob' | did you mean 'shop'?"])
    #expect(try await asker.ask("DELETE", "/v1/providers/shop").status == 204)
    try await asker.refuses([
      "DELETE /v1/providers/shop": "404 there is no provider 'shop' | no provider has been added"
    ])
    let old = ProviderRequest(apps: ["a"], password: "correct horse")
    #expect(
      try await asker.client.setProvider("shop", old)
        == ProviderReport(name: "shop", apps: ["a"], credential: "password"))
    try await asker.client.removeProvider("shop")
    #expect(try await asker.client.providers().isEmpty)
  }

  @Test("The names of the web panel's own providers are nobody else's", .daemon, arguments: ["panel", "panel-2008"])
  func reservedNames(_ name: String) async throws {
    for body in [Self.key, #"{"apps":["com.example.mail"],"password":"correct horse"}"#] {
      try await asker.refuses([
        "PUT /v1/providers/\(name) \(body)":
          "409 the name '\(name)' is kept for the web panel's test pushes | call the provider something else"
      ])
    }
    #expect(try await asker.client.providers().isEmpty)
    #expect(try await asker.ask("PUT", "/v1/providers/\(name)-2", Self.key).status == 200)
  }

  @Test(.daemon) func refusesANameThatIsNone() async throws {
    let longest = String(repeating: "n", count: ControlLimits.providerNameBytes)
    #expect(try await asker.ask("PUT", "/v1/providers/\(longest)", Self.key).status == 200)
    try await asker.refuses([
      "PUT /v1/providers/\(longest)n \(Self.key)": "400 '\(longest)n' is no name for a provider | "
        + "expected 1 to 64 letters, digits, dots, dashes and underscores",
      "PUT /v1/providers/a%2Fb \(Self.key)": "400 'a/b' is no name…",
    ])
    #expect(try await asker.client.providers().count == 1)
  }

  @Test(.daemon) func refusesACredentialThatIsNone() async throws {
    let bad = #"{"apps":["com.example.mail"],"teamID":"A1B2C3D4E5","keyID":"F6G7H8J9K0","key":"x"}"#
    for body in [bad, #"{"apps":["a"],"certificate":"PEM"}"#, #"{"apps":["a"]}"#] {
      #expect(try await asker.refusal("PUT", "/v1/providers/shop", body).hasPrefix("400 "), "\(body)")
    }
    try await asker.refuses([
      #"PUT /v1/providers/shop {"key":"x"}"#: "400 the key 'apps'…",
      #"PUT /v1/providers/shop {"teamID":"T"}"#: "400 the key 'apps'…",
    ])
    #expect(try await asker.client.providers().isEmpty)
  }
}
