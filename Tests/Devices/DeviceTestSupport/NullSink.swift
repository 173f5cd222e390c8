// For tests that play without a device: the reports of a sound and their order stay the same.

import Speaker
import SystemThreads

/// An output that plays nothing, without delay.
public struct NullSink: SpeakerOutput {
  public init() {}

  public func check() throws(SpeakerError) {}

  public func open(sound: String) throws(SpeakerError) -> any SpeakerStream { Stream() }

  private final class Stream: SpeakerStream {
    func write(_ frames: UnsafeRawBufferPointer, until bell: Doorbell) throws(SpeakerError) -> Int { frames.count }
    func drain(until bell: Doorbell) throws(SpeakerError) -> Bool { true }
    func close() {}
  }
}
