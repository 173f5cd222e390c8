import HandsetCore
import UnixSockets

/// The limits of an app's use of the machine and the daemon.
public struct AppLinkLimits: Hashable, Sendable {
  /// The real time from a delivery's start to its result (rule U8) [BG].
  public var delivery = Policy.completionTime
  /// The time between SIGTERM and SIGKILL.
  public var grace = Duration.seconds(2)
  /// The time between a connection and its `hello`.
  public var hello = Duration.seconds(10)

  /// The background programs that run at a time, without slow ones; others wait.
  public var backgroundPrograms = 4
  /// The slow programs that run in addition, so that they delay only each other.
  public var slowPrograms = 4
  /// The run time after which a program, and the next of its app, counts as slow.
  public var programPatience = Duration.milliseconds(500)
  /// The launch programs that run at a time: apps that are open. Others wait.
  public var launchPrograms = 16
  /// The deliveries of an app that wait for its program, or for the connection of an app just launched; the newest.
  public var waitingDeliveries = 8

  /// The bytes of a line of a program's output, without its line feed. A longer one is cut, and is no result.
  public var outputLineBytes = 256
  /// The bytes of each output stream of a program that are kept; more is read and dropped, except for the last line.
  public var outputBytes = 64 * 1024
  /// The lines of a program's standard error that go to the log.
  public var errorLines = 8

  /// The connections of apps at a time.
  public var connections = 64
  /// The bytes of a line that an app sends, without its line feed.
  public var lineBytes = 4 * 1024
  /// The bytes that wait for an app that does not read. One more closes its connection.
  public var unreadBytes = 256 * 1024
  /// The uncompleted pushes of a listening app that are kept for its next connection; the newest are kept.
  public var uncompletedPushes = 16
  /// The delivered notifications that are sent to an app on request; the newest.
  public var deliveredNotifications = 50
  /// The bytes of a payload; a larger one is not delivered to an app.
  public var payloadBytes = 64 * 1024

  /// The real time of a service extension for a push (rule X1) [APNs], and the bytes of the line that it answers: those of
  /// a payload.
  public var extensionTime = Policy.extensionTime
  public var extensionLineBytes = 4 * 1024

  public static let commandWords = 32
  public static let commandWordBytes = 1_024
  /// The bytes of the path of a Unix socket: the kernel's limit.
  public static let socketPathBytes = UnixAddress.pathBytes

  public init() {}
}
