import Speaker
import SystemThreads

/// The output of a bench: takes every sound at once and plays nothing, so that no test waits for one.
struct SoundToNowhere: SpeakerOutput {
  private final class Stream: SpeakerStream {
    func write(_ frames: UnsafeRawBufferPointer, until bell: Doorbell) throws(SpeakerError) -> Int { frames.count }
    func drain(until bell: Doorbell) throws(SpeakerError) -> Bool { true }
    func takeBack(for reason: TakeBackReason) -> Int? { 0 }
    func close() {}
  }

  func check() throws(SpeakerError) {}

  func open(sound: String) throws(SpeakerError) -> any SpeakerStream { Stream() }
}
