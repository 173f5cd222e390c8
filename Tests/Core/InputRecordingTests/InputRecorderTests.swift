import FoundationEssentials
import Glibc
import HandsetCore
import Logging
import TestSupport
import Testing

@testable import InputRecording

private let start = Moment(uptime: .seconds(100), wall: WallTime(seconds: 1_800_000_000))
private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

@Suite struct InputRecorderTests {
  private let folder = try! TemporaryFolder()
  private var path: String { folder.path }
  private var file: String { path + "/inputs.jsonl" }

  /// Returns a recorder of one empty handset.
  /// - Parameter name: the file's, in this folder.
  @discardableResult
  private func recorder(
    _ name: String = "inputs.jsonl", limit: Int = InputRecorder.byteLimit
  ) throws -> InputRecorder {
    try InputRecorder(path: "\(path)/\(name)", contents: [.first: .init()], limit: limit, logger: quiet)
  }

  private func content(_ name: String = "inputs.jsonl") throws -> Data {
    try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
  }

  @Test("A file of the limit's size is kept, and of one byte more is turned over")
  func limit() throws {
    let entry = RecordedInput(handset: .first, input: .wake, moment: start)
    let size = try RecordedLine.encoder().encode(RecordedLine(.input(.wake, start))).count + 1
    for (limit, turnsOver) in [(3 * size, false), (3 * size - 1, true)] {
      let recorder = try recorder("\(limit)", limit: limit)
      recorder.record([entry, entry]) { [.first: .init()] }
      recorder.record([entry]) { [.first: .init()] }
      #expect(FileManager.default.fileExists(atPath: "\(path)/\(limit).1") == turnsOver)
    }
    // The records of an earlier daemon count.
    try recorder()
    let begun = try content().count
    try recorder(limit: begun)
    #expect(!FileManager.default.fileExists(atPath: file + ".1"))
    #expect(try content().count == 2 * begun)
    try recorder(limit: 2 * begun - 1)
    #expect(try content("inputs.jsonl.1").count == 2 * begun)
    #expect(try content().count == begun)
  }

  @Test("Recorded inputs are readable by their owner only, also in a file that was there before")
  func permissions() throws {
    #expect(chmod(path, 0o755) == 0)
    close(open(file, O_CREAT | O_WRONLY, 0o644))
    try recorder()
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test("A line that a killed daemon left is passed over; recording begins anew after it")
  func unfinishedLines() throws {
    let wake = RecordedInput(handset: .first, input: .start(.daemon), moment: start)
    try recorder().record([wake]) { [.first: .init()] }
    var bytes = try content()
    bytes.removeLast(9)
    try bytes.write(to: URL(filePath: file))
    #expect(try Replay(of: file).run { _, _ in } == Replay.Summary(unfinishedLines: [2]))
    try recorder().record([wake]) { [.first: .init()] }
    #expect(
      try Replay(of: file).run { _, _ in } == Replay.Summary(inputs: 1, events: 1, unfinishedLines: [2]))

    // Damage is not an unfinished line: the lines after it would not replay what happened.
    var text = String(decoding: try content(), as: UTF8.self)
    text = text.replacing("{\"contents\"", with: "{\"cntents\"", maxReplacements: 1)
    text +=
      #"{"input":{"dance":{}},"uptime":[1,0],"wall":1}"# + "\n" + #"{"input":{"wake":{}},"uptime":[1,0],"wall":1}"#
    try Data(text.utf8).write(to: URL(filePath: file))
    #expect {
      try Replay(of: file).run { _, _ in }
    } throws: {
      "\($0)".hasPrefix("\(file):1: error: ")
    }
  }

  @Test("A file of another form is refused with what to do")
  func otherForm() throws {
    try recorder()
    let text = String(decoding: try content(), as: UTF8.self)
    for (form, problem) in [
      (1, "an older deskbell (form 1, this one reads 2); replay it with version 0.7.3"),
      (3, "a newer deskbell (form 3, this one reads 2); replay it with that version or a later one"),
    ] {
      try Data(text.replacing("\"journal\":2", with: "\"journal\":\(form)").utf8).write(to: URL(filePath: file))
      #expect(throws: RecordingError("\(file):1: error: it was recorded by \(problem)")) {
        try Replay(of: file).run { _, _ in }
      }
    }
  }

  @Test("A file with something else in it is left as it is")
  func foreignFile() throws {
    try Data("my letters\n".utf8).write(to: URL(filePath: file))
    func problem(_ file: String) -> String? {
      do {
        _ = try InputRecorder(path: file, contents: [.first: .init()], logger: quiet)
        return nil
      } catch {
        return error.description
      }
    }
    #expect(problem(file) == "--record \(file): has no recorded inputs in it; name a file that does not exist yet")
    #expect(try content() == Data("my letters\n".utf8))
    #expect(
      problem("\(path)/no/file")
        == "--record \(path)/no/file: cannot be opened: No such file or directory")
    #expect(problem("/dev/null") == "--record /dev/null: is not a file")
    #expect(throws: RecordingError.self) { try Replay(of: path + "/nothing") }
  }

  @Test("A4, A5: a sound that was replaced within its commit, or had no speaker, is not played in a replay either")
  func droppedSounds() throws {
    let mail = AppID("mail")!
    let token = DeviceToken(bytes: [1])!
    let recorder = try recorder()
    func push(_ number: UInt64) -> Input {
      .push(Push(id: PushID(high: 0, low: number), token: token, topic: mail, badge: .number(1), sound: .system))
    }
    let setUp = [Input.install(AppManifest(id: mail, name: "Mail"), token: token), .register(mail, .all, token: token)]
    var inputs = (setUp + [push(1), push(2), push(3)]).map { RecordedInput(handset: .first, input: $0, moment: start) }
    inputs[2].replaced = [PushID(high: 0, low: 1)]
    inputs[3].speakerLost = PushID(high: 0, low: 2)
    recorder.record(inputs) { [:] }
    var presented: [String] = []
    _ = try Replay(of: file).run { _, line in if line.contains(#""event":"presented""#) { presented.append(line) } }
    #expect(presented.map { $0.contains(#""silenced":"replaced""#) } == [true, false, false])
    #expect(presented.map { $0.contains(#""silenced":"speaker-lost""#) } == [false, true, false])
    #expect(presented.allSatisfy { $0.contains(#""sound":"default""#) })
  }

  @Test("Each handset goes on from what it was made of, and has its own events")
  func manyHandsets() throws {
    let mail = AppID("mail")!
    let token = DeviceToken(bytes: [1])!
    let (first, second) = (HandsetID(1), HandsetID(2))
    let recorder = try InputRecorder(path: file, contents: [first: .init(), second: .init()], logger: quiet)
    let install = Input.install(AppManifest(id: mail, name: "Mail"), token: token)
    func record(_ inputs: (HandsetID, Input)...) {
      recorder.record(inputs.map { RecordedInput(handset: $0.0, input: $0.1, moment: start) }) { [:] }
    }
    record((second, install), (first, .start(.board)), (second, .clearCenter))
    record((second, .register(mail, .all, token: token)))
    var events: [String] = []
    let summary = try Replay(of: file).run { handset, line in
      events.append("\(handset) \(line.prefix { $0 != "q" })")
    }
    #expect(summary == Replay.Summary(inputs: 4, events: 3))
    #expect(
      events == [
        #"2 {"app":"mail","event":"installed","se"#, #"1 {"after":"board","event":"started","se"#,
        #"2 {"app":"mail","event":"registered","kinds":["badge","sound","alert"],"se"#,
      ])
  }
}
