// One thread plays one sound at a time. Who plays or stops a sound never waits for the card: requests go into a mailbox
// that holds the newest, since a newer sound replaces an older one anyway (rule A4).

import Glibc
import Synchronization
import SystemThreads

/// Plays sounds on an output, the newest at any time. Sleeps without waking while there is nothing to play.
public final class Speaker: Sendable {
  public enum Limits {
    /// Sounds that wait for the thread. It has to be one: a second would be replaced unheard.
    public static let waitingSounds = 1
    /// Frames read from a sound's file at a time: 93 ms.
    static let chunkFrames = 4096
    /// Room for alsa-lib and its plugins.
    static let stackBytes = 1024 * 1024
  }

  private let desk: Desk
  private let ducker: Ducker?
  private let thread: Mutex<SystemThread?>

  /// Starts the thread. Opens no device: that happens when a sound plays.
  /// - Parameters:
  ///   - output: where sounds go.
  ///   - ducking: the music that dims while a sound is heard (rule A3); nil for none.
  ///   - report: told what happens, on the speaker's thread; for sounds that end before the thread has seen them,
  ///     within `play`, `stop`, `stopAll` or `shutdown`. Must not block: while it runs, nothing plays.
  public init(
    output: any SpeakerOutput, ducking: Ducking? = nil, report: @escaping @Sendable (SpeakerReport) -> Void
  ) throws(SpeakerError) {
    do throws(SystemError) {
      ducker = try ducking.map { ducking throws(SystemError) in try Ducker(ducking, report: report) }
      desk = Desk(bell: try Doorbell(), output: output, ducker: ducker, report: report)
      thread = Mutex(
        try SystemThread(named: "speaker", stackBytes: Limits.stackBytes) { [desk] in Player(desk: desk).run() })
    } catch {
      throw SpeakerError(device: "thread", cause: error.description, remedy: "allow the daemon more threads and files")
    }
  }

  deinit {
    shutdown()
  }

  /// Plays a sound now, in place of one that plays (rule A4).
  /// - Parameter volume: the sound's own; the card's is left as it is.
  public func play(_ sound: Sound, at volume: Volume = .full, id: PlaybackID) {
    desk.put(Request(sound: sound, volume: volume, id: id))
  }

  /// Stops this sound at once, wherever it is; nothing happens if it has ended.
  public func stop(_ id: PlaybackID) {
    desk.stop { $0 == id }
  }

  /// Stops whatever plays or is about to.
  public func stopAll() {
    desk.stop { _ in true }
  }

  /// Tries the device without playing, so that one that is missing is known before the first sound (`deviceLost`).
  public func checkDevice() {
    desk.requestCheck()
  }

  /// Stops what plays, gives the music its level back, and ends the threads; waits for all. What is played later ends at once as stopped.
  public func shutdown() {
    desk.shut()
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    running?.join()
    ducker?.shutdown()
  }
}
