import FleetLink
import Foundation
import HandsetCore
import NATSClient
import PushPort
import Testing

@testable import FleetGateway

@Suite struct FleetChannelsTests {
  private let channels = FleetChannels(environment: "production", limits: (ofApp: 2, ofAll: 3))
  private let match = AppID("com.example.match")!
  private let taxi = AppID("com.example.taxi")!

  private func take(
    _ id: String, of app: AppID? = nil, environment: String = "production", desks: [String] = ["kitchen"],
    policy: Int = 1, _ fields: [String: String] = [:]
  ) throws -> String? {
    let app = app ?? match
    let record = ChannelRecord(app: app.text, environment: environment, policy: policy, desks: desks, made: 1)
    return channels.take(
      NATSMessage(
        subject: FleetNames.channel(try #require(ChannelID(id)), of: app), fields: fields,
        payload: fields.isEmpty ? Array(try JSONEncoder().encode(record)) : []))
  }

  @Test func aChannelIsItsAppsUntilItIsDeleted() throws {
    let id = try #require(ChannelID("AA=="))
    #expect(try take("AA==") == nil && take("AA==") == nil)
    #expect(channels.policy(of: id, of: match, for: ["kitchen", "hall"]) == .newest)
    #expect(channels.policy(of: id, of: taxi, for: ["kitchen"]) == nil)
    #expect(try take("AA==", ["KV-Operation": "DEL"]) == nil)
    #expect(channels.policy(of: id, of: match, for: ["kitchen"]) == nil)
  }

  /// Another desk may have an app of the same identifier, and a provider of its own for it.
  @Test func providersOfOtherDesksDoNotSeeIt() throws {
    #expect(try take("AA==") == nil && take("BB==", desks: ["hall", "attic"]) == nil)
    #expect(channels.channels(of: match, for: ["kitchen"]).map(\.text) == ["AA=="])
    #expect(channels.channels(of: match, for: ["attic"]).map(\.text) == ["BB=="])
    #expect(channels.channels(of: match, for: ["kitchen", "hall"]).map(\.text) == ["AA==", "BB=="])
    #expect(channels.channels(of: match, for: []).isEmpty)
  }

  @Test func channelsOfTheOtherEnvironmentAreUnknown() throws {
    #expect(try take("AA==", environment: "development") == nil)
    #expect(channels.channels(of: match, for: ["kitchen"]).isEmpty)
  }

  @Test func thereAreAsManyAsThereCanBe() throws {
    #expect(channels.hasRoom(for: match))
    #expect(try take("AA==") == nil && take("BB==") == nil)
    #expect(!channels.hasRoom(for: match) && channels.hasRoom(for: taxi))
    #expect(try take("CC==", of: taxi) == nil)
    #expect(!channels.hasRoom(for: taxi))
    #expect(try take("DD==", of: taxi) == "there are more than 3 channels")
    // It is said once.
    #expect(try take("EE==", of: taxi) == nil)
    #expect(channels.channels(of: taxi, for: ["kitchen"]).map(\.text) == ["CC=="])
    // A known one may be announced again.
    #expect(try take("AA==", policy: 0) == nil)
    #expect(channels.policy(of: try #require(ChannelID("AA==")), of: match, for: ["kitchen"]) == StoragePolicy.none)
  }

  @Test func whatIsNoChannelIsRefused() throws {
    func take(_ subject: String, _ payload: String, _ fields: [String: String] = [:]) -> String? {
      channels.take(NATSMessage(subject: subject, fields: fields, payload: Array(payload.utf8)))
    }
    let record = #"{"app":"com.example.match","desks":["kitchen"],"environment":"production","made":1,"policy":1}"#
    let place = "$KV.BELL_CHANNELS.com_example_match.41413d3d"
    #expect(take("$KV.BELL_CHANNELS.com_example_match.zz", record) == "it is no key of a channel")
    #expect(take("$KV.BELL_CHANNELS.41413d3d", record) == "it is no key of a channel")
    #expect(take(place, record, ["Status": "503"]) == "it is an answer of the servers")
    #expect(take(place, "{}") == "it is no record of a channel")
    #expect(take(place, record.replacing("match", with: "taxi")) == "it is no record of a channel")
    #expect(take(place, record.replacing("\"policy\":1", with: "\"policy\":2")) == "it is no record of a channel")
    #expect(take(place, record) == nil && channels.channels(of: match, for: ["kitchen"]).count == 1)
  }

  @Test func theyAreCurrentFromTheFirstReadingUntilALoss() {
    #expect(!channels.isCurrent)
    #expect(channels.lose() && !channels.lose())
    channels.complete()
    #expect(channels.isCurrent && channels.lose() && !channels.isCurrent)
  }

  @Test func desksListTheirAppsWithBroadcasts() throws {
    let registry = FleetRegistry(environment: "production")
    func take(_ desk: String, _ apps: [AppID], environment: String = "production", _ operation: String? = nil)
      -> String?
    {
      let list = BroadcastApps(environment: environment, apps)
      return registry.take(
        NATSMessage(
          subject: FleetNames.apps(of: desk), fields: operation.map { ["KV-Operation": $0] } ?? [:],
          payload: operation == nil ? Array((try? JSONEncoder().encode(list)) ?? Data()) : []))
    }
    #expect(take("kitchen", [match, taxi]) == nil && take("hall", [match]) == nil)
    #expect(take("attic", [match], environment: "development") == nil)
    #expect(registry.desks(withBroadcastsOf: match) == ["hall", "kitchen"])
    #expect(registry.desks(withBroadcastsOf: taxi) == ["kitchen"])
    #expect(take("kitchen", []) == nil && take("hall", [], "DEL") == nil)
    #expect(registry.desks(withBroadcastsOf: match) == [])
    #expect(
      registry.take(NATSMessage(subject: FleetNames.apps(of: "hall"), payload: Array("[]".utf8)))
        == "it is no list of a desk's apps")
    #expect(registry.count == 0)
  }

  @Test func aListOfAppsFitsIntoItsMessage() throws {
    let apps = (0..<100).compactMap { AppID("com.example.\($0)." + String(repeating: "a", count: 200)) }
    let list = BroadcastApps(environment: "production", apps)
    #expect(list.broadcast.count > 20 && list.broadcast.count < 100)
    #expect(try JSONEncoder().encode(list).count <= 8_192)
  }
}
