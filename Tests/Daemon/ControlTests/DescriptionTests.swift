// docs/openapi.json is the base for other clients. It is made from the routes and the types of their bodies.

import FoundationEssentials
import HTTP
import Testing

@testable import ControlTestSupport
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

  @Test("Every key of every body has a meaning, and every meaning a key")
  func meanings() {
    #expect(OpenAPI.types.count > 50)
    for type in OpenAPI.types {
      #expect(type.keys.map(\.name).sorted() == type.meanings.map { $0.key }.sorted(), "\(type)")
      #expect(type.meanings.allSatisfy { !$0.value.text.isEmpty } && !type.meaning.isEmpty, "\(type)")
    }
  }

  @Test("Operations have names of their own, and meanings of the parameters in their paths")
  func parameters() {
    #expect(Set(operations.map(\.name)).count == operations.count)
    for operation in operations {
      let inPath = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
      let described = Set(operation.parameters.map { $0.key } + ["id"])
      #expect(described.isSuperset(of: inPath.map(String.init)), "\(operation.path)")
      #expect(operation.parameters.allSatisfy { inPath.contains(Substring($0.key)) }, "\(operation.path)")
    }
  }

  @Test("A type's keys are recorded in their order, with their forms, and which of them may be absent")
  func recorded() throws {
    let keys = LocalNotificationRequest.keys
    #expect(
      keys.map(\.name)
        == [
          "title", "subtitle", "body", "badge", "sound", "level", "threadID", "afterSeconds", "calendar", "repeats",
        ])
    #expect(keys.allSatisfy { !$0.isRequired })
    guard case .object(let type) = keys[8].form, case .integer = keys[7].form else {
      Issue.record("\(keys)")
      return
    }
    #expect(type == CalendarRequest.self)
    #expect(CalendarRequest.keys.filter(\.isRequired).map(\.name) == ["hour"])
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
