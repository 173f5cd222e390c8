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

  public init(category: String? = nil, actions: [NotificationAction]? = nil) {
    self.category = category
    self.actions = actions
  }

  /// True if it is within the limits: a start reads all of them into memory.
  public var isValid: Bool {
    (category?.utf8.count ?? 0) <= Policy.actionNameLimit && (actions?.count ?? 0) <= Policy.actionLimit
      && size <= Policy.actionBytesLimit + Policy.actionNameLimit
  }

  /// The approximate size in bytes.
  var size: Int { (category?.utf8.count ?? 0) + (actions?.reduce(0) { $0 + $1.size } ?? 0) }
}
