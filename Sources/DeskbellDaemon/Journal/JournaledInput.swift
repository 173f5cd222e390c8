// The inputs of a handset as JSON. This is the one place where a new kind of input has to be added: a case, how it is
// made of an input, and how an input is made of it. The compiler asks for all three once `Input` has the case.

import FoundationEssentials
import HandsetCore

/// An input as a journal has it. The names of cases and fields are what is written: they are never changed, and
/// a field that is added to a case is optional.
enum JournaledInput: Codable {
  case push(content: JournaledPush)
  case publish(content: JournaledPush, propertyList: JournaledBytes)
  case createNode(node: JournaledNode)
  case deleteNode(node: JournaledNode)
  case refused(id: PushID?, topic: AppID?, status: Int, reason: String, detail: String)
  /// What drivers report takes numbers in the sequence of events, so a replay needs it as much as anything else; the
  /// replay itself drives nothing.
  case report(content: JournaledReport)
  case install(manifest: JournaledManifest, token: DeviceToken)
  case uninstall(app: AppID)
  case register(app: AppID, kinds: [String], token: DeviceToken)
  case unregister(app: AppID)
  case lifecycle(app: AppID, command: LifecycleCommand)
  case setBadge(app: AppID, number: Int)
  case setAppSetting(app: AppID, key: AppSettings.Key, value: String)
  case setHandsetSetting(key: HandsetSettings.Key, value: String)
  case press(button: AlertButton, length: PressLength?)
  case setForegroundPresentation(app: AppID, kinds: [String])
  case schedule(request: JournaledLocalNotification)
  case cancel(app: AppID, identifier: String?)
  case setTimeZone(zone: JournaledTimeZone)
  case listening(app: AppID, state: Lifecycle)
  case disconnected(app: AppID)
  case died(app: AppID)
  case completed(app: AppID, push: PushID, result: DeliveryResult, reason: String?)
  case timedOut(app: AppID, push: PushID)
  case setCondition(condition: Condition, isOn: Bool)
  case clearNotification(number: UInt64)
  case clearSection(app: AppID)
  case clearCenter
  case start(after: Start)
  case wake

  init(_ input: Input) {
    self =
      switch input {
      case .push(let push): .push(content: JournaledPush(push))
      case .publish(let push, let propertyList):
        .publish(content: JournaledPush(push), propertyList: Data(propertyList))
      case .createNode(let id): .createNode(node: JournaledNode(id))
      case .deleteNode(let id): .deleteNode(node: JournaledNode(id))
      case .refused(let push):
        .refused(id: push.id, topic: push.topic, status: push.status, reason: push.reason, detail: push.detail)
      case .report(let report): .report(content: JournaledReport(report))
      case .install(let manifest, let token): .install(manifest: JournaledManifest(manifest), token: token)
      case .uninstall(let app): .uninstall(app: app)
      case .register(let app, let kinds, let token): .register(app: app, kinds: kinds.names, token: token)
      case .unregister(let app): .unregister(app: app)
      case .lifecycle(let app, let command): .lifecycle(app: app, command: command)
      case .setBadge(let app, let number): .setBadge(app: app, number: number)
      case .setAppSetting(let app, let key, let value): .setAppSetting(app: app, key: key, value: value)
      case .setHandsetSetting(let key, let value): .setHandsetSetting(key: key, value: value)
      case .press(let button, let length): .press(button: button, length: length)
      case .setForegroundPresentation(let app, let kinds): .setForegroundPresentation(app: app, kinds: kinds.names)
      case .schedule(let request): .schedule(request: JournaledLocalNotification(request))
      case .cancel(let app, let identifier): .cancel(app: app, identifier: identifier)
      case .setTimeZone(let zone): .setTimeZone(zone: JournaledTimeZone(zone))
      case .listening(let app, let state): .listening(app: app, state: state)
      case .disconnected(let app): .disconnected(app: app)
      case .died(let app): .died(app: app)
      case .completed(let app, let push, let result, let reason):
        .completed(app: app, push: push, result: result, reason: reason)
      case .timedOut(let app, let push): .timedOut(app: app, push: push)
      case .setCondition(let condition, let isOn): .setCondition(condition: condition, isOn: isOn)
      case .clearNotification(let id): .clearNotification(number: id.number)
      case .clearSection(let app): .clearSection(app: app)
      case .clearCenter: .clearCenter
      case .start(let start): .start(after: start)
      case .wake: .wake
      }
  }

  /// - Throws: `DecodingError` where a word in it is unknown.
  func input() throws -> Input {
    switch self {
    case .push(let push): .push(try push.push())
    case .publish(let push, let propertyList): .publish(try push.push(), propertyList: Array(propertyList))
    case .createNode(let node): .createNode(try node.id())
    case .deleteNode(let node): .deleteNode(try node.id())
    case .refused(let id, let topic, let status, let reason, let detail):
      .refused(RefusedPush(id: id, topic: topic, status: status, reason: reason, detail: detail))
    case .report(let report): .report(report.report)
    case .install(let manifest, let token): .install(try manifest.manifest(), token: token)
    case .uninstall(let app): .uninstall(app)
    case .register(let app, let kinds, let token):
      .register(app, try NotificationKinds(journaled: kinds), token: token)
    case .unregister(let app): .unregister(app)
    case .lifecycle(let app, let command): .lifecycle(app, command)
    case .setBadge(let app, let number): .setBadge(app, number)
    case .setAppSetting(let app, let key, let value): .setAppSetting(app, key, value)
    case .setHandsetSetting(let key, let value): .setHandsetSetting(key, value)
    case .press(let button, let length): .press(button, length ?? .short)
    case .setForegroundPresentation(let app, let kinds):
      .setForegroundPresentation(app, try NotificationKinds(journaled: kinds))
    case .schedule(let request): .schedule(try request.notification())
    case .cancel(let app, let identifier): .cancel(app, identifier: identifier)
    case .setTimeZone(let zone): .setTimeZone(try zone.zone())
    case .listening(let app, let state): .listening(app, state)
    case .disconnected(let app): .disconnected(app)
    case .died(let app): .died(app)
    case .completed(let app, let push, let result, let reason): .completed(app, push, result, reason: reason)
    case .timedOut(let app, let push): .timedOut(app, push)
    case .setCondition(let condition, let isOn): .setCondition(condition, isOn)
    case .clearNotification(let number): .clearNotification(NotificationID(number: number))
    case .clearSection(let app): .clearSection(app)
    case .clearCenter: .clearCenter
    case .start(let start): .start(start)
    case .wake: .wake
    }
  }
}

/// What a driver reported.
struct JournaledReport: Codable {
  enum Kind: Codable {
    case lamp(lit: Bool)
    case display(text: String)
    case displayOverflow(text: String)
    case soundStarted(name: String)
    case soundEnded(name: String, reason: String)
    case deviceLost(problem: String)
    case deviceBack(device: String)

    init(_ kind: DriverReport.Kind) {
      self =
        switch kind {
        case .lamp(let lit): .lamp(lit: lit)
        case .display(let text): .display(text: text)
        case .displayOverflow(let text): .displayOverflow(text: text)
        case .soundStarted(let name): .soundStarted(name: name)
        case .soundEnded(let name, let reason): .soundEnded(name: name, reason: reason)
        case .deviceLost(let problem): .deviceLost(problem: problem)
        case .deviceBack(let device): .deviceBack(device: device)
        }
    }

    var kind: DriverReport.Kind {
      switch self {
      case .lamp(let lit): .lamp(lit: lit)
      case .display(let text): .display(text)
      case .displayOverflow(let text): .displayOverflow(text)
      case .soundStarted(let name): .soundStarted(name: name)
      case .soundEnded(let name, let reason): .soundEnded(name: name, reason: reason)
      case .deviceLost(let problem): .deviceLost(problem)
      case .deviceBack(let device): .deviceBack(device)
      }
    }
  }

  var kind: Kind
  var push: PushID?
  var uptime: JournaledUptime

  init(_ report: DriverReport) {
    kind = Kind(report.kind)
    push = report.push
    uptime = JournaledUptime(report.uptime)
  }

  var report: DriverReport { DriverReport(kind.kind, push: push, uptime: uptime.duration) }
}
