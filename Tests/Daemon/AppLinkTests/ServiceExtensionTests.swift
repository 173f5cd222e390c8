import HandsetCore
import Testing

@testable import AppLink

@Suite(.timeLimit(.minutes(10))) struct ServiceExtensionTests {
  @Test("X1: a service extension reads the payload, and its last line is the answer")
  func answer() async throws {
    let rig = try LinkRig()
    rig.extend(
      1, by: try rig.script("read -r line; echo working; echo \"$line $DESKBELL_HOOK\""), payload: #"{"aps":{}}"#)
    let line = #"{"push":"\#(push(1))","attempt":1,"payload":{"aps":{}}} service-extension"#
    await rig.recorder.wait(for: .answered(push(1), line))
    await rig.link.waitForPrograms()
    #expect(rig.recorder.events == [.answered(push(1), line)])
  }

  @Test(
    "X1: what fails ends only the push",
    arguments: [
      ("exit 3", ExtensionAnswer.failed("ended with exit status 3")),
      ("kill -9 $$", .failed("signal 9 (Killed)")),
      ("", .failed("it printed no answer of 4096 bytes at most")),
      ("head -c 4097 /dev/zero | tr '\\0' x", .failed("it printed no answer of 4096 bytes at most")),
      ("sleep 600", .timedOut),
    ])
  func failures(_ script: String, _ answer: ExtensionAnswer) async throws {
    let rig = try LinkRig { if answer == .timedOut { $0.extensionTime = .milliseconds(200) } }
    rig.extend(1, by: try rig.script(script))
    await rig.recorder.wait(for: .extended(push(1), answer))
    await rig.link.waitForPrograms()
    #expect(rig.recorder.events == [.extended(push(1), answer)])
  }

  @Test("X1: an answer may have as many bytes as a payload")
  func longest() async throws {
    let rig = try LinkRig()
    rig.extend(1, by: try rig.script("head -c 4096 /dev/zero | tr '\\0' x"))
    await rig.recorder.wait(for: .answered(push(1), String(repeating: "x", count: 4096)))
  }

  @Test("X1: stopping the app does not end its service extension, uninstalling it does")
  func stopping() async throws {
    let rig = try LinkRig()
    rig.extend(1, by: try rig.script("read x < gate; echo done"))
    rig.link.stop(mail)
    rig.gate.release()
    await rig.recorder.wait(for: .answered(push(1), "done"))
    rig.extend(2, by: try rig.script("echo ready >&2; read x < gate; echo done"))
    _ = await rig.recorder.logged("ready")
    rig.link.uninstall(mail)
    await rig.link.waitForPrograms()
    #expect(rig.recorder.events == [.answered(push(1), "done")])
  }

  @Test("X1: it runs beside the app's other programs, and a service may be one")
  func service() async throws {
    let rig = try LinkRig()
    let service = try Service(path: "\(rig.folder)/extension.sock")
    rig.extend(1, by: .socket("\(rig.folder)/extension.sock"), attempt: 2)
    let connection = service.accept()
    #expect(connection.line() == #"{"push":"\#(push(1))","attempt":2,"payload":{}}"#)
    connection.write("\n{\"aps\":{}}\nmore\n")
    await rig.recorder.wait(for: .answered(push(1), #"{"aps":{}}"#))
  }

  @Test("X1: an app without one, and a payload that is no object, are answered at once")
  func nothing() async throws {
    let rig = try LinkRig()
    rig.extend(1, by: try rig.script("echo done"), payload: "[]")
    let answer = ExtensionAnswer.failed("there is no service extension, or no JSON object")
    await rig.recorder.wait(for: .extended(push(1), answer))
    rig.link.install(mail, programs: AppPrograms(folder: rig.folder))
    rig.link.extend(mail, Push(id: push(2), token: nil, topic: mail.app, payload: Array("{}".utf8)), attempt: 1)
    await rig.recorder.wait(for: .extended(push(2), answer))
  }

  @Test("T1: the line of a push of another type names the type, and a call has less time")
  func types() async throws {
    let rig = try LinkRig()
    let app = try await rig.listener()
    rig.deliver(1, occasion: .type(.voip))
    #expect(app.line() == #"{"push":"\#(push(1))","attempt":1,"state":"background","type":"voip","payload":{}}"#)
    #expect(OfferOccasion.type(.voip).time == .seconds(5) && OfferOccasion.type(.mdm).time == .seconds(30))
  }
}
