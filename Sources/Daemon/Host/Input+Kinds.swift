// The properties of an input that the host and its queue use before a handset has it. A case that is alone in its
// pattern is read in place; for two in one pattern the whole push would be copied.

import HandsetCore

extension Input {
  public var topic: AppID? {
    switch self {
    case .push(let push): push.topic
    case .keep(let push): push.topic
    case .publish(let push, _, _): push.topic
    case .broadcast(let push, _): push.topic
    // Submitted by a provider with an access key, or by the app.
    case .schedule(let request): request.app
    case .retract(let app, _, _): app
    default: nil
    }
  }

  /// The bytes of the input's content, whose size its sender chooses.
  var bytes: Int {
    switch self {
    case .push(let push): push.payload.count
    case .keep(let push): push.payload.count
    case .broadcast(let push, _): push.payload.count + InputQueue.Limits.broadcastOverhead
    case .publish(let push, _, let propertyList): push.payload.count + propertyList.count
    case .schedule(let request): request.payload.count
    case .install(let manifest, _): manifest.strings.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    default: 0
    }
  }

  var token: DeviceToken? {
    switch self {
    case .push(let push): push.token
    case .keep(let push): push.token
    default: nil
    }
  }

  var isPush: Bool {
    switch self {
    case .push, .keep: true
    default: false
    }
  }

  var isWake: Bool { if case .wake = self { true } else { false } }

  /// Returns true if the input's commit waits for the disk. Providers and users are answered only then; and effects on
  /// devices, apps and readers of events must not be undone by a power cut. Reports of drivers and refusals are only
  /// events, whose numbers the store has reserved.
  func mustBeDurable(after turn: Turn) -> Bool {
    switch self {
    case .report, .refused, .wake, .listDelivered: !turn.effects.isEmpty || turn.events.contains { !$0.isReport }
    default: true
    }
  }
}

extension Event {
  fileprivate var isReport: Bool {
    switch kind {
    case .driver, .refused: true
    default: false
    }
  }
}
