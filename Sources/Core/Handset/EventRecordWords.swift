// The texts that events often have, each stored as its place in this list: one byte for the first, two for the others.
// A text that is not in the list is stored as it is.

enum RecordWords {
  /// The first place whose word takes two bytes; the first of them is this or more.
  static let oneByte = 0xC0
  /// A first byte of this or more begins a text. The difference is its length in bytes, or, if the byte is 255, the
  /// number that follows is.
  static let text = 0xE0
  static let shortText = 30

  static let places = Dictionary(uniqueKeysWithValues: zip(all, 0...))

  /// The places by raw value: a push has some fifteen rulings, whose codes must not be looked up one by one.
  static let rulings = Ruling.allCases.map { places[$0.code] }

  /// The reasons by event and code.
  static let reasons = Dictionary(
    uniqueKeysWithValues: EventReason.table.map { event, reasons in
      (event.rawValue, Dictionary(uniqueKeysWithValues: reasons.map { ($0.code, $0) }))
    })

  /// The words. New ones are only added at the end.
  static let all =
    """
    accepted badge presented not-presented lamp display sound-started sound-ended refused held discarded delivered
    completed type number style listed sound reason status detail lit text name path problem state key value after
    kinds node condition on button press count replacedBy attempt result identifier dueWallMicroseconds overflow
    device vibration silenced replaces alert background banner none default finished R4.good R4.unknown R4.another
    R4.gone R4.expired R1.node R1.no-node R1.gone-node P1.reused L1.due F1.online F1.kept F1.replaced F1.once
    R1.registered R1.pending R2.unregistered U2.person U2.both U2.update U2.empty U3.quiet B4.absent B1.set B2.bad
    B3.cleared N2.badge S4.hidden B5.another S2.on S2.off S1.allowed S1.not-allowed S6.registered S6.badge S6.sound
    S6.alert S1.badge-off S1.sound-off S1.alert-off S1.style-none S1.not-listed N1.system N2.foreground N2.asked
    N2.sound N2.alert N8.replaced S1.listed N3.banner N3.alert N7.over D1.lit D1.another A1.none N9.passive
    N9.critical S1.critical-off N9.volume-zero S5.silent S5.quiet-hours N9.time-sensitive S1.time-sensitive-off
    S5.audible S1.volume-zero A1.own A1.default A1.missing D3.vibrates S1.vibration-off U1.mode U1.no-mode
    U5.force-quit U4.replaced U7.free U7.spent U7.low-power S3.interval S3.manual U8.not-connected U10.at-once
    N2.given N2.not-listening started installed uninstalled registered unregistered node-created node-deleted
    lifecycle setting ignored duplicate reused-id bad-badge answered seen alert-dropped cleared kept arrived timed-out
    time-zone foreground-presentation scheduled unscheduled due device-lost device-back unreadable off notRunning
    foreground forceQuit offline low-power locked silent newData noData failed close view short long daemon board
    replaced stopped voip complication location fileprovider mdm liveactivity pushtotalk widgets controls double
    handset-off app-not-allowed not-registered-for switched-off nothing-to-show passive silent-switch quiet-hours
    volume-zero critical-volume-zero cancelled pending-limit badge-zero opened by-person not-allowed center-full
    alert-limit budget fetch-interval fetch-manual not-connected replaced-offline not-registered no-background-mode
    killed force-quit is-force-quit died disconnected offered-twice too-many-offered no-receiver not-listening expired
    expired-offline not-kept came-again id-in-use not-completed BadDeviceToken DeviceTokenNotForTopic Unregistered
    ExpiredToken InvalidProviderToken MissingProviderToken ExpiredProviderToken PayloadTooLarge BadTopic
    TopicDisallowed TooManyRequests source provider repeated repeat-ended snoozed snooze-ended time times others
    untilWallMicroseconds repeat-limit over N11.repeats N11.off N12.snoozed call-queued called
    call-failed call-ended answer attempts gave-up call-limit by-provider retracted UnknownApp R1.key R1.no-app
    responded action com.apple.UNNotificationDefaultActionIdentifier N15.actions N15.unknown N16.runs N16.force-quit D1.tag
    by-app selected A1.shipped A6.chosen B5.unseen S1.handset-volume-zero handset-volume-zero
    """.split { $0.isWhitespace }.map(String.init)
}
