import FoundationEssentials
import HTTP
import HandsetCore
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite struct PictureRoutesTests {
  /// The pictures of the example app.
  private func picture(_ path: String) throws -> Data {
    try Data(contentsOf: URL(filePath: ControlRig.sounds).deletingLastPathComponent().appending(path: path))
  }

  private func install(_ asker: Asker) async throws -> AppReport {
    try await asker.client.install(
      mail,
      BundleUpload(files: [
        "app.yaml": Data("id: \(mail)\nname: Mail".utf8), "icon.png": picture("examples/mailroom/icon.png"),
        "launch-images/sorting.png": picture("examples/mailroom/launch-images/sorting.png"),
      ])
    ).app
  }

  @Test(.daemon) func anAppsPicturesAreListedAndSentAsTheyAre() async throws {
    let installed = try await install(asker)
    #expect(installed.icon && installed.launchImages == ["sorting"])
    #expect(try await asker.client.apps().first.map { $0.icon && $0.launchImages == ["sorting"] } == true)
    #expect(try await asker.client.app(mail).icon)
    for (path, file) in [("icon", "icon.png"), ("launch-image/sorting", "launch-images/sorting.png")] {
      let sent = try await asker.http.send("GET", "/v1/apps/\(mail)/\(path)")
      #expect(sent.headers["Content-Type"] == "image/png")
      #expect(sent.body == Array(try picture("examples/mailroom/\(file)")))
    }
  }

  @Test(.daemon) func refusesWhatThereIsNot() async throws {
    _ = try await install(asker)
    let hint = "add it to its bundle, and install the app again"
    try await asker.refuses([
      "GET /v1/apps/\(mail)/launch-image/other": "404 '\(mail)' has no picture 'launch-images/other.png' | \(hint)",
      "GET /v1/apps/\(mail)/launch-image/..%2Ficon":
        "404 '\(mail)' has no picture 'launch-images/../icon.png' | \(hint)",
      "GET /v1/apps/com.example.other/icon": "404 no app 'com.example.other' is installed | …",
    ])
  }

  @Test(.daemon) func anAppWithoutPicturesHasNone() async throws {
    let report = try await asker.client.install(
      mail, BundleUpload(files: ["app.yaml": Data("id: \(mail)\nname: Mail".utf8)]))
    #expect(!report.app.icon && report.app.launchImages == [])
    #expect(try await asker.ask("GET", "/v1/apps/\(mail)/icon").status == 404)
  }
}
