import HTTP
import NIOCore
import Testing

@testable import PushPort

@Suite("Large bodies with access keys", .timeLimit(.minutes(10)))
struct LargeBodyTests {
  @Test("A body above the limit needs one of few places; one above the larger limit is refused")
  func bodies() async throws {
    var limits = PortLimits.patient
    limits.messageBodyBytes = 20
    limits.largeBodyBytes = 40
    limits.skippedBodyBytes = 40
    for places in [0, 1] {
      limits.largeBodiesPerKey = places
      let port = try await KeyedPort(limits: limits)
      var answers: [String] = []
      // One after the other: each frees its place.
      for count in [20, 21, 40, 40, 41] {
        answers.append(
          String(try await port.publish("POST", "/parcels", String(repeating: "x", count: count)).prefix(15)))
      }
      let large = places == 0 ? #"503 {"code":5030"# : #"200 {"event":"me"#
      #expect(
        answers == [#"200 {"event":"me"#, large, large, large, #"413 {"code":4130"#].map { String($0.prefix(15)) })
    }
  }

  @Test("Places for large bodies are limited in all and for each key, and are given back")
  func largeBodies() throws {
    var limits = PortLimits.patient
    limits.largeBodiesPerKey = 2
    limits.largeBodies = 3
    let port = try testPort(keyedDirectory(), limits: limits)
    let keys = ["a", "b", "c"].map { AccessKey($0) }
    let head = RequestHead(
      method: "POST", path: "/parcels", headers: ["Content-Length": "\(limits.messageBodyBytes + 1)"])
    func allowance(_ key: AccessKey) throws -> BodyAllowance { try BodyAllowance(for: head, with: key, port) }
    func refusal(_ key: AccessKey) -> String? {
      do {
        _ = try allowance(key)
        return nil
      } catch {
        return (error as? KeyedRefusal)?.detail
      }
    }
    var taken = [try allowance(keys[0]), try allowance(keys[0])]
    #expect(
      refusal(keys[0])
        == "too many large bodies are being read with this access key; try again in a moment")
    taken.append(try allowance(keys[1]))
    #expect(
      refusal(keys[2])
        == "too many large bodies are being read with all access keys; try again in a moment")
    taken.removeFirst()
    #expect(refusal(keys[2]) == nil)
    #expect(refusal(keys[0]) == nil)
    #expect(taken.map(\.limit) == [limits.largeBodyBytes, limits.largeBodyBytes])
    #expect(PortLimits.standard.largeBodies > PortLimits.standard.largeBodiesPerKey)
  }

  @Test("With all places of one key in use, its next large body is refused and another key's is read")
  func slowBodies() async throws {
    var limits = PortLimits.patient
    limits.messageBodyBytes = 20
    limits.largeBodyBytes = 40
    limits.skippedBodyBytes = 40
    limits.largeBodiesPerKey = 2
    let port = try await KeyedPort(limits: limits)
    let large = String(repeating: "x", count: 30)
    var held: [any Channel] = []
    for _ in 0..<limits.largeBodiesPerKey { held.append(try await port.begin("/parcels", bytes: large.utf8.count)) }
    #expect(try await port.publish("POST", "/parcels", large).hasPrefix(#"503 {"code":50300,"#))
    #expect(try await port.send("POST", "/h/\(hookKey)", large).hasPrefix("200 "))
    for channel in held { try await channel.close() }
  }
}
