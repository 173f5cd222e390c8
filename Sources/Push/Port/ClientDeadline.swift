import Glibc
import NIOCore

/// A deadline that calls `act` once, unless cancelled. It is extended while bytes from the client wait to be read: this
/// machine causes that delay, not the client. Belongs to the event loop.
final class ClientDeadline: NIOScheduledCallbackHandler {
  private let interval: TimeAmount
  private let latest: NIODeadline
  private let connection: any Channel
  private let isExcused: () -> Bool
  private let act: (ClientDeadline) -> Void
  /// A callback has no promise, which would cost as much as the timer: some streams of each read have a deadline.
  private var timer: NIOScheduledCallback?
  /// The number of things that it is for: it is cancelled when each of them has cancelled it.
  var users = 1

  /// - Parameter isExcused: returns true if the client has more time, even if none of its bytes wait to be read.
  init(
    _ duration: Duration, on connection: any Channel, _ limits: PortLimits,
    isExcused: @escaping () -> Bool = { false }, act: @escaping (ClientDeadline) -> Void
  ) {
    let duration = TimeAmount(duration)
    interval = .nanoseconds(duration.nanoseconds / 4)
    latest = connection.eventLoop.now + max(duration, TimeAmount(limits.backlogDuration))
    self.connection = connection
    self.isExcused = isExcused
    self.act = act
    wait(duration)
  }

  func cancel() {
    users -= 1
    if users == 0 { exchange(&timer, with: nil)?.cancel() }
  }

  private func wait(_ duration: TimeAmount) {
    // Without an event loop there is no connection.
    timer = try? connection.eventLoop.assumeIsolated().scheduleCallback(in: duration, handler: self)
  }

  func handleScheduledCallback(eventLoop: some EventLoop) {
    timer = nil
    if eventLoop.now < latest && (connection.hasUnreadBytes || isExcused()) {
      wait(interval)
    } else {
      act(self)
    }
  }
}

extension Channel {
  /// True if the kernel holds unread bytes from the client. False if the channel is no socket.
  fileprivate var hasUnreadBytes: Bool {
    let found = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
      var byte: UInt8 = 0
      return recv(socket, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) > 0
    }
    return found ?? false
  }
}
