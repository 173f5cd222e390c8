import FoundationEssentials
import Glibc
import HandsetCore
import Testing

@testable import AppLink
@testable import UnixSockets

@Suite(.timeLimit(.minutes(10))) struct AppSocketTests {
  @Test("An app says hello, receives its pushes and completes them")
  func conversation() async throws {
    let rig = try LinkRig()
    let app = try await rig.listener()
    rig.deliver(1, payload: "{\n\"aps\": {\"content-available\": 1}}", attempt: 2)
    #expect(app.line() == delivery(1, attempt: 2, payload: #"{ "aps": {"content-available": 1}}"#))
    app.write(#"{"completed":"\#(push(1))","result":"noData"}"# + "\n" + #"{"state":"foreground"}"# + "\n")
    await rig.recorder.wait(for: .listening(mail, .foreground))
    #expect(
      rig.recorder.events == [
        .listening(mail, .background), .completed(mail, push(1), .noData), .listening(mail, .foreground),
      ])
    await rig.tearDown()
    #expect(app.line() == nil)
  }

  @Test("U5: the end of a connection is reported unless the daemon ended it")
  func ends() async throws {
    let rig = try LinkRig()
    rig.install(news)
    do { _ = try rig.connect() }
    await rig.recorder.wait(for: .disconnected(mail))
    let other = try await rig.listener(news)
    rig.link.launch(news)
    #expect(other.line() == #"{"state":"foreground"}"#)
    rig.link.stop(news)
    #expect(other.line() == #"{"stopped":true}"#)
    #expect(other.line() == nil)
    #expect(
      rig.recorder.events == [.listening(mail, .background), .disconnected(mail), .listening(news, .background)])
  }

  @Test("The socket is for the daemon's user alone")
  func mode() async throws {
    let rig = try LinkRig()
    var status = stat()
    #expect(lstat(rig.socket, &status) == 0)
    #expect(status.st_mode == S_IFSOCK | 0o600)
  }

  @Test("A newer connection of an app replaces the older one and receives the uncompleted pushes again")
  func replaced() async throws {
    let rig = try LinkRig()
    let older = try await rig.listener()
    rig.deliver(1)
    rig.deliver(2)
    #expect(older.line() == delivery(1))
    await rig.complete(1, on: older, .newData)
    let newer = try rig.connect(mail, .foreground)
    #expect(newer.line() == delivery(2))
    #expect(older.line() == delivery(2))
    #expect(older.line() == #"{"error":"replaced by a newer connection of com.example.mail"}"#)
    #expect(older.line() == nil)
    await rig.complete(2, on: newer, .failed)
    #expect(!rig.recorder.events.contains(.disconnected(mail)))
  }

  @Test("An app that was launched receives its pushes when it connects")
  func launchedAndConnects() async throws {
    let rig = try LinkRig(launch: "read x < gate") { $0.waitingDeliveries = 2 }
    rig.deliver(1)
    await rig.recorder.wait(for: .failed(mail, push(1), "has no background program and does not listen"))
    #expect(rig.recorder.log == ["com.example.mail: has no background program and does not listen"])
    rig.link.launch(mail)
    for number in 2...4 as ClosedRange<UInt64> { rig.deliver(number) }
    await rig.recorder.wait(
      for: .failed(mail, push(2), "has more than 2 deliveries waiting: the oldest is dropped"))
    let app = try rig.connect(mail, .foreground)
    #expect(app.line() == delivery(3))
    #expect(app.line() == delivery(4))
    #expect(rig.recorder.events.last == .listening(mail, .foreground))
  }

  @Test("U8: once it is connected, the handset measures the time of the waiting pushes")
  func connectsAndSaysNothing() async throws {
    let rig = try LinkRig(launch: "read x < gate") { $0.delivery = .milliseconds(1_500) }
    rig.install(news, launch: try rig.script("read x < gate", name: "news"))
    rig.link.launch(mail)
    rig.link.launch(news)
    rig.deliver(1)
    rig.deliver(2)
    let app = try rig.connect()
    #expect(app.line() == delivery(1))
    #expect(app.line() == delivery(2))
    await rig.complete(1, on: app)
    // This push waits longer than the previous ones, for an app that does not connect.
    rig.deliver(3, to: news)
    await rig.recorder.wait(for: .timedOut(news, push(3)))
    // A new state does not deliver a push twice.
    app.write(#"{"state":"foreground"}"# + "\n" + #"{"completed":"\#(push(2))","result":"noData"}"# + "\n")
    await rig.recorder.wait(for: .completed(mail, push(2), .noData))
    #expect(
      rig.recorder.events == [
        .listening(mail, .background), .completed(mail, push(1), .noData), .timedOut(news, push(3)),
        .listening(mail, .foreground), .completed(mail, push(2), .noData),
      ])
    await rig.tearDown()
    #expect(app.line() == nil)
  }

  @Test("U8: pushes that wait for a program's turn go to the app's connection when it connects")
  func connectsWhileItsHookWaits() async throws {
    let rig = try LinkRig(background: "echo newData") {
      $0.backgroundPrograms = 1
      $0.programPatience = .seconds(600)
    }
    rig.install(news, background: try rig.script("echo runs >&2; read x < gate", name: "news"))
    rig.deliver(1, to: news)
    _ = await rig.recorder.logged("runs")
    rig.deliver(2)
    let app = try rig.connect()
    #expect(app.line() == delivery(2))
    await rig.complete(2, on: app)
    rig.gate.release()
    await rig.recorder.wait(for: .completed(news, push(1), .newData))
    await rig.link.waitForPrograms()
    #expect(!rig.recorder.events.contains(.completed(mail, push(2), .newData)))
  }

  @Test(
    "N2: an app declares what is presented while it is in the foreground; an unknown word is answered, and harmless")
  func presents() async throws {
    let rig = try LinkRig()
    let app = try rig.connect()
    app.write(#"{"present":["badge","banner"]}"# + "\n" + #"{"present":["badge","alert"]}"# + "\n")
    #expect(app.line() == #"{"error":"what is presented can only be badge, sound, alert"}"#)
    await rig.recorder.wait(for: .presenting(mail, [.badge, .alert]))
    app.write(#"{"present":[]}"# + "\n")
    await rig.recorder.wait(for: .presenting(mail, []))
    #expect(
      rig.recorder.events == [
        .listening(mail, .background), .presenting(mail, [.badge, .alert]), .presenting(mail, []),
      ])
  }

  @Test("A refused connection receives the reason and is closed; the next is served")
  func refusals() async throws {
    let rig = try LinkRig()
    let cases = [
      ("nonsense", #"no line of an app: expected \#(AppLine.forms)"#),
      (
        #"{"hello":{"app":"com.example.none","state":"background"}}"#,
        "no app 'com.example.none' is installed: deskbell app list shows those that are"
      ),
      (String(repeating: "x", count: AppLinkLimits().lineBytes + 1), "the line is longer than 4096 bytes"),
    ]
    for (line, message) in cases {
      let connection = try #require(LineConnection(to: rig.socket))
      connection.write(line + "\n")
      let answer = try #require(connection.line())
      #expect(try JSONDecoder().decode([String: String].self, from: Data(answer.utf8)) == ["error": message])
      #expect(connection.isClosed)
    }
    _ = try await rig.listener()
  }

  @Test("A connection without a hello is closed after its time")
  func silent() async throws {
    let rig = try LinkRig { $0.hello = .milliseconds(100) }
    let connection = try #require(LineConnection(to: rig.socket))
    #expect(connection.line()?.hasPrefix(#"{"error":"no hello in time"#) == true)
    #expect(connection.isClosed)
  }

  @Test("An app that does not read is closed once too many bytes wait for it; others are served")
  func slowReader() async throws {
    let rig = try LinkRig { $0.unreadBytes = 10_000 }
    rig.install(news)
    let slow = try await rig.listener()
    let other = try await rig.listener(news)
    let payload = #"{"a":"\#(String(repeating: "x", count: 4_000))"}"#
    // The kernel's buffer adds to the limit.
    for number in 1...200 as ClosedRange<UInt64> { rig.deliver(number, payload: payload) }
    await rig.recorder.wait(for: .disconnected(mail))
    rig.deliver(300, to: news)
    #expect(other.line() == delivery(300))
    _ = slow
  }

  @Test("The socket's path must be free, or a socket that a daemon left behind")
  func path() async throws {
    let rig = try LinkRig()
    func link(_ path: String) throws -> AppLink {
      try AppLink(socket: path, handsets: .one, log: { _ in })
    }
    let holder = SocketHolder(Int(getpid()))
    let stop = try #require(holder.stopping)
    try "x".write(toFile: "\(rig.folder)/file", atomically: false, encoding: .utf8)
    let long = "/" + String(repeating: "x", count: AppLinkLimits.socketPathBytes)
    for (path, problem) in [
      (rig.socket, "\(holder) answers there; stop it with '\(stop)', or choose another path"),
      ("\(rig.folder)/file", "there is a file that is no socket; move it away or choose another path"),
      ("\(rig.folder)/none/s", "No such file or directory; make its folder first"),
      (long, "the path has 108 bytes, a socket's has 1 to 107; choose a shorter one"),
    ] {
      #expect(throws: AppLinkError("apps' socket \(path): \(problem)")) { try link(path).start { _, _ in } }
    }

    // A socket without a listener.
    let deserted = "\(rig.folder)/deserted"
    close(try ListeningUnixSocket(path: deserted, mode: 0o600, backlog: 1).descriptor)
    let second = try link(deserted)
    try second.start { _, _ in }
    #expect(LineConnection(to: deserted) != nil)
    await second.shutDown()
    #expect(access(deserted, F_OK) != 0)
  }
}
