// The texts that events often have, each stored as its place in this list: one byte for the first, two for the others.
// A text that is not in the list is stored as it is.

/// The numbered words of records.
enum RecordWords {
  /// The first place whose word takes two bytes; the first of them is this or more.
  static let oneByte = 0xC0
  /// A first byte of this or more begins a text. The difference is its length in bytes, or, if the byte is 255, the
  /// number that follows is.
  static let text = 0xE0
  static let shortText = 30

  static let places = Dictionary(uniqueKeysWithValues: zip(all, 0...))

  /// The reasons by event and code.
  static let reasons: [String: [String: Why]] = Dictionary(
    uniqueKeysWithValues: Why.table.map { event, reasons in
      (event.rawValue, Dictionary(uniqueKeysWithValues: reasons.map { ($0.code, $0) }))
    })

  /// The words by their numbers.
  static let all: [String] = {
    let rulings = Ruling.allCases.map { (Int($0.rawValue), $0.code) }
    let reasons = Why.table.flatMap(\.reasons).compactMap { why in why.number.map { (Int($0), why.code) } }
    let numbered = Dictionary(rulings + reasons) { first, _ in first }
    var rest = plain[...]
    return (0..<plain.count + numbered.count).map { numbered[$0] ?? rest.popFirst() ?? "" }
  }()

  /// The words without numbers of their own, in the order of the free numbers. New ones are only added at the end.
  private static let plain =
    """
    accepted badge presented not-presented lamp display sound-started sound-ended refused held discarded delivered
    completed type number style listed sound reason status detail lit text name path problem state key value after
    kinds node condition on button press count replacedBy attempt result identifier dueWallMicroseconds overflow
    device vibration silenced replaces alert background banner none default finished started installed uninstalled
    registered unregistered node-created node-deleted lifecycle setting ignored duplicate reused-id bad-badge
    answered seen alert-dropped cleared kept arrived timed-out time-zone foreground-presentation scheduled
    unscheduled due device-lost device-back unreadable off notRunning foreground forceQuit offline low-power locked
    silent newData noData failed close view short long daemon board replaced stopped voip complication location
    fileprovider mdm liveactivity pushtotalk widgets controls double handset-off app-not-allowed not-registered-for
    switched-off nothing-to-show passive silent-switch quiet-hours volume-zero critical-volume-zero cancelled
    pending-limit badge-zero opened by-person not-allowed center-full alert-limit budget fetch-interval
    fetch-manual not-connected replaced-offline not-registered no-background-mode killed force-quit is-force-quit
    died disconnected offered-twice too-many-offered no-receiver not-listening expired expired-offline not-kept
    came-again id-in-use not-completed BadDeviceToken DeviceTokenNotForTopic Unregistered ExpiredToken
    InvalidProviderToken MissingProviderToken ExpiredProviderToken PayloadTooLarge BadTopic TopicDisallowed
    TooManyRequests source provider repeated repeat-ended snoozed snooze-ended time times others
    untilWallMicroseconds repeat-limit over call-queued called call-failed call-ended answer attempts gave-up
    call-limit by-provider retracted UnknownApp responded action com.apple.UNNotificationDefaultActionIdentifier
    by-app selected handset-volume-zero
    """.split { $0.isWhitespace }.map(String.init)
}
