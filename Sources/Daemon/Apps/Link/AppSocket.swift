import Glibc
import HandsetCore
import SystemThreads
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
  private let report: (Input, AppAddress) -> Void

  init(
    file: ListeningUnixSocket, handsets: HandsetNames, limits: AppLinkLimits, log: @escaping (String) -> Void,
    report: @escaping (Input, AppAddress) -> Void
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
          log("apps' socket: no connection can be accepted for a while: \(SystemError.last.reason)")
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
      case .input(let input, let app): report(input, app)
      }
    }
  }

  private func end(_ id: ConnectionID) {
    if let connection = connections.removeValue(forKey: id) { Glibc.close(connection.descriptor) }
  }

  typealias ConnectionID = UInt64

  struct StateMachine {
    enum Action: Equatable {
      case send(ConnectionID, [UInt8])
      /// Close after the earlier lines were sent, as far as the kernel accepts them at once.
      case close(ConnectionID)
      case input(Input, AppAddress)
      case log(String)
    }

    private struct Connection {
      /// The app; nil before its hello.
      var app: AppAddress?
      var line: [UInt8] = []
      /// The bytes sent and not yet accepted by the kernel.
      var unread = 0
      var helloUntil: Duration
    }

    private let handsets: HandsetNames
    private let limits: AppLinkLimits
    private var connections: [ConnectionID: Connection] = [:]
    private var listeners: [AppAddress: ConnectionID] = [:]
    /// The pushes that listening apps have not completed, oldest first.
    private var offers: [AppAddress: [(push: PushID, line: [UInt8])]] = [:]

    init(handsets: HandsetNames, limits: AppLinkLimits) {
      self.handsets = handsets
      self.limits = limits
    }

    func isListening(_ app: AppAddress) -> Bool { listeners[app] != nil }

    var deadline: Duration? {
      connections.values.lazy.filter { $0.app == nil }.map(\.helloUntil).min()
    }

    // MARK: From the sockets

    mutating func opened(_ id: ConnectionID, at now: Duration) -> [Action] {
      guard connections.count < limits.connections else {
        let message = "there are \(limits.connections) connections of apps, which is the most there can be"
        return [.send(id, PushLine.error(message)), .close(id), .log("apps' socket: \(message)")]
      }
      connections[id] = Connection(helloUntil: now + limits.hello)
      return []
    }

    mutating func received(
      _ bytes: ArraySlice<UInt8>, from id: ConnectionID, isInstalled: (AppAddress) -> Bool
    ) -> [Action] {
      var actions: [Action] = []
      var rest = bytes
      while let connection = connections[id], !rest.isEmpty {
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        let piece = rest[..<(end ?? rest.endIndex)]
        guard connection.line.count + piece.count <= limits.lineBytes else {
          return actions + refuse(id, "the line is longer than \(limits.lineBytes) bytes")
        }
        connections[id]?.line += piece
        guard let end else { break }
        rest = rest[(end + 1)...]
        let line = connections[id]?.line ?? []
        connections[id]?.line = []
        actions += handle(line, id, isInstalled)
      }
      return actions
    }

    mutating func taken(_ count: Int, by id: ConnectionID) {
      connections[id]?.unread -= count
    }

    mutating func closed(_ id: ConnectionID) -> [Action] {
      guard let app = connections[id]?.app else {
        connections[id] = nil
        return []
      }
      forget(id)
      offers[app] = nil
      return [.input(.disconnected(app.app), app)]
    }

    mutating func timePassed(at now: Duration) -> [Action] {
      let silent = connections.filter { $0.value.app == nil && $0.value.helloUntil <= now }.keys.sorted()
      return silent.flatMap { refuse($0, "no hello in time: expected \(AppLine.forms)") }
    }

    // MARK: From the daemon

    mutating func deliver(_ push: PushID, _ line: [UInt8], to app: AppAddress) -> [Action] {
      guard let id = listeners[app] else { return [] }
      var own = offers[app, default: []]
      own.removeAll { $0.push == push }
      own.append((push, line))
      if own.count > limits.uncompletedPushes { own.removeFirst() }
      offers[app] = own
      return send(line, to: id)
    }

    /// Sends a line that needs no answer to an app that listens.
    mutating func emit(_ line: [UInt8], to app: AppAddress) -> [Action] {
      listeners[app].map { send(line, to: $0) } ?? []
    }

    mutating func stop(_ app: AppAddress) -> [Action] {
      offers[app] = nil
      guard let id = listeners[app] else { return [] }
      forget(id)
      return [.send(id, PushLine.stopped), .close(id)]
    }

    // MARK: Lines

    private mutating func handle(
      _ line: [UInt8], _ id: ConnectionID, _ isInstalled: (AppAddress) -> Bool
    ) -> [Action] {
      do throws(AppLine.Fault) {
        switch (try AppLine(line), connections[id]?.app) {
        case (.hello(let app, let state, let name), nil):
          guard let handset = name.map({ handsets.handset(named: $0) }) ?? handsets.board else {
            return refuse(id, "no handset is named '\(name ?? "")': 'handsets' in the settings file names them")
          }
          let address = AppAddress(app, on: handset)
          guard isInstalled(address) else {
            let place = name.map { " on handset '\($0)'" } ?? ""
            return refuse(id, "no app '\(app)' is installed\(place): deskbell app list shows those that are")
          }
          return greet(address, state, id)
        case (.hello, _?): return refuse(id, "there was a hello before on this connection")
        case (_, nil): return refuse(id, #"the first line has to be {"hello":{"app":ID,"state":STATE}}"#)
        case (.input(let input), let app?): return [.input(input(app.app), app)]
        case (.completed(let push, let result), let app?):
          guard let index = offers[app]?.firstIndex(where: { $0.push == push }) else {
            return send(PushLine.error("push \(push) is not open: completed before, or not this app's"), to: id)
          }
          offers[app]?.remove(at: index)
          return [.input(.completed(app.app, push, result), app)]
        }
      } catch {
        return error.isHarmless ? send(PushLine.error(error.message), to: id) : refuse(id, error.message)
      }
    }

    private mutating func greet(_ app: AppAddress, _ state: Lifecycle, _ id: ConnectionID) -> [Action] {
      var actions: [Action] = []
      if let older = listeners[app] {
        forget(older)
        actions += [.send(older, PushLine.error("replaced by a newer connection of \(app.app)")), .close(older)]
      }
      listeners[app] = id
      connections[id]?.app = app
      actions.append(.input(.listening(app.app, state), app))
      // The older connection may never have read the pushes that it has not completed.
      for offer in offers[app] ?? [] { actions += send(offer.line, to: id) }
      return actions
    }

    private mutating func refuse(_ id: ConnectionID, _ message: String) -> [Action] {
      [.send(id, PushLine.error(message)), .close(id)] + closed(id) + [.log("apps' socket: \(message)")]
    }

    private mutating func send(_ line: [UInt8], to id: ConnectionID) -> [Action] {
      guard let unread = connections[id]?.unread else { return [] }
      guard unread + line.count <= limits.unreadBytes else {
        let name = connections[id]?.app.map(handsets.label) ?? "a connection"
        return [.close(id)] + closed(id)
          + [.log("apps' socket: \(name) does not read: more than \(limits.unreadBytes) bytes wait for it")]
      }
      connections[id]?.unread = unread + line.count
      return [.send(id, line)]
    }

    private mutating func forget(_ id: ConnectionID) {
      if let app = connections[id]?.app { listeners[app] = nil }
      connections[id] = nil
    }
  }
}
