// Local notifications in a journal of inputs, and the time zone by which their times are reckoned.

import HandsetCore

/// A local notification as an app asked for it.
struct JournaledLocalNotification: Codable {
  enum Trigger: Codable {
    case interval(wait: JournaledUptime, repeats: Bool)
    case calendar(
      year: Int?, month: Int?, day: Int?, weekday: Int?, hour: Int, minute: Int, second: Int, repeats: Bool)

    init(_ trigger: LocalNotification.Trigger) {
      self =
        switch trigger {
        case .interval(let wait, let repeats): .interval(wait: JournaledUptime(wait), repeats: repeats)
        case .calendar(let time, let repeats):
          .calendar(
            year: time.year, month: time.month, day: time.day, weekday: time.weekday, hour: time.hour,
            minute: time.minute, second: time.second, repeats: repeats)
        }
    }

    var trigger: LocalNotification.Trigger {
      switch self {
      case .interval(let wait, let repeats): .interval(wait.duration, repeats: repeats)
      case .calendar(let year, let month, let day, let weekday, let hour, let minute, let second, let repeats):
        .calendar(
          CalendarTime(
            year: year, month: month, day: day, weekday: weekday, hour: hour, minute: minute, second: second),
          repeats: repeats)
      }
    }
  }

  var app: AppID
  var identifier: String
  var trigger: Trigger
  /// Its words, badge, sound, level and payload, in the form of a push.
  var content: JournaledPush

  init(_ request: LocalNotification) {
    app = request.app
    identifier = request.identifier
    trigger = Trigger(request.trigger)
    content = JournaledPush(
      Push(
        id: request.push, token: JournaledLocalNotification.noToken, topic: request.app, message: request.message,
        badge: request.badge, sound: request.sound, level: request.level, threadID: request.threadID,
        payload: request.payload))
  }

  /// - Throws: `DecodingError` where its content cannot be read.
  func notification() throws -> LocalNotification {
    let push = try content.push()
    return LocalNotification(
      app: app, identifier: identifier, push: push.id, trigger: trigger.trigger, message: push.message,
      badge: push.badge, sound: push.sound, level: push.level, threadID: push.threadID, payload: push.payload)
  }

  /// A local notification was sent to no token.
  private static let noToken: DeviceToken = {
    guard let token = DeviceToken(bytes: [0]) else { preconditionFailure("1 is one of DeviceToken.lengths") }
    return token
  }()
}

/// One that waits.
struct JournaledPending: Codable {
  enum Due: Codable {
    case uptime(at: JournaledUptime, wall: WallTime)
    case wall(at: WallTime, from: WallTime, presentedFrom: WallTime?, presentedTo: WallTime?)
  }

  var request: JournaledLocalNotification
  var due: Due

  init(_ pending: PendingNotification) {
    request = JournaledLocalNotification(pending.request)
    due =
      switch pending.due {
      case .uptime(let uptime, let wall): .uptime(at: JournaledUptime(uptime), wall: wall)
      case .wall(let wall, let from, let presented):
        .wall(
          at: wall, from: from, presentedFrom: presented?.lowerBound, presentedTo: presented?.upperBound)
      }
  }

  /// - Throws: `DecodingError` where its content cannot be read.
  func notification() throws -> PendingNotification {
    let notification = try request.notification()
    switch due {
    case .uptime(let uptime, let wall):
      return PendingNotification(request: notification, due: .uptime(uptime.duration, wall: wall))
    case .wall(let wall, let from, let first, let last):
      let presented = first.flatMap { first in last.flatMap { first <= $0 ? first...$0 : nil } }
      return PendingNotification(request: notification, due: .wall(wall, from: from, presented: presented))
    }
  }
}

/// How clocks go.
struct JournaledTimeZone: Codable {
  var name: String
  var initialOffset: Int
  /// Seconds since 1970, and the seconds ahead of UTC from then on.
  var transitions: [[Int64]]

  init(_ zone: TimeZoneTable) {
    name = zone.name
    initialOffset = zone.initialOffset
    transitions = zone.transitions.map { [$0.time, Int64($0.offset)] }
  }

  /// - Throws: `DecodingError` where it is none.
  func zone() throws -> TimeZoneTable {
    let table = TimeZoneTable(
      name: name, initialOffset: initialOffset,
      transitions: transitions.compactMap { pair in
        pair.count == 2 ? TimeZoneTable.Transition(time: pair[0], offset: Int(pair[1])) : nil
      })
    guard let table else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "'\(name)' is no time zone"))
    }
    return table
  }
}
