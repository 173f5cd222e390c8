// A message from a broker: a topic's name, a line break, and the payload.

import HandsetCore
import HomeAssistant

@testable import DeskbellDaemon

func runHomeCommand(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  var inUse = HandsetInUse.begin()
  try inUse.take(.install(AppManifest(id: HomeApp.id, name: "Home Assistant"), token: .random()))
  try inUse.take(.register(HomeApp.id, .all, token: .random()))
  let topics = HomeTopics(device: "deskbell-1", base: "deskbell/desk")
  let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
  let topic = "deskbell/desk/\(String(decoding: parts[0], as: UTF8.self))/set"
  guard let name = topics.command(at: topic), let command = try? HomeCommand(name, Array(parts.dropFirst().joined()))
  else { return }
  switch command {
  case .ring(let tone, let volume, let duration):
    try hold(volume.map { (0...1).contains($0) } ?? true, "a volume of \(volume ?? 0)")
    try hold(
      (duration ?? .zero) >= .zero && (duration ?? .zero) <= HomeCommand.longestRing, "a ring of \(duration ?? .zero)")
    try inUse.follow(
      .push(HomeApp.push(nil, sound: tone.map { .named($0) } ?? .system, now: WallTime(seconds: 1_800_000_000))))
  case .notify(let text):
    try inUse.follow(.push(HomeApp.push(text, sound: .system, now: WallTime(seconds: 1_800_000_000))))
  case .input(let input): try inUse.follow(input)
  case .silence: break
  }
}
