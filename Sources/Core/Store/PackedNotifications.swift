// The facts of notifications a second time, close together. A start needs them, and not the words and payloads that lie
// between them in the rows: of 50,000 notifications it reads 2 MB instead of 24. A pack has the notifications whose
// numbers differ in their lowest eight bits only. The daemon writes packs when it ends; a commit that changes a
// notification removes its pack. So a pack that is stored says what the rows say, and the others are read from the rows.

import CSQLite
import HandsetCore

/// The numbers of packs.
private enum Packs {
  private static let bits: Int64 = 8

  static func number(of notification: NotificationID, of handset: HandsetID) -> Int64 {
    StoredNotifications.key(notification, of: handset) >> bits
  }

  static func numbers(of handset: HandsetID) -> ClosedRange<Int64> {
    let keys = StoredNotifications.keys(of: handset)
    return keys.lowerBound >> bits...keys.upperBound >> bits
  }

  /// Returns the keys that the notifications of a pack may have.
  static func keys(of pack: Int64) -> ClosedRange<Int64> { pack << bits...(pack << bits | (1 << bits - 1)) }
}

extension RowStatement {
  static let packRemoval = RowStatement(10, "DELETE FROM notification_pack WHERE pack = ?")
}

// MARK: - Writing

extension HandsetStore {
  /// Removes the pack of a notification that this commit changes.
  func unpack(_ id: NotificationID, of handset: HandsetID) throws(StoreError) {
    if packs == nil { packs = try readPacks() }
    let pack = Packs.number(of: id, of: handset)
    if packs?.remove(pack) != nil { try put(.packRemoval, .integer(pack)) }
  }

  /// Removes all packs of a handset.
  func unpackAll(of handset: HandsetID) throws(StoreError) {
    let packs = Packs.numbers(of: handset)
    try database.run(
      "DELETE FROM notification_pack WHERE pack BETWEEN ? AND ?", .integer(packs.lowerBound),
      .integer(packs.upperBound))
    self.packs = nil
  }

  /// Returns the numbers of the packs. Late commits may have removed some of them already.
  private func readPacks() throws(StoreError) -> Set<Int64> {
    let statement = try database.query("SELECT pack FROM notification_pack")
    defer { statement.reset() }
    var packs: Set<Int64> = []
    while try statement.step() { packs.insert(statement.integer(0)) }
    return packs
  }

  /// Writes the packs that are missing. The newest notifications get none, because their pack would soon change. Nothing
  /// is written if a part of the handset could not be loaded: the next start reports it again.
  /// - Parameter handset: as it is stored.
  public func packNotifications(of handset: Handset, _ id: HandsetID) throws(StoreError) {
    guard isLoadedWhole.contains(id) else { return }
    try completeTables()
    let stored = try readPacks()
    let newest = Packs.number(of: NotificationID(number: handset.record.nextNotification), of: id)
    var (pack, writer, packs) = (Int64(0), PackWriter(), [(number: Int64, facts: [UInt8])]())
    try handset.forEachNotification { notification throws(StoreError) in
      let number = Packs.number(of: notification.id, of: id)
      guard number < newest, !stored.contains(number) else { return }
      if number != pack, !writer.isEmpty {
        packs.append((pack, writer.facts))
        writer = PackWriter()
      }
      pack = number
      writer.add(
        notification,
        repetition: try notification.repetition.map { repetition throws(StoreError) in
          try json(repetition, "a repetition")
        },
        options: try notification.options.map { options throws(StoreError) in try json(options, "options") })
    }
    if !writer.isEmpty { packs.append((pack, writer.facts)) }
    guard !packs.isEmpty else { return }
    // It need not wait for the disk: a pack that is lost is written at the next end.
    try database.setSynchronous(.normal)
    defer { try? database.setSynchronous(.full) }
    self.packs = nil
    try database.transaction { () throws(StoreError) in
      for pack in packs {
        try database.run(
          "REPLACE INTO notification_pack (pack, facts) VALUES (?, ?)", .integer(pack.number), .blob(pack.facts))
      }
    }
  }
}

/// What is in the byte of a notification that has its flags.
private struct PackedFlags: OptionSet {
  let rawValue: UInt8

  static let isListed = PackedFlags(rawValue: 1)
  static let isSeen = PackedFlags(rawValue: 2)
  static let hasAction = PackedFlags(rawValue: 4)
  static let hasVolume = PackedFlags(rawValue: 8)
}

/// The writer of one pack: its words, each once and by its number from then on, and its notifications. The values are
/// those of the rows' columns; the word with the number 0 is NULL.
private struct PackWriter {
  private var words: [UInt8] = []
  /// By their bytes: texts that are spelt in two ways are equal.
  private var numbers: [[UInt8]: UInt64] = [:]
  private var notifications: [UInt8] = []
  private var count: UInt64 = 0

  var isEmpty: Bool { count == 0 }

  var facts: [UInt8] {
    var facts: [UInt8] = []
    facts.append(varint: UInt64(numbers.count))
    facts += words
    facts.append(varint: count)
    return facts + notifications
  }

  mutating func add(_ notification: Notification, repetition: String?, options: String?) {
    count += 1
    var (sound, volume): (String?, Double?) = (nil, nil)
    switch notification.sound {
    case .none: break
    case .system: sound = ""
    case .named(let name): sound = name
    case .critical(let name, let level): (sound, volume) = (name ?? "", level)
    }
    var flags: PackedFlags = []
    if notification.isListed { flags.insert(.isListed) }
    if notification.isSeen { flags.insert(.isSeen) }
    if notification.hasAction { flags.insert(.hasAction) }
    if volume != nil { flags.insert(.hasVolume) }
    notifications.append(flags.rawValue)
    notifications.append(varint: notification.id.number)
    add(notification.push.high)
    add(notification.push.low)
    notifications.append(varint: UInt64(notification.push.upperCaseDigits))
    notifications.append(varint: UInt64(notification.size))
    notifications.append(varint: notification.alertOrder.map { $0 &+ 1 } ?? 0)
    for word in [
      notification.app.text, notification.level.rawValue, notification.collapseID, sound, repetition, options,
    ] {
      notifications.append(varint: number(of: word))
    }
    if let volume { add(volume.bitPattern) }
  }

  private mutating func add(_ word: UInt64) {
    withUnsafeBytes(of: word.littleEndian) { notifications.append(contentsOf: $0) }
  }

  private mutating func number(of word: String?) -> UInt64 {
    guard let word else { return 0 }
    let bytes = Array(word.utf8)
    if let number = numbers[bytes] { return number }
    words.append(varint: UInt64(bytes.count))
    words += bytes
    let number = UInt64(numbers.count + 1)
    numbers[bytes] = number
    return number
  }
}

// MARK: - Reading

extension HandsetLoading {
  mutating func readNotifications() throws(StoreError) {
    let (packs, keys) = (Packs.numbers(of: handset), StoredNotifications.keys(of: handset))
    var last = keys.lowerBound - 1
    let statement = try database.query(
      "SELECT pack, facts FROM notification_pack WHERE pack BETWEEN ? AND ? ORDER BY pack",
      [.integer(packs.lowerBound), .integer(packs.upperBound)])
    defer { statement.reset() }
    while try statement.step() {
      let packed = Packs.keys(of: statement.integer(0))
      // The rows name what is wrong, each for itself.
      guard let notifications = readPack(statement.column(1).blob, packed) else { continue }
      if last < packed.lowerBound - 1 { try readNotifications(after: last, through: packed.lowerBound - 1) }
      for notification in notifications { contents.add(notification) }
      last = packed.upperBound
    }
    try readNotifications(after: last, through: keys.upperBound)
  }

  /// Returns the notifications of a pack, in ascending order; nil if one of them must be read from its row.
  /// - Parameter keys: those that they may have.
  private func readPack(_ facts: UnsafeRawBufferPointer, _ keys: ClosedRange<Int64>) -> [Notification]? {
    var (reader, words) = (PackReader(facts), PackedWords())
    for _ in 0..<reader.count() { words.add(reader.text()) }
    let count = reader.count()
    var (notifications, last) = ([Notification](), keys.lowerBound - 1)
    notifications.reserveCapacity(min(count, keys.count))
    for _ in 0..<count {
      guard let notification = readNotification(&reader, &words) else { return nil }
      let key = StoredNotifications.key(notification.id, of: handset)
      guard key > last, key <= keys.upperBound else { return nil }
      last = key
      notifications.append(notification)
    }
    return reader.isAtEnd && !notifications.isEmpty ? notifications : nil
  }

  private func readNotification(_ reader: inout PackReader, _ words: inout PackedWords) -> Notification? {
    let flags = PackedFlags(rawValue: reader.byte())
    let number = reader.number()
    let push = PushID(
      high: reader.word(), low: reader.word(), upperCaseDigits: UInt32(truncatingIfNeeded: reader.number()))
    let size = Int(clamping: reader.number())
    let order = reader.number()
    let (app, level, collapseID) = (reader.number(), reader.number(), reader.number())
    let (sound, repetition, options) = (reader.number(), reader.number(), reader.number())
    let volume = flags.contains(.hasVolume) ? Double(bitPattern: reader.word()) : nil
    guard number < contents.record.nextNotification, order <= contents.record.nextAlert,
      Notification.sizes.contains(size), !flags.isDisjoint(with: [.isListed, .isSeen]),
      let app = words.app(app, appsByText), let level = words.level(level), let collapseID = words.text(collapseID),
      let sound = words.sound(sound, volume: volume)
    else { return nil }
    var notification = Notification(
      id: NotificationID(number: number), app: app, push: push, level: level, collapseID: collapseID,
      isListed: flags.contains(.isListed), isSeen: flags.contains(.isSeen), alertOrder: order == 0 ? nil : order - 1,
      hasAction: flags.contains(.hasAction), size: size)
    notification.sound = sound
    if repetition != 0 {
      guard let read = words.text(repetition)?.flatMap({ decode(Repetition.self, $0) }), read.isValid else {
        return nil
      }
      notification.repetition = read
    }
    if options != 0 {
      guard let read = words.text(options)?.flatMap({ decode(NotificationOptions.self, $0) }), read.isValid else {
        return nil
      }
      notification.options = read
    }
    return notification
  }
}

/// The words of a pack by their numbers, from 1, with the values that many notifications share.
private struct PackedWords {
  private struct Word {
    /// Nil if it is not UTF-8.
    var text: String?
    var app: AppID?
    var level: InterruptionLevel?
    var sound: SoundRequest?
  }

  private var words: [Word] = []

  mutating func add(_ text: String?) { words.append(Word(text: text)) }

  private func index(of number: UInt64) -> Int? {
    (1...UInt64(max(1, words.count))).contains(number) && !words.isEmpty ? Int(number) - 1 : nil
  }

  /// Returns the text, which is nil for the number 0; nil if there is none.
  func text(_ number: UInt64) -> String?? {
    if number == 0 { return .some(nil) }
    guard let text = index(of: number).flatMap({ words[$0].text }) else { return nil }
    return text
  }

  /// - Parameter apps: the installed ones.
  mutating func app(_ number: UInt64, _ apps: [String: App]) -> AppID? {
    guard let index = index(of: number) else { return nil }
    if words[index].app == nil { words[index].app = words[index].text.flatMap { apps[$0]?.id } }
    return words[index].app
  }

  mutating func level(_ number: UInt64) -> InterruptionLevel? {
    guard let index = index(of: number) else { return nil }
    if words[index].level == nil { words[index].level = words[index].text.flatMap { InterruptionLevel(rawValue: $0) } }
    return words[index].level
  }

  mutating func sound(_ number: UInt64, volume: Double?) -> SoundRequest? {
    if number == 0 { return SoundRequest.none }
    guard let index = index(of: number), let name = words[index].text else { return nil }
    if let volume { return .critical(name: name.isEmpty ? nil : name, volume: volume) }
    if words[index].sound == nil { words[index].sound = name.isEmpty ? .system : .named(name) }
    return words[index].sound
  }
}

/// The reader of a pack, whose bytes may have any values. Beyond their end it reads zeros.
private struct PackReader {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0
  private var isBeyondEnd = false

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { place == bytes.count && !isBeyondEnd }

  mutating func byte() -> UInt8 {
    guard place < bytes.count else {
      isBeyondEnd = true
      return 0
    }
    defer { place += 1 }
    return bytes[place]
  }

  /// Returns a number as `append(varint:)` writes it.
  mutating func number() -> UInt64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let byte = byte()
      number |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 || shift > 63 { return number }
    }
  }

  /// Returns a number of items of a byte or more each.
  mutating func count() -> Int {
    let count = number()
    if count <= UInt64(bytes.count - place) { return Int(count) }
    isBeyondEnd = true
    return 0
  }

  mutating func word() -> UInt64 {
    guard bytes.count - place >= 8 else {
      (place, isBeyondEnd) = (bytes.count, true)
      return 0
    }
    defer { place += 8 }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
  }

  /// Returns a text; nil if it is not UTF-8.
  mutating func text() -> String? {
    let count = count()
    defer { place += count }
    return String(validating: UnsafeRawBufferPointer(rebasing: bytes[place..<place + count]), as: UTF8.self)
  }
}
