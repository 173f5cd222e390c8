// The actions of a message that the handset can carry out (rule N15).

import HTTP
import HandsetCore

extension NtfyActions {
  /// Returns the notification's actions: `http` makes a call, `view` opens the app, and the app receives the others in
  /// the background. An action's identifier is its place in the message, from 1.
  static func offered(_ values: [JSONValue]) -> (actions: [NotificationAction], faults: [PayloadFault]) {
    var actions: [NotificationAction] = []
    var faults: [PayloadFault] = []
    for (index, value) in values.enumerated() {
      guard case .object(let members) = value else { continue }
      if let action = action(members, id: "\(index + 1)") {
        actions.append(action)
      } else {
        faults.append(
          PayloadFault(path: "actions[\(index)]", problem: "without a label, or no request that can be made"))
      }
    }
    guard NotificationOptions(actions: actions).isValid else {
      return ([], [PayloadFault(path: "actions", problem: "longer than \(Policy.actionBytesLimit) bytes together")])
    }
    return (actions, faults)
  }

  private static func action(_ members: [String: JSONValue], id: String) -> NotificationAction? {
    func text(_ name: String) -> String? { if case .string(let text)? = members[name] { text } else { nil } }
    guard let kind = text("action"), let label = text("label"), !label.isEmpty else { return nil }
    var action = NotificationAction(id: id, title: label.prefix(bytes: Policy.appNameLimit), opensApp: kind == "view")
    if case .bool(true)? = members["clear"] {} else { action.keepsNotification = true }
    if kind == "view" { action.url = text("url") }
    guard kind == "http" else { return action }
    var headers: [String: String] = [:]
    if case .object(let fields)? = members["headers"] {
      for case (let name, .string(let value)) in fields { headers[name] = value }
    }
    let call = WebCall(
      method: text("method")?.uppercased() ?? "POST", url: text("url") ?? "", headers: headers,
      body: Array((text("body") ?? "").utf8))
    guard call.isValid else { return nil }
    action.call = call
    return action
  }
}
