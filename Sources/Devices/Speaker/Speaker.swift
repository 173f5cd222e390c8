// One thread plays one sound at a time. Callers never wait for the card: requests go into a queue that holds only the
// newest, since a newer sound replaces an older one (rule A4).

import SystemThreads

/// A player of the newest sound on an output. The thread does not wake while there is nothing to play.
public final class Speaker: Sendable {
  public enum Limits {
    /// The frames read from a sound's file at a time: 93 ms.
    static let chunkFrames = 4096
    /// The stack for alsa-lib and its plugins.
    static let stackBytes = 1024 * 1024
    /// The pause before a lost device is tried again for a sound; each failure doubles it.
    static let firstRetryPause = Duration.seconds(1)
    static let longestRetryPause = Duration.seconds(16)
  }

  private let queue: PlaybackQueue
  private let ducker: Ducker?
  private let thread: SystemThread

  /// Starts the thread. The device is opened when a sound plays.
  /// - Parameters:
  ///   - ducking: the music that is lowered while a sound plays (rule A3); nil for none.
  ///   - now: the clock of reports and of the pauses of a lost device.
  ///   - report: called with each report, on the speaker's thread; within `play`, `stop` or `shutdown` for sounds that
  ///     end before the thread has taken them. Must not block: while it runs, nothing plays.
  public init(
    output: any SpeakerOutput, ducking: Ducking? = nil,
    now: @escaping @Sendable () -> Duration = monotonicTime,
    report: @escaping @Sendable (SpeakerReport) -> Void
  ) throws(SpeakerError) {
    do throws(SystemError) {
      ducker = try ducking.map { ducking throws(SystemError) in try Ducker(ducking, report: report) }
      queue = PlaybackQueue(bell: try Doorbell(), output: output, ducker: ducker, now: now, report: report)
      thread = try SystemThread(named: "speaker", stackBytes: Limits.stackBytes) { [queue] in
        Player(queue: queue).run()
      }
    } catch {
      throw SpeakerError(device: "thread", cause: error.description, remedy: "allow the daemon more threads and files")
    }
  }

  deinit {
    shutdown()
  }

  /// Plays a sound now, in place of a playing one (rule A4).
  /// - Parameters:
  ///   - volume: the sound's own; the card's does not change.
  ///   - skipsPause: true to try a lost device for it at once.
  public func play(_ sound: Sound, at volume: Volume = .full, id: PlaybackID, skipsPause: Bool = false) {
    queue.put(Request(sound: sound, volume: volume, id: id, skipsPause: skipsPause))
  }

  /// True if the device was lost and is not tried yet: a sound would fail, unless it skips the pause. Whoever asks need not
  /// wake the thread for it.
  public var isLost: Bool { queue.isLost }

  /// Stops this sound, playing or waiting; does nothing if it has ended.
  public func stop(_ id: PlaybackID) {
    queue.stop { $0 == id }
  }

  /// Tries the device without playing, so that a missing one is reported before the first sound (`deviceLost`).
  public func checkDevice() {
    queue.requestCheck()
  }

  /// Stops playing, restores the music's level, ends the threads and waits for them. Later sounds end at once, as
  /// stopped.
  public func shutdown() {
    queue.shut()
    thread.join()
    ducker?.shutdown()
  }
}
