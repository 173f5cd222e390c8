// A link with real processes and a real socket in a temporary folder.

import FoundationEssentials
import Glibc
import Testing

@testable import AppLink
@testable import HandsetCore

let mail = AppAddress(AppID("com.example.mail")!, on: .first)
let news = AppAddress(AppID("com.example.news")!, on: .first)
/// The same app on a second handset.
let mailOnTwo = AppAddress(mail.app, on: HandsetID(2))
let twoHandsets = HandsetNames([.first: "1", HandsetID(2): "two"], board: .first)

func push(_ number: UInt64) -> PushID { PushID(high: 0, low: number) }

/// Returns the line of a delivery in the background.
/// - Parameter handset: its name, if it is not the one on the board.
func delivery(_ number: UInt64, attempt: Int = 1, handset: String? = nil, payload: String = "{}") -> String {
  let member = handset.map { #""handset":"\#($0)","# } ?? ""
  return #"{"push":"\#(push(number))","attempt":\#(attempt),"state":"background",\#(member)"payload":\#(payload)}"#
}

final class LinkRig: Sendable {
  let folder: String
  let link: AppLink
  let recorder = Recorder()
  /// Scripts wait in `read x < gate` until a test releases one.
  let gate: Gate
  /// Scripts hold it with `exec 9> lifeline`, together with all processes that they start.
  let lifeline: Lifeline

  var socket: String { "\(folder)/apps.sock" }

  /// A link with the mail app; it is shut down after the rig.
  /// - Parameters:
  ///   - launch: the shell script of its launch program.
  ///   - background: that of its background program.
  init(
    handsets: HandsetNames = .one, launch: String? = nil, background: String? = nil,
    _ adjust: (inout AppLinkLimits) -> Void = { _ in }
  ) throws {
    folder = "/tmp/applink-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var limits = AppLinkLimits()
    adjust(&limits)
    let recorder = recorder
    link = try AppLink(
      socket: "\(folder)/apps.sock", handsets: handsets, limits: limits, log: { recorder.record(.log($0)) })
    gate = Gate(path: "\(folder)/gate")
    lifeline = Lifeline(path: "\(folder)/lifeline")
    try link.start { recorder.record(.event(AppEvent(input: $0, app: $1))) }
    install(
      launch: try launch.map { try script($0, name: "launch") }, background: try background.map { try script($0) })
  }

  /// Returns a shell script as a program. The shell reads it: executing a file that was just written may fail as busy.
  func script(_ text: String, name: String = "program") throws -> AppPrograms.Program {
    try text.write(toFile: "\(folder)/\(name).sh", atomically: false, encoding: .utf8)
    return .command(["/bin/sh", "\(name).sh"])
  }

  /// Installs the app with a service extension, and gives it a push.
  func extend(_ number: UInt64, by program: AppPrograms.Program, payload: String = "{}", attempt: Int = 1) {
    var programs = AppPrograms(folder: folder)
    programs.serviceExtension = program
    link.install(mail, programs: programs)
    link.extend(
      mail, Push(id: push(number), token: nil, topic: mail.app, payload: Array(payload.utf8)), attempt: attempt)
  }

  func install(_ app: AppAddress = mail, launch: AppPrograms.Program? = nil, background: AppPrograms.Program? = nil) {
    link.install(app, programs: AppPrograms(launch: launch, background: background, folder: folder))
  }

  func deliver(
    _ number: UInt64, to app: AppAddress = mail, payload: String = "{}", attempt: Int = 1,
    occasion: OfferOccasion? = nil
  ) {
    link.deliver(
      Delivery(app: app.app, push: push(number), state: .background, attempt: attempt, occasion: occasion),
      payload: Array(payload.utf8), on: app.handset)
  }

  /// Connects as an app and says hello.
  func connect(_ app: AppAddress = mail, _ state: Lifecycle = .background) throws -> LineConnection {
    let connection = try #require(LineConnection(to: socket))
    connection.write(#"{"hello":{"app":"\#(app.app)","state":"\#(state.rawValue)"}}"# + "\n")
    return connection
  }

  /// Completes a push as its app does, and waits until that is reported.
  func complete(_ number: UInt64, on connection: LineConnection, _ result: DeliveryResult = .noData) async {
    connection.write(#"{"completed":"\#(push(number))","result":"\#(result.rawValue)"}"# + "\n")
    await recorder.wait(for: .completed(mail, push(number), result))
  }

  /// Connects as an app in the background, and waits until it listens.
  func listener(_ app: AppAddress = mail) async throws -> LineConnection {
    let connection = try connect(app)
    await recorder.wait(for: .listening(app, .background))
    return connection
  }

  /// Opens the notification 17, as a person does.
  func open(
    _ number: UInt64, of app: AppAddress = mail, text: String? = nil, about target: String? = nil,
    payload: String? = "{}"
  ) {
    let response = NotificationResponse(
      notification: NotificationID(number: 17), push: push(number), action: NotificationResponse.open, text: text,
      targetContentID: target)
    link.launch(app, by: response, payload: payload.map { Array($0.utf8) })
  }

  func text(_ file: String) -> String? { try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8) }

  func tearDown() async {
    await link.shutDown()
    #expect(access(socket, F_OK) != 0, "the socket's file is left")
  }

  deinit {
    Task { [link, folder] in
      await link.shutDown()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }
}

/// A named pipe in which scripts wait.
final class Gate: Sendable {
  private let descriptor: CInt

  init(path: String) {
    mkfifo(path, 0o600)
    // Opened for both, so that no script waits in opening it, and written bytes stay for the script that reads.
    descriptor = open(path, O_RDWR | O_CLOEXEC)
  }

  deinit { close(descriptor) }

  func release() { _ = write(descriptor, "\n", 1) }
}

/// A named pipe that shows that every process that held it has ended.
final class Lifeline: Sendable {
  private let descriptor: CInt

  init(path: String) {
    mkfifo(path, 0o600)
    descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
  }

  deinit { close(descriptor) }

  /// Returns true if it was held and all holders have ended; waits 20 s for that.
  func isDeserted() -> Bool {
    var interest = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    return poll(&interest, 1, 20_000) == 1 && interest[0].revents & Int16(POLLHUP) != 0
  }
}

/// A script's output about itself, by `echo "self $$ $(readlink /proc/$$/fd/0) …"` on its standard error.
struct Traces {
  static let command =
    #"echo "self $$ $(readlink /proc/$$/fd/0) $(readlink /proc/$$/fd/1) $(readlink /proc/$$/fd/2)" >&2"#
  /// A script that waits in the gate, and says that it was stopped.
  static let untilTerminated = "trap 'echo bye >&2; exit 0' TERM; \(command)\nread x < gate"

  let pid: pid_t
  private let pipes: Set<String>

  init(_ recorder: Recorder) async throws {
    let words = await recorder.logged("self ").split(separator: " ")
    pid = try #require(words.first.flatMap { pid_t($0) })
    pipes = Set(words.dropFirst().map(String.init))
    #expect(pipes.count == 3)
  }

  /// True if there is neither a process nor a zombie, nor the daemon's end of any of its pipes.
  var areGone: Bool {
    if access("/proc/\(pid)", F_OK) == 0 { return false }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let links = names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
    return pipes.isDisjoint(with: links)
  }
}
