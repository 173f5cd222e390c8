import Installation
import Speaker
import StrictYAML

extension Configuration {
  var soundOutput: any SpeakerOutput {
    switch speaker {
    case .alsa where bench != nil: SoundToNowhere()
    case .alsa(let pcm): ALSASink(pcm: pcm)
    case .wav(let folder): WAVSink(folder: folder)
    }
  }

  /// The means of lowering the music; nil if none is lowered.
  var ducking: Ducking? {
    duck.map { duck in
      Ducking(
        element: ALSAMixerElement(card: duck.card, element: duck.element), amplitude: Double(duck.percent) / 100,
        record: "\(state)/ducked.json")
    }
  }

  /// - Throws: `DaemonError` if it is missing.
  func systemSound() throws(DaemonError) -> String {
    guard let folder = SharedFiles.folder("Sounds") else {
      throw DaemonError(
        "the shipped sounds are nowhere to be found: looked for the folder Sounds in "
          + SharedFiles.candidates.joined(separator: ", ") + "; set DESKBELL_SHARE to the folder that has it")
    }
    let path = "\(folder)/\(defaultSound).wav"
    guard SharedFiles.isFile(path) else {
      let names = SharedFiles.files(in: folder).filter { $0.hasSuffix(".wav") }.map { String($0.dropLast(4)) }.sorted()
      let written = defaultSound.hasSuffix(".wav") ? String(defaultSound.dropLast(4)) : defaultSound
      let meant = nearest(written, among: names).map { ", did you mean '\($0)'?" } ?? ";"
      throw DaemonError("default-sound: there is no \(path)\(meant) choose one of \(names.joined(separator: ", "))")
    }
    return path
  }
}
