import Glibc
import HandsetCore
import Testing

@testable import AppLink

@Suite(.timeLimit(.minutes(10))) struct ProgramSocketTests {
  private func rig(_ adjust: (inout AppLinkLimits) -> Void = { _ in }) throws -> (LinkRig, Service) {
    let rig = try LinkRig(adjust)
    rig.install(background: .socket("\(rig.folder)/service.sock"))
    return (rig, try Service(path: "\(rig.folder)/service.sock"))
  }

  @Test("A push is a line to the service and a line back; a line that is no result does not count")
  func result() async throws {
    let (rig, service) = try rig()
    rig.deliver(1)
    let connection = service.accept()
    #expect(connection.line() == delivery(1))
    // The input ends, as that of a command does.
    #expect(connection.line() == nil)
    connection.write("fetching\nnoData\nfailed\n")
    await rig.recorder.wait(for: .completed(mail, push(1), .noData))
    #expect(rig.recorder.events == [.completed(mail, push(1), .noData)])
  }

  @Test(
    "A last line without an end counts; U5: a service that closes without a result has died",
    arguments: [
      ("failed", AppEvent.completed(mail, push(1), .failed)),
      ("fetching\n", .died(mail)),
    ])
  func closed(_ text: String, _ event: AppEvent) async throws {
    let (rig, service) = try rig()
    rig.deliver(1)
    do { service.accept().write(text) }
    await rig.recorder.wait(for: event)
    let reason = "closed its socket without a result (newData, noData, failed)"
    let lines = ["background program: " + reason, "its process ended by " + reason]
    #expect(rig.recorder.log == (event == .died(mail) ? lines.map { "com.example.mail: " + $0 } : []))
  }

  @Test("U8: the connection to a service that does not answer in time is closed")
  func timeOver() async throws {
    let (rig, service) = try rig { $0.delivery = .milliseconds(200) }
    rig.deliver(1)
    let connection = service.accept()
    _ = connection.line()
    await rig.recorder.wait(for: .timedOut(mail, push(1)))
    #expect(connection.isClosed)
    await rig.link.waitForPrograms()
    #expect(rig.recorder.events == [.timedOut(mail, push(1))])
  }

  /// A push that was sent to a service at 100 s, without the link's thread.
  private func sent(
    by rig: LinkRig, to service: Service, _ report: @escaping (ProgramEnding) -> Void
  ) throws -> (ProgramSocket, LineConnection) {
    var limits = AppLinkLimits()
    (limits.delivery, limits.outputLineBytes) = (.seconds(30), 10)
    let socket = try ProgramSocket(
      path: "\(rig.folder)/service.sock", input: [], limits: limits, now: .seconds(100), report: report)
    return (socket, service.accept())
  }

  @Test("U8: a result after 30 s is ignored")
  func lateResult() throws {
    let (rig, service) = try rig()
    var endings: [ProgramEnding] = []
    let (socket, connection) = try sent(by: rig, to: service) { endings.append($0) }
    #expect(socket.deadline == .seconds(130))
    socket.timePassed(at: .milliseconds(129_999))
    #expect(endings.isEmpty)
    socket.timePassed(at: .seconds(130))
    #expect(endings == [.timedOut])
    #expect(socket.deadline == nil)
    socket.timePassed(at: .seconds(131))
    socket.ready()
    socket.stop()
    #expect(endings == [.timedOut])
    #expect(connection.isClosed)
  }

  @Test("A line above the limit is no result")
  func lineLimit() throws {
    let (rig, service) = try rig()
    var endings: [ProgramEnding] = []
    let (socket, connection) = try sent(by: rig, to: service) { endings.append($0) }
    connection.write("noData    x\n")
    socket.ready()
    #expect(endings.isEmpty)
    connection.write("noData    \n")
    socket.ready()
    #expect(endings == [.completed(.noData)])
  }

  @Test("After a stop the connection is closed, and nothing is reported")
  func stopped() async throws {
    let (rig, service) = try rig()
    rig.deliver(1)
    let connection = service.accept()
    rig.link.stop(mail)
    #expect(connection.line() != nil)
    #expect(connection.isClosed)
    await rig.link.waitForPrograms()
    #expect(rig.recorder.events == [])
  }

  @Test("A missing service fails with advice")
  func absent() async throws {
    let rig = try LinkRig()
    rig.install(background: .socket("\(rig.folder)/none.sock"))
    rig.deliver(1)
    let reason =
      "no service answers at \(rig.folder)/none.sock: No such file or directory; "
      + "start the service's socket (systemctl enable --now NAME.socket)"
    await rig.recorder.wait(for: .failed(mail, push(1), reason))
    #expect(rig.recorder.log == ["com.example.mail: background program: " + reason])
  }

  @Test("A launch is sent through the socket, and the end of its connection is not the app's death")
  func launch() async throws {
    let rig = try LinkRig()
    rig.install(launch: .socket("\(rig.folder)/service.sock"))
    let service = try Service(path: "\(rig.folder)/service.sock")
    rig.link.launch(mail)
    do { #expect(service.accept().line() == #"{"launch":"com.example.mail","state":"foreground"}"#) }
    await rig.link.shutDown()
    #expect(rig.recorder.events == [])
  }
}
