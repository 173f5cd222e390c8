import HTTP
import HandsetCore
import HandsetStore

public struct NotificationReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A notification in Notification Center or on the screen."

  public var id: UInt64
  public var app: String
  public var appName: String
  public var push: String
  public var level: String
  public var title: String?
  public var subtitle: String?
  public var body: String?
  public var buttons: [String]
  public var threadID: String?
  public var group: Int?
  public var collapseID: String?
  public var isListed: Bool
  public var isSeen: Bool
  public var arrivedWallMicroseconds: Int64
  public var actions: [Action]?
  public var launchImage: String?

  static let meanings: [String: Meaning] = [
    "id": .count("The number of the notification."),
    "appName": "Its app's name.",
    "level": .one(of: InterruptionLevel.self, "The interruption level."),
    "buttons": "The buttons of its alert, left to right.",
    "group": .count(
      "The number of its app's notifications with the same thread in this list (N19); absent outside a list, and without a "
        + "thread."),
    "isListed": "True if Notification Center lists it.",
    "isSeen": "True if the user has seen it.",
    "arrivedWallMicroseconds": "The time of its arrival, in microseconds since 1970-01-01T00:00:00Z.",
    "actions": "The actions besides opening it, in order; absent if there are none.",
    "launchImage": "The launch image of its app that shows when it opens the app; absent if it names none.",
  ]

  public struct Action: Codable, Sendable, Equatable, WireType {
    static var schemaName: String { "NotificationActionReport" }
    static let meaning = "An action of a notification."

    public var id: String
    public var title: String
    public var opensApp: Bool
    public var isDestructive: Bool
    public var needsUnlock: Bool
    public var textButton: String?
    public var textPlaceholder: String?

    static let meanings: [String: Meaning] = [
      "id": "The identifier, by which it is chosen.",
      "title": "The title, for the user.",
      "opensApp": "True if it opens the app; otherwise the app gets it in the background, or a request is made.",
      "isDestructive": "True if it loses something.",
      "needsUnlock": "True if the handset must be unlocked.",
      "textButton": "The title of the button that sends a text; absent if it takes none.",
      "textPlaceholder": "The text that is shown while nothing is written.",
    ]
  }
}

extension NotificationReport {
  /// - Parameter place: where it is shown, which determines how much of its text is visible (rule N6).
  init(
    _ notification: Notification, of handset: Handset, in place: NotificationContent.Place, store: HandsetStore,
    number: HandsetID
  ) throws {
    var content = try store.content(of: notification.id, handset: number)?.shortened(for: place)
    if handset.hidesPreview(of: notification) { content = content?.withoutPreview }
    let actions = handset.actions(of: notification).map { action in
      Action(
        id: action.id, title: action.title, opensApp: action.opensApp, isDestructive: action.isDestructive,
        needsUnlock: action.needsUnlock, textButton: action.textInput?.button,
        textPlaceholder: action.textInput?.placeholder)
    }
    // A locked screen changes the action button's title (rule N5).
    let buttons = content?.buttons(isLocked: handset.record.conditions.contains(.locked)) ?? []
    self.init(
      id: notification.id.number, app: notification.app.text, appName: content?.appName ?? notification.app.text,
      push: notification.push.description, level: notification.level.rawValue, title: content?.title,
      subtitle: content?.subtitle, body: content?.body, buttons: buttons, threadID: content?.threadID,
      collapseID: notification.collapseID, isListed: notification.isListed, isSeen: notification.isSeen,
      arrivedWallMicroseconds: content?.arrived.microseconds ?? 0,
      actions: actions.isEmpty ? nil : actions, launchImage: notification.options?.launchImage)
  }

  /// Returns them with the numbers of their groups (rule N19).
  static func counted(_ notifications: [NotificationReport]) -> [NotificationReport] {
    var groups: [[String]: Int] = [:]
    for case (let app, let thread?) in notifications.map({ ($0.app, $0.threadID) }) {
      groups[[app, thread], default: 0] += 1
    }
    guard !groups.isEmpty else { return notifications }
    return notifications.map { notification in
      var counted = notification
      counted.group = notification.threadID.flatMap { groups[[notification.app, $0]] }
      return counted
    }
  }

  /// Returns it with that title on the action button; nil for its own.
  func selecting(_ title: String?) -> NotificationReport {
    guard let title else { return self }
    var selecting = self
    selecting.buttons = buttons.prefix(1) + [title]
    return selecting
  }
}

struct NotificationResponseRequest: RequestBody, Sendable {
  static let meaning = "The user's response to a notification."

  var action: String?
  var text: String?

  static let meanings: [String: Meaning] = [
    "action": Meaning(
      "The identifier or title of one of its actions. Absent, or com.apple.UNNotificationDefaultActionIdentifier, "
        + "opens it.")
  ]
}

enum CenterResource {
  static let routes: [HandsetRoute] = [
    HandsetRoute(
      "GET", "/center", "center", in: .center, "Notification Center",
      query: [
        .app,
        Operation.Query(
          name: "limit", meaning: .number(1...Int64(ControlLimits.notifications), "The most that are listed."),
          form: .integer, standard: .integer(Int64(ControlLimits.defaultNotifications))),
      ], answer: "Newest first."
    ) { handset, request -> [NotificationReport] in
      let text = request.target.queryValue("limit") ?? "\(ControlLimits.defaultNotifications)"
      guard let most = Int(text), (1...ControlLimits.notifications).contains(most) else {
        throw ControlError(400, "limit is 1 to \(ControlLimits.notifications), not '\(shown(text))'")
      }
      let app = try await handset.access.queriedApp(request)
      return try await handset.access.read { handset, store, number, _ -> [NotificationReport] in
        let listed = try handset.listed(of: app).suffix(most).reversed().map {
          try NotificationReport($0, of: handset, in: .center, store: store, number: number)
        }
        return NotificationReport.counted(listed)
      }
    },
    HandsetRoute("DELETE", "/center", "clearCenter", in: .center, "Clear all of Notification Center") {
      handset, _ in
      try await handset.access.apply(.clearCenter)
    },
    HandsetRoute(
      "DELETE", "/center/{number}", "clearNotification", in: .center, "Clear one notification"
    ) { handset, request in try await handset.access.apply(.clearNotification(notification(request))) },
    HandsetRoute(
      "POST", "/center/{number}/response", "respond", in: .center, "Open a notification, or choose one of its actions",
      body: NotificationResponseRequest(), answer: "The presentation after the response.", refusals: [409: ""]
    ) { handset, request -> PresentationReport in
      let response: NotificationResponseRequest = try request.body()
      try await handset.access.apply(
        .respond(notification(request), action: response.action ?? NotificationResponse.open, text: response.text))
      return try await handset.state().presentation
    },
    HandsetRoute(
      "DELETE", "/apps/{id}/center", "clearSection", in: .center, "Clear an app's section of Notification Center"
    ) { handset, request in try await handset.access.apply(.clearSection(handset.access.appID(request))) },
  ]

  private static func notification(_ request: HTTPRequest) throws -> NotificationID {
    let text = try request.parameter("number")
    guard let number = UInt64(text) else {
      throw ControlError(
        404, "there is no notification '\(shown(text))'", hint: "Run 'deskbell center' to list notification numbers.")
    }
    return NotificationID(number: number)
  }
}

extension ControlClient {
  public func center(of app: String?, limit: Int) async throws -> [NotificationReport] {
    try await get(path("center", app: app) + (app == nil ? "?" : "&") + "limit=\(limit)")
  }

  /// - Parameter app: nil for all sections.
  public func clearCenter(of app: String?) async throws {
    try await send("DELETE", app.map { path("apps", $0, "center") } ?? path("center"))
  }

  public func clearNotification(_ number: UInt64) async throws { try await send("DELETE", path("center", "\(number)")) }

  /// - Parameter action: nil opens the notification.
  public func respond(
    to number: UInt64, _ action: String? = nil, text: String? = nil
  ) async throws -> PresentationReport {
    try await send(
      "POST", path("center", "\(number)", "response"), NotificationResponseRequest(action: action, text: text))
  }
}
