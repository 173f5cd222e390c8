import CChildProcess
import FoundationEssentials
import Glibc
import HandsetCore
import Synchronization
import Testing

@testable import AppLink

extension ProgramTests {
  @Test("Shutting down leaves no process, zombie or pipe, and ends every wait")
  func shutDown() async throws {
    let rig = try LinkRig(
      launch: "exec 9> lifeline; trap '' TERM; sleep 600",
      background: "trap '' TERM; exec 9> lifeline; \(Traces.command)\nsleep 600"
    ) { $0.grace = .milliseconds(100) }
    rig.link.launch(mail)
    rig.deliver(1)
    rig.deliver(2)
    let traces = try await Traces(rig.recorder)
    async let waited: Void = rig.link.waitForPrograms()
    await rig.link.shutDown()
    await waited
    #expect(traces.areGone)
    #expect(rig.lifeline.isDeserted())
    #expect(rig.recorder.events == [])
    // Late requests are answered, too.
    rig.deliver(3)
    await rig.link.waitForPrograms()
  }

  @Test("Many programs one after the other leave no descriptor of an ended process")
  func noDescriptorIsLeft() async throws {
    let rig = try LinkRig { $0.waitingDeliveries = 50 }
    rig.install(background: .command(["/bin/true"]))
    for number in 1...50 as ClosedRange<UInt64> { rig.deliver(number) }
    await rig.link.waitForPrograms()
    #expect(rig.recorder.events == (1...50).map { .completed(mail, push($0), .newData) })
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo")
    let ended = names.filter { name in
      (try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8))?.contains("Pid:\t-1\n") == true
    }
    // Other tests run at the same time, and each may be between the two steps.
    #expect(ended.count < 25)
  }

  @Test("A program does not outlive the thread that started it, and so not the daemon")
  func deathSignal() throws {
    let started = Mutex<child_process?>(nil)
    // A thread that starts a program and ends.
    let body = Unmanaged.passRetained(ThreadWork { started.withLock { $0 = startSleeper() } })
    var thread = pthread_t()
    #expect(
      pthread_create(
        &thread, nil,
        {
          Unmanaged<ThreadWork>.fromOpaque($0!).takeRetainedValue().work()
          return nil
        }, body.toOpaque()) == 0)
    pthread_join(thread, nil)
    let found = started.withLock { $0 }
    let process = try #require(found)
    var interest = pollfd(fd: process.pidfd, events: Int16(POLLIN), revents: 0)
    #expect(poll(&interest, 1, 20_000) == 1)
    var bySignal: CInt = 0
    #expect(child_process_ending(process.pid, &bySignal) == SIGKILL)
    #expect(bySignal == 1)
    kill(process.pid, SIGKILL)
    child_process_reap(process.pid)
    for descriptor in [process.pidfd, process.input, process.output, process.errors] { close(descriptor) }
  }

  @Test("An uninstalled app is stopped, and its pushes fail")
  func uninstalled() async throws {
    let rig = try LinkRig(background: "\(Traces.command)\nread x < gate")
    rig.deliver(1)
    let traces = try await Traces(rig.recorder)
    rig.link.uninstall(mail)
    rig.deliver(2)
    await rig.recorder.wait(for: .failed(mail, push(2), "is not installed"))
    await rig.link.waitForPrograms()
    #expect(traces.areGone)
    #expect(rig.recorder.events == [.failed(mail, push(2), "is not installed")])
    #expect(rig.recorder.log.contains("com.example.mail: is not installed"))
  }

  @Test("A payload that is no JSON object, or is too large, does not reach an app", arguments: ["[1]", "x", "", "{"])
  func payloads(_ payload: String) async throws {
    let rig = try LinkRig { $0.payloadBytes = 20 }
    rig.install(background: .command(["/bin/true"]))
    rig.deliver(1, payload: payload)
    rig.deliver(2, payload: #"{"a":"\#(String(repeating: "x", count: 12))"}"#)
    rig.deliver(3, payload: #"{"a":"\#(String(repeating: "x", count: 13))"}"#)
    await rig.link.waitForPrograms()
    let reason = "cannot be given a payload that is no JSON object of 20 bytes at most"
    #expect(
      Set(rig.recorder.events.map { "\($0)" })
        == Set(
          [
            AppEvent.failed(mail, push(1), reason), .completed(mail, push(2), .newData),
            .failed(mail, push(3), reason),
          ].map { "\($0)" }))
  }
}

private final class ThreadWork: Sendable {
  let work: @Sendable () -> Void
  init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}

private func startSleeper() -> child_process? {
  try? ProgramProcess.start(["/bin/sleep", "600"], in: "/", environment: [])
}
