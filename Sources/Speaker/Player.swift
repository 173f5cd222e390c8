// The speaker's thread. It knows how to play one sound to its end and when to leave off; what plays is the desk's word.

/// Takes sounds from the desk and plays them, one after the other.
struct Player {
  let desk: Desk
  private var deviceIsLost = false
  private var chunk = [UInt8](repeating: 0, count: Speaker.Limits.chunkFrames * SoundFormat.bytesPerFrame)

  init(desk: Desk) {
    self.desk = desk
  }

  consuming func run() {
    while true {
      switch desk.next() {
      case .play(let request):
        let ending = play(request)
        desk.finish()
        desk.ended(request.id, ending)
      case .check: check()
      case .sleep:
        _ = desk.bell.wait()
        desk.bell.hear()
      case .leave: return
      }
    }
  }

  private mutating func play(_ request: Request) -> SpeakerReport.Ending {
    do throws(SoundFileError) {
      let file = try PlayableFile(request.sound)
      do throws(SpeakerError) {
        let stream = try desk.output.open(sound: request.sound.name)
        defer { stream.close() }
        return try play(file, on: stream, request)
      } catch {
        lose(error)
        return .failed(message: error.description)
      }
    } catch {
      return .failed(message: error.description)
    }
  }

  private mutating func play(
    _ file: borrowing PlayableFile, on stream: any SpeakerStream, _ request: Request
  ) throws(SpeakerError) -> SpeakerReport.Ending {
    var hasStarted = false
    while true {
      let count: Int
      do throws(SoundFileError) { count = try file.read(into: &chunk) } catch {
        return .failed(message: error.description)
      }
      // Less than a frame at the end is no sound.
      var rest = 0..<(count - count % SoundFormat.bytesPerFrame)
      if rest.isEmpty { break }
      while !rest.isEmpty {
        if let ending = heardEnding() { return ending }
        let taken = try write(rest, to: stream)
        if taken > 0 && !hasStarted {
          hasStarted = true
          regain()
          desk.tell(.started(request.id, sound: request.sound.name, uptime: Desk.uptime()))
        }
        rest = (rest.lowerBound + taken)..<rest.upperBound
      }
    }
    repeat {
      if let ending = heardEnding() { return ending }
    } while try !stream.drain(until: desk.bell)
    return .finished
  }

  private func write(_ part: Range<Int>, to stream: any SpeakerStream) throws(SpeakerError) -> Int {
    try chunk.withUnsafeBytes { memory in
      Result { () throws(SpeakerError) in
        try stream.write(UnsafeRawBufferPointer(rebasing: memory[part]), until: desk.bell)
      }
    }.get()
  }

  /// The bell is heard first: what rings from then on is seen the next time.
  private func heardEnding() -> SpeakerReport.Ending? {
    desk.bell.hear()
    return desk.ending
  }

  private mutating func check() {
    do throws(SpeakerError) {
      try desk.output.check()
      regain()
    } catch {
      lose(error)
    }
  }

  private mutating func lose(_ error: SpeakerError) {
    guard !deviceIsLost else { return }
    deviceIsLost = true
    desk.tell(.deviceLost(message: error.description))
  }

  private mutating func regain() {
    guard deviceIsLost else { return }
    deviceIsLost = false
    desk.tell(.deviceBack)
  }
}
