// The actions of notifications in a bundle (rule N15).

import HandsetCore
import StrictYAML
import Testing

@testable import DeskbellDaemon

@Suite struct AppCategoriesTests {
  private func manifest(_ text: String) throws -> AppManifest {
    let all = Array(("id: com.example.mail\nname: Mail\n" + text).utf8)
    return try AppBundle(files: ["app.yaml": all], folder: "mail", language: "en").manifest
  }

  private func errors(_ text: String) -> [String] {
    errorsOf { _ = try manifest(text) }
  }

  @Test func forms() throws {
    let categories = try manifest(
      """
      categories:
        - id: INVITATION
          actions:
            - { id: ACCEPT, title: Accept, foreground: true }
            - { id: DECLINE, title: Decline, destructive: true, authentication-required: true }
            - { id: REPLY, title: Reply, text-input: { button: Send, placeholder: Message } }
        - id: PARCEL
          actions: [{ id: LATER, title: Later, text-input: { button: OK } }]
      """
    ).categories
    var decline = NotificationAction(id: "DECLINE", title: "Decline")
    (decline.isDestructive, decline.needsUnlock) = (true, true)
    #expect(
      categories == [
        NotificationCategory(
          id: "INVITATION",
          actions: [
            NotificationAction(id: "ACCEPT", title: "Accept", opensApp: true), decline,
            NotificationAction(id: "REPLY", title: "Reply", textInput: .init(button: "Send", placeholder: "Message")),
          ]),
        NotificationCategory(
          id: "PARCEL", actions: [NotificationAction(id: "LATER", title: "Later", textInput: .init(button: "OK"))]),
      ])
    #expect(try manifest("").categories == nil)
  }

  @Test(
    "Mistakes",
    arguments: [
      "categories: []": "mail/app.yaml:3:13: error: 'categories' must have 1 to 32 items, not 0",
      "categories: [{ id: A, actions: [{ id: view, title: View }] }]":
        "mail/app.yaml:3:39: error: 'id' cannot be 'view', which has a meaning already",
      "categories: [{ id: A, actions: [{ id: B, title: B, foregrond: true }] }]":
        "mail/app.yaml:3:52: error: unknown key 'foregrond', did you mean 'foreground'?",
      "categories: [{ id: A, actions: [{ id: B, title: B }, { id: B, title: C }] }]":
        "mail/app.yaml:3:14: error: two actions have the id 'B'",
      "categories: [{ id: A, actions: [{ id: B, title: B }] }, { id: A, actions: [{ id: C, title: C }] }]":
        "mail/app.yaml:1:1: error: two categories have the id 'A'",
    ])
  func mistakes(_ text: String, _ message: String) {
    #expect(errors(text).contains(message), "\(errors(text))")
  }

  @Test("Actions, categories and bytes: the limit is allowed, one more is not")
  func limits() {
    func actions(_ count: Int) -> String {
      (1...count).map { "{ id: a\($0), title: A }" }.joined(separator: ", ")
    }
    func categories(_ count: Int, _ actions: String) -> String {
      "categories: [" + (1...count).map { "{ id: c\($0), actions: [\(actions)] }" }.joined(separator: ", ") + "]"
    }
    #expect(errors(categories(Policy.categoryLimit, actions(Policy.actionLimit))) == [])
    #expect(errors(categories(Policy.categoryLimit + 1, actions(1))).count == 1)
    #expect(errors(categories(1, actions(Policy.actionLimit + 1))).count == 1)
    func named(_ bytes: Int) -> String {
      categories(1, "{ id: \(String(repeating: "a", count: bytes)), title: A }")
    }
    #expect(errors(named(Policy.actionNameLimit)) == [])
    #expect(errors(named(Policy.actionNameLimit + 1)).count == 1)
  }
}
