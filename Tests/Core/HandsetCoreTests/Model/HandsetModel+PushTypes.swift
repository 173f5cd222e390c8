// Rules T1 to T4 and X1: pushes for the app by their type, and notifications that its service extension changes.

@testable import HandsetCore

extension HandsetModel {
  // MARK: - By type

  struct TypeRow {
    var mode: PushType?
    var wakesAlways = false
    var seconds = 30
    var isCall = false
    var perDay: Int?
    var isReload = false
  }

  static let types: [PushType: TypeRow] = [
    .voip: TypeRow(mode: .voip, wakesAlways: true, seconds: 5, isCall: true),
    .pushtotalk: TypeRow(mode: .pushtotalk, seconds: 5, isCall: true),
    .complication: TypeRow(mode: .complication, perDay: 50),
    .location: TypeRow(mode: .location),
    .fileprovider: TypeRow(mode: .fileprovider),
    .mdm: TypeRow(mode: nil, wakesAlways: true),
    .widgets: TypeRow(mode: .widgets, perDay: 40, isReload: true),
    .controls: TypeRow(mode: .controls, perDay: 40, isReload: true),
  ]

  /// Returns the time that an app has for what it is given.
  func time(for occasion: OfferOccasion?) -> Duration {
    guard case .type(let type)? = occasion else { return .seconds(30) }
    return .seconds(HandsetModel.types[type]?.seconds ?? 30)
  }

  mutating func giveByType(_ push: Push, _ row: TypeRow, _ place: Int) {
    let id = apps[place].id
    let isInFront = apps[place].lifecycle == .foreground
    if let modes = apps[place].manifest.pushTypes, let mode = row.mode, !modes.contains(mode) {
      return emit(.discarded(.noTypeMode), id, push.id)
    }
    if apps[place].lifecycle == .forceQuit && !row.wakesAlways { return emit(.discarded(.isForceQuit), id, push.id) }
    if row.isReload && !push.contentAvailable { return emit(.discarded(.unchanged), id, push.id) }
    let counted = apps[place].counted[push.type] ?? []
    if row.isCall && counted.count >= 3 { return emit(.discarded(.callsUnanswered), id, push.id) }
    if let most = row.perDay, !isInFront {
      // The day begins with its first push.
      let isSameDay = counted.first.map { now.uptime < $0.uptime + .seconds(24 * 3600) } ?? false
      if isSameDay && counted.count >= most { return emit(.discarded(.spentToday), id, push.id) }
      apps[place].counted[push.type] = (isSameDay ? counted : []) + [now]
    }
    if row.isReload { emit(.reload(push.type), id, push.id) }
    if apps[place].lifecycle == .forceQuit { become(place, isReachable(place) ? .background : .notRunning) }
    give(place, push.id, expiration(of: push), isCharged: false, for: .type(push.type))
  }

  /// Notes that a push of a type was given up.
  mutating func noteUnanswered(_ type: PushType, _ place: Int) {
    if HandsetModel.types[type]?.isCall == true { apps[place].counted[type, default: []].append(now) }
  }

  mutating func noteAnswered(_ type: PushType, _ place: Int) {
    if HandsetModel.types[type]?.isCall == true { apps[place].counted[type] = nil }
  }

  // MARK: - The service extension

  /// Gives the push to the app's service extension.
  /// - Returns: false if nobody changes it.
  mutating func extend(_ push: Push, _ place: Int) -> Bool {
    let isForPerson = push.message != nil || push.sound != .none || push.badge.number != nil
    guard apps[place].manifest.hasServiceExtension, push.type != .background, isForPerson else { return false }
    if let collapseID = push.collapseID { dropExtending(place, .collapsed, newer: push.id) { $0 == collapseID } }
    guard push.mutableContent, push.message != nil, apps[place].extending.count < 8 else { return false }
    var push = push
    push.isGrouped = group != nil
    extensions += 1
    apps[place].extending.append(ModelExtending(push: push, attempt: 1, place: extensions))
    ask(apps[place].extending.count - 1, place)
    return true
  }

  private mutating func ask(_ index: Int, _ place: Int) {
    let (id, waiting) = (apps[place].id, apps[place].extending[index])
    emit(.held(.serviceExtension), id, waiting.push.id)
    effects.append(.extend(id, waiting.push, attempt: waiting.attempt))
  }

  mutating func extended(_ id: AppID, _ push: PushID, _ answer: ExtensionAnswer) -> Refusal? {
    guard let place = place(of: id) else { return .unknownApp(id) }
    guard let index = apps[place].extending.firstIndex(where: { $0.push.id == push }) else {
      return .notOffered(id, push)
    }
    end(index, place, answer)
    return nil
  }

  /// Presents it, as changed or as it was sent.
  private mutating func end(_ index: Int, _ place: Int, _ answer: ExtensionAnswer) {
    let id = apps[place].id
    var push = apps[place].extending.remove(at: index).push
    switch answer {
    case .timedOut: emit(.extended(.extensionTimedOut), id, push.id)
    case .failed(let reason): emit(.extended(.extensionFailed, reason: reason), id, push.id)
    case .changed(let words) where words.message == nil:
      emit(.extended(.extensionFailed, reason: "its answer has no alert"), id, push.id)
    case .changed(let words):
      emit(.extended(.extensionChanged), id, push.id)
      for fault in words.faults { emit(.ignored(fault), id, push.id) }
      (push.message, push.badge, push.sound, push.level) = (words.message, words.badge, words.sound, words.level)
      (push.threadID, push.options, push.repetition) = (words.threadID, words.options, words.repetition)
      (push.contentAvailable, push.payload) = (words.contentAvailable, words.payload)
    }
    switch apps[place].registration {
    case .registered:
      if push.isGrouped { group = [] }
      show(push, place)
      group = nil
    case .pending: emit(.discarded(.notRegisteredYet), id, push.id)
    case .unregistered: emit(.discarded(.unregistered), id, push.id)
    }
  }

  /// Asks again, once, after a restart; whose push came first is first, of whichever app.
  mutating func extendAgain() {
    for one in apps.flatMap(\.extending).sorted(by: { $0.place < $1.place }) {
      guard let place = apps.firstIndex(where: { $0.extending.contains { $0.place == one.place } }),
        let index = apps[place].extending.firstIndex(where: { $0.place == one.place })
      else { continue }
      if one.attempt == 2 {
        end(index, place, .failed("it was asked again after a restart and did not answer either"))
      } else {
        apps[place].extending[index].attempt = 2
        ask(index, place)
      }
    }
  }

  mutating func endExtending(_ place: Int) {
    while !apps[place].extending.isEmpty {
      end(0, place, .failed("the app's new bundle has no service extension"))
    }
  }

  mutating func dropExtending(
    _ place: Int, _ why: Event.Discarded, newer: PushID? = nil, _ which: (String?) -> Bool
  ) {
    for waiting in apps[place].extending where which(waiting.push.collapseID) {
      emit(.discarded(why, newer: newer), apps[place].id, waiting.push.id)
    }
    apps[place].extending.removeAll { which($0.push.collapseID) }
  }
}

/// A push that the app's service extension has.
struct ModelExtending: Equatable {
  var push: Push
  var attempt: Int
  /// Its place among all that extensions got; what is read from the handset has none.
  var place = 0

  static func == (one: ModelExtending, other: ModelExtending) -> Bool {
    one.push == other.push && one.attempt == other.attempt
  }
}

extension ModelApp {
  /// The counts as the handset has them.
  var pushTypeCounts: [PushTypeCount]? {
    let counts = counted.compactMap { type, moments in
      moments.first.map { PushTypeCount(type: type, count: moments.count, since: $0) }
    }
    return counts.isEmpty ? nil : counts.sorted { $0.type.rawValue < $1.type.rawValue }
  }
}
