// A sound of an app's bundle, for libsndfile and libsamplerate.

import Speaker

func runSoundFile(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  // In this process, where the fuzzer observes it; without ffmpeg, which is not part of Deskbell.
  guard let sound = try? SoundFile(decoding: bytes, named: "sound", by: .inThisProcess, with: nil) else { return }
  try hold(sound.samples.count.isMultiple(of: 2), "half a frame")
  try hold(sound.duration < .seconds(SoundFile.Limits.seconds + 1), "\(sound.duration) of sound")
}
