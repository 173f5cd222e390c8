// The speaker's thread. It knows how to play one sound to its end and how to leave off without a click; what plays is the
// desk's word.

/// Takes sounds from the desk and plays them, one after the other.
struct Player {
  let desk: Desk
  private var deviceIsLost = false
  /// Of a sound that was cut off: what is still to be heard of it is on its way, or in `tail`.
  private var stream: (any SpeakerStream)?
  /// The faded end of that sound; another sound is mixed with it, or it is heard by itself.
  private var tail: ArraySlice<Int16> = []

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
      case .sleep where stream != nil: settle(unlessWanted: true)
      case .sleep:
        desk.ducker?.restore()
        _ = desk.bell.wait()
        desk.bell.hear()
      case .leave:
        while stream != nil { settle() }
        return
      }
    }
  }

  private mutating func play(_ request: Request) -> SpeakerReport.Ending {
    do throws(SoundFileError) {
      let file = try PlayableFile(request.sound)
      do throws(SpeakerError) {
        let stream = try stream(for: request)
        do throws(SpeakerError) {
          return try play(file, on: stream, request)
        } catch {
          stream.close()
          throw error
        }
      } catch {
        tail = []
        lose(error)
        return .failed(message: error.description)
      }
    } catch {
      return .failed(message: error.description)
    }
  }

  /// That of the sound before, where it is still open, else a new one.
  private mutating func stream(for request: Request) throws(SpeakerError) -> any SpeakerStream {
    if let open = stream {
      stream = nil
      if !tail.isEmpty || open.takeBack(for: .silence) != .cutOff { return open }
      open.close()
    }
    return try desk.output.open(sound: request.sound.name)
  }

  private mutating func play(
    _ file: borrowing PlayableFile, on stream: any SpeakerStream, _ request: Request
  ) throws(SpeakerError) -> SpeakerReport.Ending {
    var position = 0
    while true {
      var chunk: [Int16]
      do throws(SoundFileError) {
        chunk = try file.samples(at: position, count: Speaker.Limits.chunkFrames)
      } catch {
        stream.close()
        return .failed(message: error.description)
      }
      request.volume.apply(to: &chunk)
      // A sound may be shorter than the end of the one before.
      if chunk.count < tail.count { chunk += repeatElement(0, count: tail.count - chunk.count) }
      Fade.mix(tail, into: &chunk)
      if chunk.isEmpty { break }
      var rest = chunk[...]
      while !rest.isEmpty {
        if let ending = heardEnding() { return leaveOff(ending, file, at: position, on: stream, request) }
        let taken = try write(rest, to: stream)
        if taken > 0 && position == 0 { started(request) }
        position += taken
        rest = rest.dropFirst(taken * SoundFormat.channels)
        tail = tail.dropFirst(taken * SoundFormat.channels)
      }
    }
    repeat {
      if let ending = heardEnding() { return leaveOff(ending, file, at: position, on: stream, request) }
    } while try !stream.drain(until: desk.bell)
    stream.close()
    return .finished
  }

  private mutating func started(_ request: Request) {
    regain()
    if !request.volume.isSilent { desk.ducker?.lower() }
    desk.tell(.started(request.id, sound: request.sound.name, uptime: Desk.uptime()))
  }

  /// Ends a sound before its end: what is about to be heard is followed by a fade, where the stream has room for one.
  /// - Parameter position: the frame that would have been written next.
  private mutating func leaveOff(
    _ ending: SpeakerReport.Ending, _ file: borrowing PlayableFile, at position: Int, on stream: any SpeakerStream,
    _ request: Request
  ) -> SpeakerReport.Ending {
    // Nothing of it was heard; what is left of another still may be.
    if position == 0 {
      if tail.isEmpty { stream.close() } else { self.stream = stream }
      return ending
    }
    guard case .frames(let count) = stream.takeBack(for: ending == .replaced ? .replacement : .end) else {
      stream.close()
      tail = []
      return ending
    }
    // A file that cannot be read any more has no end to fade.
    var end = (try? file.samples(at: max(0, position - count), count: Fade.frames)) ?? []
    request.volume.apply(to: &end)
    Fade.out(&end)
    tail = end[...]
    self.stream = stream
    // Where the next sound has a stream of its own, this one ends now.
    while !stream.playsOn && self.stream != nil { settle() }
    return ending
  }

  /// Lets the end of a sound that was cut off be heard. The bell interrupts it: it is done when `stream` is nil.
  private mutating func settle(unlessWanted: Bool = false) {
    guard let stream else { return }
    desk.bell.hear()
    if unlessWanted && desk.isWanted { return }
    do throws(SpeakerError) {
      while !tail.isEmpty {
        let taken = try write(tail, to: stream)
        if taken == 0 { return }
        tail = tail.dropFirst(taken * SoundFormat.channels)
      }
      guard try stream.drain(until: desk.bell) else { return }
    } catch {
      tail = []
      lose(error)
    }
    stream.close()
    self.stream = nil
  }

  /// - Returns: frames.
  private func write(_ samples: ArraySlice<Int16>, to stream: any SpeakerStream) throws(SpeakerError) -> Int {
    try samples.withUnsafeBytes { memory in
      Result { () throws(SpeakerError) in try stream.write(memory, until: desk.bell) }
    }.get() / SoundFormat.bytesPerFrame
  }

  /// The bell is heard first: what rings from then on is seen the next time.
  private func heardEnding() -> SpeakerReport.Ending? {
    desk.bell.hear()
    return desk.ending
  }

  private mutating func check() {
    // A card that cannot be opened twice is not missing.
    while stream != nil { settle() }
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
