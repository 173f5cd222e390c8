// All decisions about apps' connections, without a socket.

import HandsetCore
import Testing

@testable import AppLink

private typealias Machine = AppSocket.StateMachine
private typealias Action = Machine.Action

private let hello = greeting("com.example.mail")

private func greeting(_ app: String, state: String = "background", handset: String? = nil) -> String {
  #"{"hello":{"app":"\#(app)","state":"\#(state)"\#(handset.map { #","handset":"\#($0)""# } ?? "")}}"#
}

private func completion(_ number: UInt64, result: String = "noData") -> String {
  #"{"completed":"\#(push(number))","result":"\#(result)"}"#
}

private let forms = "no line of an app: expected \(AppLine.forms)"

@Suite struct AppSocketStateMachineTests {
  private var limits: AppLinkLimits {
    var limits = AppLinkLimits()
    limits.lineBytes = 100
    limits.uncompletedPushes = 2
    limits.unreadBytes = 120
    limits.connections = 2
    return limits
  }

  private func say(_ machine: inout Machine, _ text: String, _ id: UInt64 = 1) -> [Action] {
    machine.received(Array((text + "\n").utf8)[...], from: id) { [mail, news, mailOnTwo].contains($0) }
  }

  /// Returns a machine whose connection 1 listens for mail.
  private func listening() -> Machine {
    var machine = Machine(handsets: twoHandsets, limits: limits)
    #expect(machine.opened(1, at: .zero) == [])
    #expect(say(&machine, hello) == [.event(.listening(mail, .background))])
    return machine
  }

  private func refusal(_ message: String, app: Bool = false) -> [Action] {
    [.send(1, PushLine.error(message)), .close(1)] + (app ? [.event(.disconnected(mail))] : [])
      + [.log("apps' socket: \(message)")]
  }

  @Test(
    "Refused before a hello",
    arguments: [
      ("", forms), ("{}", forms), ("[]", forms), (#"{"hello":{}}"#, forms), (#"{"hello":{"app":"a"}}"#, forms),
      (#"{"state":"foreground","completed":"x"}"#, forms),
      (greeting("-"), "'-' is no bundle identifier"),
      (
        greeting("com.example.mail", state: "forceQuit"),
        "the state cannot be 'forceQuit': it is foreground or background"
      ),
      (greeting("com.x"), "no app 'com.x' is installed: deskbell app list shows those that are"),
      (
        greeting("com.example.news", handset: "two"),
        "no app 'com.example.news' is installed on handset 'two': deskbell app list shows those that are"
      ),
      (
        greeting("com.example.mail", handset: "none"),
        "no handset is named 'none': 'handsets' in the settings file names them"
      ),
      (#"{"state":"foreground"}"#, #"the first line has to be {"hello":{"app":ID,"state":STATE}}"#),
      (completion(1), #"the first line has to be {"hello":{"app":ID,"state":STATE}}"#),
    ])
  func refusedBefore(_ line: String, _ message: String) {
    var machine = Machine(handsets: twoHandsets, limits: limits)
    _ = machine.opened(1, at: .zero)
    #expect(say(&machine, line) == refusal(message))
    #expect(say(&machine, hello) == [], "a connection that was refused is heard no more")
    #expect(machine.deadline == nil)
  }

  @Test(
    "Refused after a hello, which ends the app's connection",
    arguments: [
      (hello, "there was a hello before on this connection"), ("x", forms),
      (#"{"state":"notRunning"}"#, "the state cannot be 'notRunning': it is foreground or background"),
    ])
  func refusedAfter(_ line: String, _ message: String) {
    var machine = listening()
    #expect(say(&machine, line) == refusal(message, app: true))
    #expect(!machine.isListening(mail))
  }

  @Test(
    "An error about one push is answered, and the connection stays open",
    arguments: [
      (#"{"completed":"1","result":"noData"}"#, "'1' is no identifier of a push: give the one it came with"),
      (#"{"completed":"00000000-0000-0000-0000-000000000001"}"#, "a completed push needs its result"),
      (completion(1, result: "ok"), "the result cannot be 'ok': it is one of newData, noData, failed"),
      (completion(9), "push \(push(9)) is not open: completed before, or not this app's"),
    ])
  func mistakes(_ line: String, _ message: String) {
    var machine = listening()
    machine.taken(machineSends(machine.deliver(push(1), [65], to: mail)), by: 1)
    let answer = PushLine.error(message)
    #expect(say(&machine, line) == [.send(1, answer)])
    machine.taken(answer.count, by: 1)
    #expect(say(&machine, completion(1)) == [.event(.completed(mail, push(1), .noData))])
    #expect(say(&machine, completion(1)).count == 1, "completed once")
  }

  private func machineSends(_ actions: [Action]) -> Int {
    actions.reduce(0) { sum, action in if case .send(_, let bytes) = action { sum + bytes.count } else { sum } }
  }

  @Test("A line of the limit is accepted, also in pieces; one byte more is refused, also without its end")
  func lineLimit() {
    let line = #"{"state":"foreground"}"#
    let padded = line + String(repeating: " ", count: 100 - line.utf8.count)
    var machine = listening()
    for byte in Array(padded.utf8) { #expect(machine.received([byte], from: 1) { _ in true } == []) }
    #expect(machine.received([10], from: 1) { _ in true } == [.event(.listening(mail, .foreground))])
    let message = "the line is longer than 100 bytes"
    var other = machine
    #expect(say(&machine, padded + " ") == refusal(message, app: true))
    #expect(
      other.received(Array((padded + " ").utf8)[...], from: 1) { _ in true } == refusal(message, app: true))
  }

  @Test("Lines after a refused one are ignored")
  func afterTheEnd() {
    var machine = listening()
    #expect(say(&machine, "x\n" + #"{"state":"foreground"}"#) == refusal(forms, app: true))
  }

  @Test("Bytes that wait: the limit is allowed, one more closes")
  func unread() {
    var machine = listening()
    let line = [UInt8](repeating: 65, count: 60)
    #expect(machine.deliver(push(1), line, to: mail) == [.send(1, line)])
    #expect(machine.deliver(push(2), line, to: mail) == [.send(1, line)])
    machine.taken(1, by: 1)
    var full = machine
    #expect(machine.deliver(push(3), [65], to: mail) == [.send(1, [65])])
    #expect(
      full.deliver(push(3), [65, 65], to: mail) == [
        .close(1), .event(.disconnected(mail)),
        .log("apps' socket: com.example.mail on 1 does not read: more than 120 bytes wait for it"),
      ])
    #expect(full.deliver(push(4), [65], to: mail) == [])
  }

  @Test("The newest uncompleted pushes are kept for the next connection, each once")
  func uncompleted() {
    var machine = listening()
    for number in [1, 2, 2, 3] as [UInt64] { _ = machine.deliver(push(number), [UInt8(number)], to: mail) }
    _ = machine.opened(2, at: .zero)
    #expect(
      say(&machine, hello, 2) == [
        .send(1, PushLine.error("replaced by a newer connection of com.example.mail")), .close(1),
        .event(.listening(mail, .background)), .send(2, [2]), .send(2, [3]),
      ])
    // The end of the older connection no longer affects the app.
    #expect(machine.closed(1) == [])
    #expect(machine.closed(2) == [.event(.disconnected(mail))])
    // Its uncompleted pushes were dropped with it.
    _ = machine.opened(3, at: .zero)
    #expect(say(&machine, hello, 3) == [.event(.listening(mail, .background))])
  }

  @Test("Connections: the limit is taken, one more is refused and leaves nothing behind")
  func connections() {
    var machine = Machine(handsets: twoHandsets, limits: limits)
    #expect(machine.opened(1, at: .zero) == [])
    #expect(machine.opened(2, at: .zero) == [])
    let message = "there are 2 connections of apps, which is the most there can be"
    #expect(
      machine.opened(3, at: .zero) == [.send(3, PushLine.error(message)), .close(3), .log("apps' socket: \(message)")])
    #expect(machine.closed(1) == [])
    #expect(machine.opened(4, at: .zero) == [])
  }

  @Test("Only connections without a hello have a deadline")
  func helloTime() {
    var machine = listening()
    #expect(machine.deadline == nil)
    _ = machine.opened(2, at: .seconds(5))
    #expect(machine.deadline == .seconds(15))
    #expect(machine.timePassed(at: .milliseconds(14_999)) == [])
    let message = "no hello in time: expected \(AppLine.forms)"
    #expect(
      machine.timePassed(at: .seconds(15)) == [
        .send(2, PushLine.error(message)), .close(2), .log("apps' socket: \(message)"),
      ])
    #expect(machine.deadline == nil)
    #expect(machine.isListening(mail))
  }

  @Test("A connection that the daemon ends is not reported; an app that does not listen is sent nothing")
  func stop() {
    var machine = listening()
    _ = machine.deliver(push(1), [1], to: mail)
    #expect(machine.deliver(push(1), [1], to: news) == [])
    #expect(machine.emit(PushLine.opened(), to: news) == [])
    #expect(machine.stop(news) == [])
    #expect(machine.stop(mail) == [.send(1, PushLine.stopped), .close(1)])
    #expect(machine.closed(1) == [])
    _ = machine.opened(2, at: .zero)
    #expect(say(&machine, hello, 2) == [.event(.listening(mail, .background))])
  }

  @Test("The same app on two handsets: each has a connection and pushes of its own")
  func twoHandsetsOfOneApp() {
    var machine = listening()
    _ = machine.opened(2, at: .zero)
    let hello = greeting("com.example.mail", state: "foreground", handset: "two")
    #expect(say(&machine, hello, 2) == [.event(.listening(mailOnTwo, .foreground))])
    #expect(machine.deliver(push(1), [1], to: mailOnTwo) == [.send(2, [1])])
    #expect(machine.deliver(push(2), [2], to: mail) == [.send(1, [2])])
    // The push of the other handset is not open here.
    let answer = PushLine.error("push \(push(1)) is not open: completed before, or not this app's")
    machine.taken(1, by: 1)
    #expect(say(&machine, completion(1), 1) == [.send(1, answer)])
    #expect(say(&machine, completion(1), 2) == [.event(.completed(mailOnTwo, push(1), .noData))])
    #expect(machine.stop(mail) == [.send(1, PushLine.stopped), .close(1)])
    #expect(machine.isListening(mailOnTwo))
    #expect(machine.closed(2) == [.event(.disconnected(mailOnTwo))])
  }
}
