// The socket at which apps listen for their pushes, on the link's thread: descriptors and bytes. The state machine
// interprets the bytes.

import Glibc
import HandsetCore
import UnixSockets

/// The listening socket and all connections. Owns their descriptors until `close`.
final class AppSocket {
  private static let turnBytes = 16 * 1024
  /// The pause in accepting connections after the machine had no descriptor left.
  private static let rest = Duration.seconds(1)

  private struct Connection {
    var descriptor: CInt
    var unwritten: [UInt8] = []
  }

  private let file: ListeningUnixSocket
  private var machine: StateMachine
  private var connections: [ConnectionID: Connection] = [:]
  private var nextID: ConnectionID = 1
  private var restsUntil: Duration?
  private let log: (String) -> Void
  private let report: (AppEvent) -> Void

  init(
    file: ListeningUnixSocket, handsets: HandsetNames, limits: AppLinkLimits, log: @escaping (String) -> Void,
    report: @escaping (AppEvent) -> Void
  ) {
    self.file = file
    machine = StateMachine(handsets: handsets, limits: limits)
    self.log = log
    self.report = report
  }

  var deadline: Duration? { [machine.deadline, restsUntil].compactMap(\.self).min() }

  var interests: [pollfd] {
    var interests: [pollfd] = []
    if restsUntil == nil { interests.append(pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0)) }
    for connection in connections.values {
      let events = connection.unwritten.isEmpty ? POLLIN : POLLIN | POLLOUT
      interests.append(pollfd(fd: connection.descriptor, events: Int16(events), revents: 0))
    }
    return interests
  }

  func isListening(_ app: AppAddress) -> Bool { machine.isListening(app) }

  func deliver(_ push: PushID, _ line: [UInt8], to app: AppAddress) { perform(machine.deliver(push, line, to: app)) }
  func emit(_ line: [UInt8], to app: AppAddress) { perform(machine.emit(line, to: app)) }
  func stop(_ app: AppAddress) { perform(machine.stop(app)) }

  func timePassed(at now: Duration) {
    if let until = restsUntil, now >= until { restsUntil = nil }
    perform(machine.timePassed(at: now))
  }

  /// Handles a ready descriptor of `interests`.
  func ready(_ descriptor: CInt, at now: Duration, isInstalled: (AppAddress) -> Bool) {
    if descriptor == file.descriptor { return accept(at: now) }
    guard let id = connections.first(where: { $0.value.descriptor == descriptor })?.key else { return }
    write(id)
    read(id, isInstalled)
  }

  func close() {
    for connection in connections.values { Glibc.close(connection.descriptor) }
    connections = [:]
    file.close()
  }

  private func accept(at now: Duration) {
    while true {
      let descriptor = Glibc.accept(file.descriptor, nil, nil)
      guard descriptor >= 0 else {
        switch errno {
        case EINTR, ECONNABORTED: continue
        case EAGAIN: return
        default:
          log("apps' socket: no connection can be accepted for a while: \(errorText(errno))")
          restsUntil = now + AppSocket.rest
          return
        }
      }
      // Programs are started on this thread, so none can inherit the descriptor in between.
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      let id = nextID
      nextID += 1
      connections[id] = Connection(descriptor: descriptor)
      perform(machine.opened(id, at: now))
    }
  }

  private func read(_ id: ConnectionID, _ isInstalled: (AppAddress) -> Bool) {
    guard let descriptor = connections[id]?.descriptor else { return }
    var bytes = [UInt8](repeating: 0, count: AppSocket.turnBytes)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count > 0 {
      perform(machine.received(bytes[..<count], from: id, isInstalled: isInstalled))
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      end(id)
      perform(machine.closed(id))
    }
  }

  private func write(_ id: ConnectionID) {
    guard let connection = connections[id], !connection.unwritten.isEmpty else { return }
    let count = connection.unwritten.withUnsafeBytes {
      send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    // A broken connection is detected when it is read.
    guard count > 0 else { return }
    connections[id]?.unwritten.removeFirst(count)
    machine.taken(count, by: id)
  }

  private func perform(_ actions: [StateMachine.Action]) {
    for action in actions {
      switch action {
      case .send(let id, let line):
        connections[id]?.unwritten += line
        write(id)
      case .close(let id): end(id)
      case .log(let message): log(message)
      case .event(let event): report(event)
      }
    }
  }

  private func end(_ id: ConnectionID) {
    if let connection = connections.removeValue(forKey: id) { Glibc.close(connection.descriptor) }
  }
}
