// Accepted input is passed on to the handset: bytes that a parser accepts may still break a rule.

import HandsetCore
import TestSupport

/// A handset with an app that accepts everything, and another with visible alerts.
struct HandsetInUse {
  static let mail = AppID("com.example.mail")
  static let token = DeviceToken(bytes: [UInt8](repeating: 1, count: 32))
  static let now = Moment(uptime: .seconds(60), wall: WallTime(seconds: 1_800_000_000))

  private static let made = HandsetInUse()

  private(set) var handset = Handset()
  private(set) var now = HandsetInUse.now

  /// Returns the handset, which is made once: every input begins with the same state.
  static func begin() -> HandsetInUse { made }

  private init() {
    guard let mail = HandsetInUse.mail, let token = HandsetInUse.token else { return }
    var manifest = AppManifest(id: mail, name: "Mail")
    manifest.receivesBackgroundUpdates = true
    manifest.strings = ["LETTER": "A letter from %@ to %2$@", "OPEN": "Open"]
    manifest.sounds = ["bell"]
    for input: Input in [
      .install(manifest, token: token), .register(mail, .all, token: token), .setAppSetting(mail, .style, "alert"),
    ] { _ = handset.handle(input, at: now) }
  }

  init(_ contents: Handset.Contents) { handset = Handset(contents) }

  /// Handles the input, then marks all as seen, advances the time, and presses buttons.
  mutating func follow(_ input: Input) throws(FuzzTarget.Finding) {
    try take(input)
    try take(.press(.view))
    now.uptime += .seconds(40)
    now.wall = now.wall.advanced(by: .seconds(40))
    try take(.wake)
    try take(.clearCenter)
  }

  @discardableResult
  mutating func take(_ input: Input) throws(FuzzTarget.Finding) -> Turn {
    let turn = handset.handle(input, at: now)
    _ = handset.presentation(at: now)
    _ = handset.wakeAt(after: now)
    try check()
    return turn
  }

  /// - Returns: the handset's verdict.
  mutating func answer(_ input: Input) -> Verdict { handset.handle(input, at: now).verdict }

  func check() throws(FuzzTarget.Finding) {
    let broken = handset.brokenInvariants()
    try hold(broken.isEmpty, broken.joined(separator: "; "))
  }
}
