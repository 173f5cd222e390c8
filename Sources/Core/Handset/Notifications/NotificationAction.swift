/// An action of a notification, beside opening and dismissing it, which is in the app's manifest, as a category, or
/// comes with the push (rule N15) [UNNotificationAction].
public struct NotificationAction: Hashable, Sendable, Codable {
  /// A text that the person writes [UNTextInputNotificationAction].
  public struct TextInput: Hashable, Sendable, Codable {
    public var button: String
    /// The text that is shown while nothing is written.
    public var placeholder: String?

    public init(button: String, placeholder: String? = nil) {
      self.button = button
      self.placeholder = placeholder
    }
  }

  /// 1 to `Policy.actionNameLimit` bytes.
  public var id: String
  public var title: String
  /// True if it opens the app. Otherwise the app gets it in the background.
  @WrittenWhereTrue public var opensApp = false
  /// True if it destroys something, which the panel shows.
  @WrittenWhereTrue public var isDestructive = false
  @WrittenWhereTrue public var needsUnlock = false
  public var textInput: TextInput?
  /// True if its notification stays in Notification Center.
  @WrittenWhereTrue public var keepsNotification = false
  /// A request that it makes instead of informing the app.
  public var call: WebCall?
  public var url: String?

  public init(id: String, title: String, opensApp: Bool = false, textInput: TextInput? = nil, call: WebCall? = nil) {
    self.id = id
    self.title = title
    self.opensApp = opensApp
    self.textInput = textInput
    self.call = call
  }

  /// The approximate size of all its texts, in bytes.
  public var size: Int {
    let input = (textInput?.button.utf8.count ?? 0) + (textInput?.placeholder?.utf8.count ?? 0)
    let headers = call?.headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } ?? 0
    return id.utf8.count + title.utf8.count + input + headers + (call?.url.utf8.count ?? 0)
      + (call?.body.count ?? 0) + (url?.utf8.count ?? 0)
  }
}

/// Actions under a name that an app's manifest defines [UNNotificationCategory].
public struct NotificationCategory: Hashable, Sendable, Codable {
  /// 1 to `Policy.actionNameLimit` bytes.
  public var id: String
  /// At most `Policy.actionLimit`, in the order to show them.
  public var actions: [NotificationAction]

  public init(id: String, actions: [NotificationAction]) {
    self.id = id
    self.actions = actions
  }
}

/// The optional parts that few notifications have.
public struct NotificationOptions: Hashable, Sendable, Codable {
  /// One of the app's categories, which gives it its actions [APNs, `category`].
  public var category: String?
  /// Actions of its own: at most `Policy.actionLimit` and `Policy.actionBytesLimit` bytes.
  public var actions: [NotificationAction]?
  /// The lamp's pattern that one of the push's tags names (rule D1).
  public var lamp: LampPattern?
  /// The content of the app that it is about, which the app gets when it is opened [APNs, `target-content-id`]: at most
  /// `Policy.targetContentIDLimit` bytes.
  public var targetContentID: String?
  /// True if it is a local notification, which needs no registration (rule L4).
  @WrittenWhereTrue public var isLocal = false
  /// The picture of the app's bundle, without extension, that shows while the notification opens the app
  /// [APNs, `launch-image`]: 1 to `Policy.launchImageNameLimit` bytes.
  public var launchImage: String?
  /// Its place in the scheduled summary: the highest is on top; 0 to 1 [APNs, `relevance-score`].
  public var relevance: Double?
  /// The words by which a Focus mode filters its app's notifications [APNs, `filter-criteria`].
  public var filterCriteria: String?

  public init(category: String? = nil, actions: [NotificationAction]? = nil) {
    self.category = category
    self.actions = actions
  }

  /// True if it is within the limits: a start reads all of them into memory.
  public var isValid: Bool {
    (category?.utf8.count ?? 0) <= Policy.actionNameLimit
      && (filterCriteria?.utf8.count ?? 0) <= Policy.filterCriteriaLimit && (actions?.count ?? 0) <= Policy.actionLimit
      && (targetContentID?.utf8.count ?? 0) <= Policy.targetContentIDLimit
      && (launchImage?.utf8.count ?? 0) <= Policy.launchImageNameLimit
      && (category?.utf8.count ?? 0) + actionBytes <= Policy.actionBytesLimit + Policy.actionNameLimit
  }

  private var actionBytes: Int { actions?.reduce(0) { $0 + $1.size } ?? 0 }

  /// The approximate size in bytes. A sum in one expression takes Swift 6.2 too long to type-check.
  var size: Int {
    var size = actionBytes
    size += category?.utf8.count ?? 0
    size += targetContentID?.utf8.count ?? 0
    size += launchImage?.utf8.count ?? 0
    size += filterCriteria?.utf8.count ?? 0
    return size
  }
}
