/// Every limit of the handset, by name. Each has a test that sends one more.
public enum Policy {
  /// The time for which a banner stays [HIG14: "disappears after a few seconds"].
  public static let bannerDuration: Duration = .seconds(5)

  /// Alerts in the queue. Beyond that the oldest leaves the queue and stays in Notification Center.
  public static let alertQueueLimit = 32

  /// The time for which the close button is held to clear Notification Center (rule D2).
  public static let longPressTime: Duration = .seconds(1)

  /// Notifications that Notification Center keeps of one app; the oldest go first.
  public static let centerLimitPerApp = 1_000

  /// Bytes that Notification Center keeps of one app, a third of all; the oldest go first.
  public static let centerSizeLimitPerApp = centerSizeLimit / 3

  /// Notifications that Notification Center keeps of all apps; the oldest go first.
  public static let centerLimit = 50_000

  /// Bytes that Notification Center keeps in words and payloads, each notification's `NotificationContent.overhead`
  /// included; the oldest go first.
  public static let centerSizeLimit = 96 * 1024 * 1024

  /// The time for which pushes to the token of an app that is gone are answered 410, not as unknown (rule R3).
  public static let goneTokenLifetime: Duration = .seconds(30 * 24 * 3600)

  /// Tokens remembered as gone; the oldest are forgotten first.
  public static let goneTokenLimit = 10_000

  /// Publishing nodes of one app that can be published through.
  public static let nodeLimitPerApp = 16

  /// Bytes of a publishing node's name.
  public static let nodeNameLimit = 64

  /// Publishing nodes remembered as gone, as long as tokens are; the oldest are forgotten first.
  public static let goneNodeLimit = 10_000

  public static let appLimit = 10_000

  /// Bytes of an app's bundle identifier.
  public static let appIDLimit = 255

  /// Bytes of an app's name.
  public static let appNameLimit = 100

  public static let appSoundLimit = 64

  /// Strings for localised messages of one app, and the bytes of them together.
  public static let appStringLimit = 2_000
  public static let appStringBytesLimit = 256 * 1024

  /// Arguments that a localised message may take; more are ignored.
  public static let localizationArgumentLimit = 32

  /// Bytes of a title, a subtitle, a body and an action's title in the app's own strings; longer texts are cut.
  public static let resolvedTextLimit = 4_096

  /// Characters of a message, as a reader counts them, that fit into a banner and a row of Notification Center
  /// [HIG14: Notification Center can display more of a message than a banner can].
  public static let bannerCharacters = 80
  public static let centerCharacters = 160

  /// Bytes of a broadcast channel's identifier.
  public static let channelIDLimit = 64

  /// Bytes of `apns-collapse-id` [APNs].
  public static let collapseIDLimit = 64

  /// Live Activities of one app, and of all: a further one does not start (rule LA1).
  public static let activityLimitPerApp = 5
  public static let activityLimit = 50

  /// Bytes of a Live Activity's state as JSON, and of its attributes [APNs].
  public static let activityContentLimit = 4_096

  /// Bytes of the name of an activity's attributes, and of a path in its state that a manifest names.
  public static let activityNameLimit = 128

  /// The longest time that a Live Activity is active, and the longest that it is shown after its end (rule LA5).
  public static let activityLifetime: Duration = .seconds(8 * 3600)
  public static let activityAfterEnd: Duration = .seconds(4 * 3600)

  /// Updates of priority 10 that an activity shows in one window, and with the setting `frequent-updates` (rule LA6).
  /// Apple gives no numbers.
  public static let activityBudget = 15
  public static let activityBudgetFrequent = 120
  public static let activityBudgetWindow: Duration = .seconds(3600)

  /// A countdown's number below this is seconds, from it on a time since 1970 (rule LA9).
  static let countdownSecondsLimit: Int64 = 1_000_000_000

  /// Local notifications pending of one app; the soonest are kept (rule L2).
  public static let localPendingLimit = 64

  /// Bytes of a local notification's identifier, which is also its collapse identifier.
  public static let localIdentifierLimit = collapseIDLimit

  /// Bytes of a local notification's words, and of its payload: as many as a push may have.
  public static let localNotificationBytesLimit = 4_096

  /// The shortest interval at which a local notification may repeat (rule L1).
  public static let localRepeatMinimum: Duration = .seconds(60)

  /// The longest interval of a local notification.
  public static let localIntervalLimit: Duration = .seconds(10 * 366 * 24 * 3600)

  /// The difference from the uptime clock from which on the wall clock counts as set. A smaller difference is a clock
  /// that is adjusted slowly.
  public static let wallClockStep: Duration = .seconds(1)

  /// The span that is searched for the last of several missed times; setting the clock back repeats none of them.
  static let missedTimeSpan: Duration = .seconds(32 * 24 * 3600)

  /// The largest offset from UTC, in seconds, exclusive.
  public static let timeZoneOffsetLimit = 26 * 3600

  /// Transitions of a time zone: two a year for 1,000 years.
  public static let timeZoneTransitionLimit = 2_000

  /// Events that the journal keeps; the oldest of the app that has most go first. Refusals are kept apart, so that they
  /// do not displace other events; the oldest of the provider that has most go first.
  public static let eventLimit = 100_000
  public static let refusedEventLimit = 10_000

  /// Bytes that an event quotes of outside text.
  public static let eventQuoteLimit = 120

  /// Bytes of the reason why an app could not be run, which names the program.
  public static let eventReasonLimit = 512

  /// Background deliveries of one app in any window of `deliveryWindow` (rule U7) [BG].
  public static let deliveryBudget = 3
  public static let deliveryWindow: Duration = .seconds(3600)

  /// The time that a listening app has to complete a push that it was given (rule U8) [BG].
  public static let completionTime: Duration = .seconds(30)

  /// The time that an app has to complete a call: a push of type `voip` or `pushtotalk` (rule T2) [PushKit: an app
  /// that does not report a call is terminated].
  public static let callTime: Duration = .seconds(5)

  /// Calls in a row that an app may leave unanswered; then it gets no more until the person opens it (rule T2) [PushKit:
  /// repeated failures may end the delivery of VoIP pushes].
  public static let unansweredCalls = 3

  /// Pushes of type `complication` that reach an app in a day [PushKit], and of each of the types `widgets` and
  /// `controls` [WidgetKit: 40 to 70 a day], while it is not in the foreground (rule T3).
  public static let complicationBudget = 50
  public static let reloadBudget = 40

  /// A day of these, which begins with its first push.
  public static let pushTypeDay: Duration = .seconds(24 * 3600)

  /// The time that a service extension has for a push [APNs], and the pushes of an app that may wait for it; further
  /// ones are presented as they were sent (rule X1).
  public static let extensionTime: Duration = .seconds(30)
  public static let extendingLimitPerApp = 8

  /// Offers of a push that is not completed: the second one only after a restart.
  public static let offerAttempts = 2

  /// Pushes that an app was given and has not completed; the oldest are discarded first.
  public static let offerLimitPerApp = 32

  /// 2025-01-01T00:00:00Z, before the first release: a wall clock that shows an earlier time has not been set.
  public static let earliestWallTime = WallTime(seconds: 1_735_689_600)

  /// The longest plausible time for which a board was off, by its wall clock.
  public static let plausibleOffTime: Duration = .seconds(365 * 24 * 3600)

  /// The range of the fetch interval (rule S3).
  public static let fetchIntervals: ClosedRange<Duration> = .seconds(60)...(.seconds(24 * 3600))

  /// The ranges of the interval at which a notification sounds again, and of the number of times (rule N11).
  public static let repeatIntervals: ClosedRange<Duration> = .seconds(10)...(.seconds(3600))
  public static let repeatTimes = 1...100

  /// The shortest time between two notifications that sound again, whatever their intervals.
  public static let repeatGap: Duration = .seconds(10)

  /// Notifications that sound again, of one app and of all; above it the least urgent stop, the oldest of them first.
  public static let repeatLimitPerApp = 8
  public static let repeatLimit = 64

  /// The range of a snooze (rule N12).
  public static let snoozeTimes: ClosedRange<Duration> = .seconds(60)...(.seconds(24 * 3600))

  /// Calls that wait, of one app and of all; above it the oldest call of the app that has most goes (rule N13).
  public static let callLimitPerApp = 100
  public static let callLimit = 1_000

  /// Bytes of a call's address, of all its header fields and of its body, and the number of its fields.
  public static let callURLLimit = 2_048
  public static let callBytesLimit = 4_096
  public static let callHeaderLimit = 16

  /// Categories of one app; the actions of a category, or of a push; the bytes of a name of one of them, and of all
  /// actions that come with a push (rule N15). A notification keeps those in memory.
  public static let categoryLimit = 32
  public static let actionLimit = 10
  public static let actionNameLimit = 64
  public static let actionBytesLimit = 2_048

  /// The most bytes of a notification's `target-content-id`, which is kept in memory with it.
  public static let targetContentIDLimit = 1_024

  /// Launch images of one app, and bytes of the name of one.
  public static let launchImageLimit = 32
  public static let launchImageNameLimit = 64

  /// The time for which View waits for another press before the selected action is done (rule N15).
  public static let selectionTime: Duration = .seconds(2)

  /// Bytes of a text that the person writes for an action.
  public static let responseTextLimit = 4_096

  /// Times of the scheduled summary (rule Q2).
  public static let summaryTimesLimit = 12

  /// Deferred pushes of one app and of all, and the bytes of all; above it the oldest of the app, or of the app that has
  /// most, is discarded (rules Q1, Q2).
  public static let deferredLimitPerApp = 32
  public static let deferredLimit = 512
  public static let deferredSizeLimit = 4 * 1024 * 1024

  /// Focus modes, the bytes of a mode's name, the apps that it allows and filters, the criteria for each, and the bytes
  /// of one and of a push's `filter-criteria` (rule Q3).
  public static let focusModeLimit = 16
  public static let focusNameLimit = 32
  public static let focusAppLimit = 64
  public static let focusCriteriaLimit = 16
  public static let filterCriteriaLimit = 256

  /// The newest unseen notifications of each level among which the lamp finds one that a Focus mode lets pass, of
  /// whatever app. Those of the apps that it allows are all looked at.
  static let focusLampSearch = 64

  /// The time for which a push is remembered, to recognise the same push (rule P1).
  public static let duplicateWindow: Duration = .seconds(3600)

  /// Pushes that are remembered; above it the oldest of the app that has most are forgotten first.
  public static let recentPushLimit = 10_000

  /// The most remembered pushes that are forgotten when a push arrives.
  static let recentPushesForgottenAtOnce = 2

  /// Pushes with the same identifier that are remembered; the oldest are forgotten first.
  public static let recentPushLimitPerID = 32

  /// The time for which a push without `apns-expiration` is kept.
  public static let defaultExpiration: Duration = .seconds(30 * 24 * 3600)
}
