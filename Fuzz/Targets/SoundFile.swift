// A sound of an app's bundle: libsndfile and libsamplerate behind it.

import Speaker

func runSoundFile(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  // Not ffmpeg: that is not ours, and a process for every input.
  guard let sound = try? SoundFile(decoding: bytes, named: "sound", with: nil) else { return }
  try hold(sound.samples.count.isMultiple(of: 2), "half a frame")
  try hold(sound.duration < .seconds(SoundFile.Limits.seconds + 1), "\(sound.duration) of sound")
}
