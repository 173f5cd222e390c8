import HandsetCore
import Host
import Speaker

struct SpeakerSink: CommitSink {
  let handset: HandsetID
  let speaker: Speaker
  let library: SoundLibrary
  let playbacks: Playbacks

  func publish(_ batch: CommittedBatch) {
    batch.forEachEffect(of: handset) { effect in
      switch effect {
      case .play(let choice):
        let id = playbacks.add(.init(name: choice.name, push: choice.push, isCritical: choice.isCritical))
        speaker.play(library.sound(for: choice.source, on: handset), at: Volume(choice.volume), id: id)
      case .stopSound(let push): stop { $0.push == push }
      case .silence(let what): stop { what == .all || !$0.isCritical }
      case .vibrate, .deliver, .extend, .launchApp, .leftForeground, .tellDelivered, .stopApp, .mint: break
      }
    }
  }

  /// Plays a sound that does not belong to a push.
  /// - Returns: nil once it has begun; the reason if it does not play.
  func play(_ sound: Sound, at volume: Volume) async -> String? {
    await withCheckedContinuation { begun in
      speaker.play(
        sound, at: volume, id: playbacks.add(.init(name: sound.name, begun: begun)), skipsPause: true)
    }
  }

  func silence() {
    stop { _ in true }
  }

  private func stop(_ isMeant: (Playbacks.Playing) -> Bool) {
    for id in playbacks.ids(where: isMeant) { speaker.stop(id) }
  }
}
