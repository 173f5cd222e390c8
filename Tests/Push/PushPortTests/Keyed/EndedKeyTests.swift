// Tests that an ended access key reads nothing more, and that no later key reads its messages.

import Foundation
import HandsetCore
import Testing

@testable import PushPort

@Suite("Access keys that end", .timeLimit(.minutes(10)))
struct EndedKeyTests {
  /// The ways in which a key ends.
  enum End: CaseIterable {
    /// The topic has a new key.
    case renewed
    case removed
    /// The topic's name belongs to another app, with another key.
    case ownedByAnother
    /// The key opens another app.
    case movedToAnotherApp
    /// The key opens the app on another handset.
    case movedToAnotherHandset
    case appUninstalled
  }

  private static let newKey = "tk_new"

  private func topic(_ key: String, app: AppID = bell, handset: String? = "hall") throws -> Provider {
    try Provider(
      name: "parcels", topics: [app], credential: .topic(KeyedApp(key: AccessKey(key), handset: handset)))
  }

  private func other() throws -> AppID { try #require(AppID("com.example.other")) }

  private func end(_ how: End, _ providers: ProviderDirectory) throws {
    switch how {
    case .renewed: try providers.replace(with: [topic(Self.newKey)])
    case .removed: try providers.replace(with: [])
    case .ownedByAnother: try providers.replace(with: [topic(Self.newKey, app: other())])
    case .movedToAnotherApp: try providers.replace(with: [topic(topicKey, app: other())])
    case .movedToAnotherHandset: try providers.replace(with: [topic(topicKey, handset: nil)])
    case .appUninstalled: providers.endReading(of: bell, on: ["hall"])
    }
  }

  /// Returns the key that is valid for the topic afterwards.
  private func key(after how: End) -> String? {
    switch how {
    case .renewed, .ownedByAnother: Self.newKey
    case .removed: nil
    case .movedToAnotherApp, .movedToAnotherHandset, .appUninstalled: topicKey
    }
  }

  private func auth(_ key: String) -> String { Data("Bearer \(key)".utf8).base64EncodedString() }

  @Test("When a key ends, its streams end at once, and no other key reads its messages", arguments: End.allCases)
  func ends(_ how: End) async throws {
    for format in ["json", "sse", "raw"] {
      let port = try await KeyedPort()
      _ = try await port.publish("POST", "/parcels", "secret")
      let path = "/parcels/\(format)"
      try await port.client.lines(path + "?auth=\(auth(topicKey))&since=all") { lines async throws in
        while let line = try await lines.next(), !line.contains("secret") {}
        try end(how, port.providers)
        if let key = key(after: how) {
          // The next key publishes and reads.
          #expect(try await port.send("GET", path + "?auth=\(auth(key))&poll=1&since=all") == "200 ")
          let answer = try await port.send("POST", "/parcels", "new", ["Authorization": "Bearer \(key)"])
          #expect(answer.hasPrefix("200 "))
          let read = try await port.send("GET", "/parcels/raw?auth=\(auth(key))&poll=1&since=all")
          #expect(read == "200 new")
        }
        while let line = try await lines.next() { #expect(line.isEmpty, "\(format): read after the end: \(line)") }
      }
      if key(after: how) != topicKey {
        #expect(try await port.send("GET", path + "?auth=\(auth(topicKey))&poll=1").hasPrefix("401 "))
      }
    }
  }

  @Test("A key that stays keeps its streams and messages when others end")
  func others() async throws {
    let port = try await KeyedPort()
    _ = try await port.publish("POST", "/parcels", "one")
    try await port.client.lines("/parcels/raw?auth=\(auth(topicKey))&since=all") { lines async throws in
      while let line = try await lines.next(), line != "one" {}
      try port.providers.replace(with: [topic(topicKey), TestProvider().provider()])
      port.providers.endReading(of: bell, on: ["kitchen", nil])
      port.providers.endReading(of: try other(), on: ["hall"])
      _ = try await port.publish("POST", "/parcels", "two")
      #expect(try await lines.next() == "two")
    }
    #expect(try await port.publish("GET", "/parcels/raw?poll=1") == "200 one\ntwo")
  }

  @Test("A request accepted before its key ended opens no stream, and its message is not remembered")
  func lateRequest() throws {
    let directory = try keyedDirectory()
    let subscriptions = NtfySubscriptions(directory, limits: .patient)
    let ended = try #require(directory.provider(for: AccessKey(topicKey)))
    try directory.replace(with: [topic(Self.newKey)])
    let port = testPort(directory)
    #expect(throws: KeyedRefusal.wrongKey) {
      try subscriptions.listen(to: ended, .json, since: .all, NtfyFilter(), port)
    }
    subscriptions.publish(.init("message", id: "a", time: 0, ["message": .string("late")]), by: ended)
    #expect(subscriptions.recent(AccessKey(topicKey), since: .all, NtfyFilter()).isEmpty)
    #expect(subscriptions.recent(AccessKey(Self.newKey), since: .all, NtfyFilter()).isEmpty)
  }

  @Test("A hook's key reads its own messages only")
  func hooks() async throws {
    let port = try await KeyedPort()
    _ = try await port.publish("POST", "/parcels", "secret")
    #expect(try await port.send("GET", "/parcels/raw?auth=\(auth(hookKey))&poll=1").hasPrefix("403 "))
    #expect(try await port.send("GET", "/ci/raw?auth=\(auth(hookKey))&poll=1&since=all") == "200 ")
  }
}
