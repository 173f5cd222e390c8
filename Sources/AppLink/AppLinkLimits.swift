// Every limit of the link in one place: apps are other people's programs, and none may bring the daemon down.

import UnixSockets

/// What an app may take of the machine and of the daemon.
public struct AppLinkLimits: Hashable, Sendable {
  /// Real time from a delivery's start to its result (rule U8) [BG].
  public var delivery = Duration.seconds(30)
  /// Between SIGTERM and SIGKILL.
  public var grace = Duration.seconds(2)
  /// Between a connection and its `hello`.
  public var hello = Duration.seconds(10)

  /// Background hooks that run at a time; others wait. One that takes its time does not count.
  public var backgroundHooks = 4
  /// Beside these, hooks that take their time: they keep each other waiting, and nobody else.
  public var slowHooks = 4
  /// How long a hook runs until it, and the next of its app, counts as one that takes its time.
  public var hookPatience = Duration.milliseconds(500)
  /// Launch hooks that run at a time: apps that are open. Others wait.
  public var launchHooks = 16
  /// Deliveries of one app that wait for its hook, or for the connection of an app just launched; the newest stay.
  public var waitingDeliveries = 8

  /// Bytes of a line of a hook's output, without its line feed. A longer one is cut, and is no result.
  public var outputLineBytes = 256
  /// Bytes of each stream of a hook's output that are kept; more is read and dropped except for the last line.
  public var outputBytes = 64 * 1024
  /// Lines of a hook's standard error that go to the log.
  public var errorLines = 8

  /// Connections of apps at a time.
  public var connections = 64
  /// Bytes of a line that an app sends, without its line feed.
  public var lineBytes = 4 * 1024
  /// Bytes that wait for an app that does not read. One more closes its connection.
  public var unreadBytes = 256 * 1024
  /// Pushes that a listening app has not completed and that are kept for its next connection; the newest stay.
  public var uncompletedPushes = 16
  /// Notifications that an app gets when it asks what is delivered; the newest.
  public var deliveredNotifications = 50
  /// Bytes of a payload; a larger one is not given to an app.
  public var payloadBytes = 64 * 1024

  /// Words of a hook's command.
  public static let commandWords = 32
  /// Bytes of one word of it.
  public static let commandWordBytes = 1_024
  /// Bytes of the path of a Unix socket: the kernel's limit.
  public static let socketPathBytes = UnixAddress.pathBytes

  public init() {}
}
