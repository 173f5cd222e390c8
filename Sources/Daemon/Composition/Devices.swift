import HandsetCore
import Host
import Speaker

/// The devices of the handset on the board, and their sinks.
struct Devices: Sendable {
  let board: BoardSetup
  let boardSink: BoardSink
  let speakerSink: SpeakerSink
  let library: SoundLibrary
  let speaker: Speaker

  init(_ runtime: Runtime, of handset: HandsetID, queue: InputQueue) throws {
    let (configuration, clock, table) = (runtime.configuration, runtime.clock, runtime.devices)
    let reporter = DeviceReporter(queue: queue, handset: handset, devices: table, clock: clock, logger: runtime.logger)
    let reports = BoardReports(reporter)
    board = try BoardSetup(configuration.board, display: configuration.display, clock: clock) { reports.handle($0) }
    board.announce(in: table, logger: runtime.logger)
    let playbacks = Playbacks(reporter, screen: board.screen)
    table.add(Playbacks.deviceName)
    if configuration.duck != nil { table.add(Playbacks.duckingDevice) }
    speaker = try Speaker(output: configuration.soundOutput, ducking: configuration.ducking) { playbacks.handle($0) }
    library = SoundLibrary(state: configuration.state, systemSound: try configuration.systemSound())
    boardSink = BoardSink(handset: handset, board: board, reports: reports)
    speakerSink = SpeakerSink(handset: handset, speaker: speaker, library: library, playbacks: playbacks)
  }

  func stop() {
    speaker.shutdown()
    board.front?.stop()
    board.screen?.end()
  }
}
