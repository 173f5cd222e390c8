/// The work of the speaker's thread. It plays each of the queue's sounds to its end, or cuts it off without a click.
struct Player {
  let queue: PlaybackQueue
  /// The reason why the device plays nothing, and the pause before the next attempt for a sound.
  private var loss: (error: SpeakerError, pause: Duration)?
  /// The stream of a sound that was cut off; its rest is queued there, or in `tail`.
  private var stream: (any SpeakerStream)?
  /// The faded end of that sound, which is mixed into the next sound or played alone.
  private var tail: ArraySlice<Int16> = []

  init(queue: PlaybackQueue) {
    self.queue = queue
  }

  consuming func run() {
    while true {
      switch queue.next() {
      case .play(let request):
        let ending = play(request)
        queue.finish()
        queue.ended(request.id, ending)
      case .check: check()
      case .sleep where stream != nil: settle(unlessWanted: true)
      case .sleep:
        queue.ducker?.restore()
        _ = queue.bell.wait()
        queue.bell.clear()
      case .end:
        while stream != nil { settle() }
        return
      }
    }
  }

  private mutating func play(_ request: Request) -> SpeakerReport.Ending {
    do throws(SoundFileError) {
      let file = try PlayableFile(request.sound)
      do throws(SpeakerError) {
        if let loss, !request.skipsPause, queue.isLost { return .failed(message: loss.error.description) }
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

  /// Returns the stream of the previous sound if it is still open, else a new one.
  private mutating func stream(for request: Request) throws(SpeakerError) -> any SpeakerStream {
    if let open = stream {
      stream = nil
      if !tail.isEmpty || open.takeBack(for: .silence) != nil { return open }
      open.close()
    }
    return try queue.output.open(sound: request.sound.name)
  }

  private mutating func play(
    _ file: PlayableFile, on stream: any SpeakerStream, _ request: Request
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
      // A sound may be shorter than the end of the previous one.
      if chunk.count < tail.count { chunk += repeatElement(0, count: tail.count - chunk.count) }
      Fade.mix(tail, into: &chunk)
      if chunk.isEmpty { break }
      var rest = chunk[...]
      while !rest.isEmpty {
        if let ending = requestedEnding() { return cutOff(ending, file, at: position, on: stream, request) }
        let taken = try write(rest, to: stream)
        if taken > 0 && position == 0 { started(request) }
        position += taken
        rest = rest.dropFirst(taken * SoundFormat.channels)
        tail = tail.dropFirst(taken * SoundFormat.channels)
      }
    }
    repeat {
      if let ending = requestedEnding() { return cutOff(ending, file, at: position, on: stream, request) }
    } while try !stream.drain(until: queue.bell)
    stream.close()
    return .finished
  }

  private mutating func started(_ request: Request) {
    regain()
    if !request.volume.isSilent { queue.ducker?.lower() }
    queue.report(.started(request.id, sound: request.sound.name, uptime: queue.now()))
  }

  /// Ends a sound early. The frames about to be played are followed by a fade, if the stream can take frames back.
  /// - Parameter position: the frame that would have been written next.
  private mutating func cutOff(
    _ ending: SpeakerReport.Ending, _ file: PlayableFile, at position: Int, on stream: any SpeakerStream,
    _ request: Request
  ) -> SpeakerReport.Ending {
    // None of this sound was played; the rest of another may still be queued.
    if position == 0 {
      if tail.isEmpty { stream.close() } else { self.stream = stream }
      return ending
    }
    guard let count = stream.takeBack(for: ending == .replaced ? .replacement : .end) else {
      stream.close()
      tail = []
      return ending
    }
    // Without a fade if the file can no longer be read.
    var end = (try? file.samples(at: max(0, position - count), count: Fade.frames)) ?? []
    request.volume.apply(to: &end)
    Fade.out(&end)
    tail = end[...]
    self.stream = stream
    // If the next sound needs a stream of its own, this one ends now.
    while !stream.playsOn && self.stream != nil { settle() }
    return ending
  }

  /// Plays the end of a sound that was cut off, until the bell interrupts it; `stream` is nil once that is done.
  private mutating func settle(unlessWanted: Bool = false) {
    guard let stream else { return }
    queue.bell.clear()
    if unlessWanted && queue.isWanted { return }
    do throws(SpeakerError) {
      while !tail.isEmpty {
        let taken = try write(tail, to: stream)
        if taken == 0 { return }
        tail = tail.dropFirst(taken * SoundFormat.channels)
      }
      guard try stream.drain(until: queue.bell) else { return }
    } catch {
      tail = []
      lose(error)
    }
    stream.close()
    self.stream = nil
  }

  /// - Returns: the number of frames written.
  private func write(_ samples: ArraySlice<Int16>, to stream: any SpeakerStream) throws(SpeakerError) -> Int {
    try samples.withUnsafeBytes { memory in
      Result { () throws(SpeakerError) in try stream.write(memory, until: queue.bell) }
    }.get() / SoundFormat.bytesPerFrame
  }

  /// Returns the requested ending. Clears the bell first, so that later requests ring it again.
  private func requestedEnding() -> SpeakerReport.Ending? {
    queue.bell.clear()
    return queue.ending
  }

  private mutating func check() {
    // An open card could not be opened again.
    while stream != nil { settle() }
    do throws(SpeakerError) {
      try queue.output.check()
      regain()
    } catch {
      lose(error)
    }
  }

  private mutating func lose(_ error: SpeakerError) {
    let pause = loss.map { min($0.pause * 2, Speaker.Limits.longestRetryPause) } ?? Speaker.Limits.firstRetryPause
    if loss == nil { queue.report(.deviceLost(message: error.description)) }
    loss = (error, pause)
    queue.lose(for: pause)
  }

  private mutating func regain() {
    guard loss != nil else { return }
    loss = nil
    queue.lose(for: nil)
    queue.report(.deviceBack)
  }
}
