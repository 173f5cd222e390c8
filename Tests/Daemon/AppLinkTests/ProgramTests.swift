// Programs as real processes: their input, the meaning of their end, and that none of their processes remains.

import CChildProcess
import FoundationEssentials
import Glibc
import HandsetCore
import Testing

@testable import AppLink

private func completed(_ result: DeliveryResult) -> AppEvent { .completed(mail, push(1), result) }

@Suite(.timeLimit(.minutes(10))) struct ProgramTests {
  @Test("The push arrives as one line of JSON with the payload as it was sent; nothing of the daemon's environment")
  func input() async throws {
    let rig = try LinkRig(background: "cat > input; pwd > folder; env > environment")
    rig.deliver(1, payload: #"{"aps":{"content-available":1},"n":1.50,"s":"é\n"}"#, attempt: 2)
    await rig.recorder.wait(for: .completed(mail, push(1), .newData))
    #expect(
      rig.text("input")
        == #"{"push":"00000000-0000-0000-0000-000000000001","attempt":2,"state":"background","payload":"#
        + #"{"aps":{"content-available":1},"n":1.50,"s":"é\n"}}"# + "\n")
    #expect(rig.text("folder") == rig.folder + "\n")
    // The shell adds PWD, and some shells add `_`.
    let own = (rig.text("environment") ?? "").split(separator: "\n").filter {
      !$0.hasPrefix("PWD=") && !$0.hasPrefix("_=") && !$0.hasPrefix("OLDPWD=") && !$0.hasPrefix("SHLVL=")
    }
    #expect(
      Set(own) == [
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
        "DESKBELL_APP=com.example.mail", "DESKBELL_HANDSET=1", "DESKBELL_HOOK=background",
        "DESKBELL_APPS_SOCKET=\(rig.socket)",
      ])
  }

  @Test("N14: the launch program is started once, and reads which notification opened the app")
  func openedByNotification() async throws {
    let rig = try LinkRig(launch: "cat > input; echo started >&2; read x < gate")
    rig.open(1, payload: #"{"n":1.50}"#)
    _ = await rig.recorder.logged("com.example.mail: launch program: started")
    #expect(
      rig.text("input")
        == #"{"launch":"com.example.mail","state":"foreground","opened":{"push":"\#(push(1))","notification":17,"#
        + #""action":"com.apple.UNNotificationDefaultActionIdentifier","payload":{"n":1.50}}}"# + "\n")
    rig.open(2)
    _ = await rig.recorder.logged(
      "com.example.mail: it is open without a connection, so it does not learn which notification was opened")
    rig.gate.release()
  }

  @Test(
    "N16: the notification program runs for its pushes, in their order, and the background program for updates"
  )
  func notificationHook() async throws {
    let rig = try LinkRig()
    let script = #"read -r push; echo "$DESKBELL_HOOK $push" >> runs; echo noData"#
    rig.link.install(
      mail,
      programs: AppPrograms(
        background: try rig.script(script, name: "background"),
        notification: try rig.script(script, name: "notification"),
        folder: rig.folder))
    rig.deliver(1)
    rig.deliver(2, occasion: .notification)
    rig.deliver(3)
    await rig.recorder.wait(for: .completed(mail, push(3), .noData))
    func line(_ program: String, _ number: UInt64) -> String { "\(program) \(delivery(number))\n" }
    #expect(rig.text("runs") == line("background", 1) + line("notification", 2) + line("background", 3))
    // The only program runs for both.
    rig.install(news, background: try rig.script(script, name: "background"))
    rig.deliver(4, to: news, occasion: .notification)
    await rig.recorder.wait(for: .completed(news, push(4), .noData))
    #expect(rig.text("runs")?.hasSuffix(line("background", 4)) == true)
  }

  @Test("The same app on two handsets: each has a program, a folder and a name of its own, and one bundle")
  func twoHandsetsOfOneApp() async throws {
    let rig = try LinkRig(handsets: twoHandsets)
    let script = #"mkdir new; read -r push; echo "$push" > line; echo "$DESKBELL_HANDSET" > name; echo noData"#
    try FileManager.default.createDirectory(atPath: "\(rig.folder)/bundle/bin", withIntermediateDirectories: true)
    try script.write(toFile: "\(rig.folder)/bundle/bin/fetch", atomically: false, encoding: .utf8)
    for app in [mail, mailOnTwo] {
      rig.link.install(
        app,
        programs: AppPrograms(
          background: .command(["/bin/sh", "bin/fetch"]), folder: "\(rig.folder)/work/\(app.handset)",
          bundle: "../../bundle"))
    }
    rig.deliver(1)
    await rig.recorder.wait(for: .completed(mail, push(1), .noData))
    #expect(access("\(rig.folder)/work/2", F_OK) != 0, "a folder is made for the first command")
    rig.deliver(2, to: mailOnTwo)
    await rig.recorder.wait(for: .completed(mailOnTwo, push(2), .noData))
    #expect(rig.text("work/1/name") == "1\n")
    #expect(rig.text("work/2/name") == "two\n")
    #expect(rig.text("work/1/line") == delivery(1) + "\n")
    #expect(rig.text("work/2/line") == delivery(2, handset: "two") + "\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(rig.folder)/bundle") == ["bin"])
    // Files of a command stay for its next run.
    rig.deliver(3)
    _ = await rig.recorder.logged("com.example.mail on 1: background program: mkdir: ")
    await rig.recorder.wait(for: .completed(mail, push(3), .noData))
  }

  @Test("A missing bundle fails with advice")
  func noBundle() async throws {
    let rig = try LinkRig()
    rig.link.install(
      mail, programs: AppPrograms(background: .command(["./a"]), folder: "\(rig.folder)/work/a", bundle: "../../none"))
    rig.deliver(1)
    let reason =
      "its bundle \(rig.folder)/work/a/../../none cannot be read: No such file or directory; install the app again"
    await rig.recorder.wait(for: .failed(mail, push(1), reason))
  }

  @Test(
    "U8: the last line is the result, new data without one; an exit status other than 0 is a failure",
    arguments: [
      ("echo noData", completed(.noData)), ("echo failed", completed(.failed)), ("echo newData", completed(.newData)),
      ("", completed(.newData)), ("printf noData", completed(.noData)),
      ("echo newData; echo noData; echo", completed(.noData)), ("echo noData; echo done", completed(.newData)),
      ("echo newData; exit 3", .failed(mail, push(1), "ended with exit status 3")),
      ("exit 255", .failed(mail, push(1), "ended with exit status 255")),
      ("echo noData; exec >&-; cat >/dev/null", completed(.noData)),
    ])
  func results(_ text: String, _ event: AppEvent) async throws {
    let rig = try LinkRig(background: text)
    rig.deliver(1)
    await rig.link.waitForPrograms()
    #expect(rig.recorder.events == [event])
  }

  @Test("U8: after its time it gets SIGTERM, and nothing of it is left")
  func timeOver() async throws {
    let rig = try LinkRig(background: Traces.untilTerminated) { $0.delivery = .milliseconds(1_500) }
    rig.deliver(1)
    let traces = try await Traces(rig.recorder)
    await rig.recorder.wait(for: .timedOut(mail, push(1)))
    _ = await rig.recorder.logged("background program: bye")
    await rig.link.waitForPrograms()
    #expect(traces.areGone)
    #expect(rig.recorder.events == [.timedOut(mail, push(1))])
  }

  @Test(
    "A program that forks and ignores SIGTERM is killed with its group; what another leaves behind ends with it",
    arguments: [
      (
        "trap '' TERM; exec 9> lifeline; sleep 600 & sleep 600 & \(Traces.command)\nwait; sleep 600",
        Duration.milliseconds(1_500), AppEvent.timedOut(mail, push(1))
      ),
      (
        "exec 9> lifeline; sleep 600 & \(Traces.command)\necho noData", AppLinkLimits().delivery, completed(.noData)
      ),
    ])
  func leavesNothing(_ script: String, _ time: Duration, _ event: AppEvent) async throws {
    let rig = try LinkRig(background: script) {
      $0.delivery = time
      $0.grace = .milliseconds(100)
    }
    rig.deliver(1)
    let traces = try await Traces(rig.recorder)
    await rig.link.waitForPrograms()
    #expect(traces.areGone)
    #expect(rig.lifeline.isDeserted())
    #expect(rig.recorder.events == [event])
  }

  @Test("A megabyte of output is read and dropped, except for the last line")
  func megabyte() async throws {
    let rig = try LinkRig(
      background: """
        head -c 1048576 /dev/zero | tr '\\0' x
        head -c 1048576 /dev/zero | tr '\\0' '\\n'
        head -c 1048576 /dev/zero | tr '\\0' y >&2
        for line in 1 2 3 4 5 6 7 8 9 10; do echo "line $line" >&2; done
        echo; echo noData
        """)
    rig.deliver(1)
    await rig.recorder.wait(for: .completed(mail, push(1), .noData))
    let name = "com.example.mail: background program: "
    // The first line of standard error is the megabyte and `line 1`.
    #expect(
      Set(rig.recorder.log)
        == Set(
          [
            name + "wrote more than 65536 bytes to standard output: the rest is dropped, but for the last line",
            name + "wrote more than 65536 bytes to standard error: the rest is dropped, but for the last line",
            name + String(repeating: "y", count: 256) + "…",
          ] + (2...8).map { name + "line \($0)" }))
    #expect(rig.recorder.log.count == 10)
  }

  @Test("A program that does not read its input can still succeed")
  func unread() async throws {
    let rig = try LinkRig(background: "exec <&-; echo noData") { $0.payloadBytes = 1_000_000 }
    rig.deliver(1, payload: #"{"a":""# + String(repeating: "x", count: 900_000) + #""}"#)
    await rig.recorder.wait(for: .completed(mail, push(1), .noData))
  }

  @Test("A program that cannot be executed fails with advice")
  func notExecutable() async throws {
    let rig = try LinkRig()
    try "echo".write(toFile: "\(rig.folder)/plain", atomically: false, encoding: .utf8)
    try "#!/no/such/interpreter\n".write(toFile: "\(rig.folder)/odd", atomically: false, encoding: .utf8)
    chmod("\(rig.folder)/odd", 0o755)
    let noFile = "cannot be executed: No such file or directory; "
    let noInterpreter = noFile + "the file, or the interpreter in its first line, does not exist"
    let noPath = noFile + "a word without a slash is a file in the bundle's folder; write a program's absolute path"
    let cases: [([String], String)] = [
      (["python3"], "\(rig.folder)/python3 \(noPath)"), (["/no/such/file"], "/no/such/file \(noInterpreter)"),
      (["./odd"], "\(rig.folder)/./odd \(noInterpreter)"),
      (["/"], "/ cannot be executed: Permission denied; make it executable (chmod +x) for the daemon's user"),
      ([], "its command is empty"),
    ]
    for (number, (command, message)) in cases.enumerated() {
      rig.install(background: .command(command))
      rig.deliver(UInt64(number))
      await rig.recorder.wait(for: .failed(mail, push(UInt64(number)), message))
      #expect(rig.recorder.log.last == "com.example.mail: background program: " + message)
    }
    rig.link.install(mail, programs: AppPrograms(background: .command(["/bin/true"]), folder: "/no/such/folder"))
    rig.deliver(99)
    let message = "its folder /no/such/folder cannot be entered: No such file or directory; install the app again"
    await rig.recorder.wait(for: .failed(mail, push(99), message))
    #expect(rig.recorder.log.last == "com.example.mail: background program: " + message)
  }

  @Test("U5: a program that another process kills has died; other apps continue")
  func killed() async throws {
    let rig = try LinkRig(background: "\(Traces.command)\nread x < gate")
    rig.install(news, background: try rig.script("echo noData", name: "news"))
    rig.deliver(1)
    let traces = try await Traces(rig.recorder)
    rig.deliver(2, to: news)
    await rig.recorder.wait(for: .completed(news, push(2), .noData))
    kill(traces.pid, SIGKILL)
    #expect(await rig.recorder.logged("com.example.mail: its process ended by ") == "signal 9 (Killed)")
    await rig.recorder.wait(for: .died(mail))
    await rig.link.waitForPrograms()
    #expect(traces.areGone)
    #expect(rig.recorder.events.count == 2)
  }

  @Test("An app has one process at a time; the newest waiting pushes stay, in their order")
  func oneAtATime() async throws {
    let script = "mkdir only || echo twice >&2; echo running >&2; read x < gate; rmdir only"
    let rig = try LinkRig(background: script) { $0.waitingDeliveries = 3 }
    rig.deliver(1)
    _ = await rig.recorder.logged("running")
    for number in 2...6 as ClosedRange<UInt64> { rig.deliver(number) }
    let reason = "has more than 3 deliveries waiting: the oldest is dropped"
    await rig.recorder.wait(for: .failed(mail, push(3), reason))
    for _ in 1...4 { rig.gate.release() }
    await rig.link.waitForPrograms()
    #expect(
      rig.recorder.events == [
        .failed(mail, push(2), reason), .failed(mail, push(3), reason), .completed(mail, push(1), .newData),
        .completed(mail, push(4), .newData), .completed(mail, push(5), .newData), .completed(mail, push(6), .newData),
      ])
    #expect(!rig.recorder.log.contains { $0.hasSuffix("twice") })
    #expect(rig.recorder.log.contains("com.example.mail: " + reason))
  }

  @Test("The daemon stops a program with SIGTERM; its push and the waiting ones are not reported")
  func stopped() async throws {
    let rig = try LinkRig(background: Traces.untilTerminated)
    rig.deliver(1)
    rig.deliver(2)
    let traces = try await Traces(rig.recorder)
    rig.link.stop(mail)
    _ = await rig.recorder.logged("background program: bye")
    await rig.link.waitForPrograms()
    #expect(traces.areGone)
    #expect(rig.recorder.events == [])
    // The app is still installed, and the next push wakes it.
    rig.install(background: try rig.script("", name: "next"))
    rig.deliver(3)
    await rig.recorder.wait(for: .completed(mail, push(3), .newData))
  }

  @Test("A launch program is the open app: no time limit, opened once, stopped with the app")
  func launched() async throws {
    let launch = "cat > launch; echo launched >> count; \(Traces.command)\nread x < gate"
    let rig = try LinkRig(launch: launch, background: "read x < gate") { $0.delivery = .milliseconds(200) }
    rig.link.launch(mail)
    let traces = try await Traces(rig.recorder)
    rig.link.launch(mail)
    rig.deliver(1)
    await rig.recorder.wait(for: .timedOut(mail, push(1)))
    await rig.link.waitForPrograms()
    #expect(!traces.areGone)
    #expect(rig.text("launch") == #"{"launch":"com.example.mail","state":"foreground"}"# + "\n")
    #expect(rig.text("count") == "launched\n")
    kill(traces.pid, SIGSEGV)
    #expect(await rig.recorder.logged("its process ended by ") == "signal 11 (Segmentation fault)")
    await rig.recorder.wait(for: .died(mail))
  }
}
