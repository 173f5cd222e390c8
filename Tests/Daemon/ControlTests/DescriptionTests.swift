// docs/openapi.json is the base for other clients. It is made from the routes and the types of their bodies.

import FoundationEssentials
import HTTP
import Testing

@testable import DeskbellDaemon
@testable import HandsetCore

@Suite struct DescriptionTests {
  private let operations = ControlRoutes.ofHandsets.map(\.operation) + ControlRoutes.ofDaemon.map(\.operation)

  @Test("docs/openapi.json is what the program writes: else run make reference")
  func isUpToDate() throws {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let stored = try Data(contentsOf: URL(filePath: "/\(root)/docs/openapi.json"))
    #expect(String(decoding: stored, as: UTF8.self) == OpenAPI.document)
  }

  @Test("The daemon answers with the same document as the command prints", .daemon)
  func isAnswered() async throws {
    let answer = try await asker.http.send("GET", "/v1/openapi.json")
    #expect(answer.status == 200 && answer.headers["Content-Type"] == "application/json")
    #expect(String(decoding: answer.body, as: UTF8.self) == OpenAPI.document)
  }

  @Test("Every key of every body has a meaning, and every meaning a key")
  func meanings() {
    #expect(OpenAPI.types.count > 50)
    for type in OpenAPI.types {
      let keys = type.keys.map(\.name)
      #expect(keys.allSatisfy { !type.meaning(of: $0).text.isEmpty } && !type.meaning.isEmpty, "\(type)")
      #expect(Set(keys).isSuperset(of: type.meanings.keys), "\(type)")
    }
  }

  @Test("Operations have names of their own, and meanings of the parameters in their paths")
  func parameters() {
    #expect(Set(operations.map(\.name)).count == operations.count)
    for operation in operations {
      #expect(DeskbellDaemon.Operation.Section.all.contains { $0.name == operation.section.name })
      let names = operation.parameterNames
      #expect(names.allSatisfy { operation.meaning(ofParameter: $0) != nil }, "\(operation.path)")
      #expect(Set(names).isSuperset(of: operation.parameters.keys), "\(operation.path)")
    }
  }

  @Test("A type's keys are recorded in their order, with their forms, and which of them may be absent")
  func recorded() throws {
    let keys = LocalNotificationRequest.keys
    #expect(
      keys.map(\.name)
        == [
          "title", "subtitle", "body", "actionTitle", "badge", "sound", "level", "threadID", "afterSeconds", "calendar",
          "repeats",
        ])
    #expect(keys.allSatisfy { !$0.isRequired })
    guard case .object(let type) = keys[9].form, case .integer = keys[8].form else {
      Issue.record("\(keys)")
      return
    }
    #expect(ObjectIdentifier(type) == ObjectIdentifier(CalendarTime.self))
    #expect(CalendarTime.keys.filter(\.isRequired).map(\.name) == ["hour"])
    #expect(TestPushRequest.keys.filter(\.isRequired).map(\.name) == ["app", "via"])
    guard case .map(.base64) = BundleUpload.keys[0].form, case .list(.text) = KindsRequest.keys[0].form else {
      Issue.record("\(BundleUpload.keys) \(KindsRequest.keys)")
      return
    }
  }

  @Test("The reasons of an event have codes of their own")
  func codes() {
    for (_, reasons) in Why.table { #expect(Set(reasons.map(\.code)).count == reasons.count) }
  }
}
