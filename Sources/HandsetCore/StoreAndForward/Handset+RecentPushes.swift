// Rule P1: what makes two pushes one, and how long.

extension Handset {
  /// Whether the push came already and counts once (rule P1).
  func isDuplicate(_ push: RecentPush, at now: Moment) -> Bool {
    recent[push.id].contains { $0.digest == push.digest && $0.counts(at: now.uptime) }
  }

  /// Remembers a push that is new, and forgets what is too old or too much: two at most, so that no push pays for many.
  mutating func remember(_ push: RecentPush, of app: AppID, at now: Moment, _ turn: inout Turn) {
    let others = recent[push.id]
    if others.contains(where: { $0.counts(at: now.uptime) }) {
      turn.rule(.reusedID, on: push.id)
      tell(.reusedID, app: app, push: push.id, at: now, &turn)
    }
    let isFull = others.count >= Policy.recentPushLimitPerID
    let leastNeeded = isFull ? others.first { !$0.counts(at: now.uptime) } ?? others.first : nil
    let replaced = others.first { $0.digest == push.digest } ?? leastNeeded
    commit(.recent(before: replaced, after: push), &turn)
    for _ in 0..<Policy.recentPushesForgottenAtOnce {
      guard let oldest = recent.oldest, recent.count > Policy.recentPushLimit || !oldest.counts(at: now.uptime)
      else { return }
      commit(.recent(before: oldest, after: nil), &turn)
    }
  }

  /// After a start: those whose hour is over are forgotten, and the hour of the others goes on. An hour that was over
  /// when the newest push came stays over: whether `remember` has come to forget that push yet makes no difference.
  mutating func carryRecentPushesOver(_ start: Start, at now: Moment, _ turn: inout Turn) {
    let all = recent.all
    guard let newest = all.map(\.moment.uptime).max() else { return }
    for before in all {
      var after = before
      after.moment = before.moment.afterStart(start, at: now)
      if !before.counts(at: newest) || !after.counts(at: now.uptime) {
        commit(.recent(before: before, after: nil), &turn)
      } else if after != before {
        commit(.recent(before: before, after: after), &turn)
      }
    }
  }
}
