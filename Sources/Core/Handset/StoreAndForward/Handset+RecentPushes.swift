// Rule P1: which pushes count as the same push, and for how long.

extension Handset {
  /// Returns true if the same push has come within the hour (rule P1).
  func isDuplicate(_ push: RecentPush, at now: Moment) -> Bool {
    recent[push.id].contains { $0.digest == push.digest && $0.counts(at: now.uptime) }
  }

  /// Remembers a new push, and forgets pushes that are too old or above the limit: at most two, so that every push
  /// costs the same.
  mutating func remember(_ push: RecentPush, of app: AppID, _ turn: inout Turn) {
    let others = recent[push.id]
    if others.contains(where: { $0.counts(at: turn.now.uptime) }) {
      turn.rule(.reusedID, on: push.id)
      emit(.reusedID, app: app, push: push.id, &turn)
    }
    let isFull = others.count >= Policy.recentPushLimitPerID
    let leastNeeded = isFull ? others.first { !$0.counts(at: turn.now.uptime) } ?? others.first : nil
    let replaced = others.first { $0.digest == push.digest } ?? leastNeeded
    commit(.recent(before: replaced, after: push), &turn)
    for _ in 0..<Policy.recentPushesForgottenAtOnce {
      let tooOld = recent.oldest.flatMap { $0.counts(at: turn.now.uptime) ? nil : $0 }
      guard let forgotten = tooOld ?? (recent.count > Policy.recentPushLimit ? recent.leastNeeded : nil) else { return }
      commit(.recent(before: forgotten, after: nil), &turn)
    }
  }

  /// Forgets pushes whose hour is over, after a start, and continues the hour of the others. An hour that was over when
  /// the newest push came stays over, whether or not `remember` has already forgotten that push.
  mutating func carryRecentPushesOver(_ start: Start, _ turn: inout Turn) {
    let all = recent.all
    guard let newest = all.map(\.moment.uptime).max() else { return }
    for before in all {
      var after = before
      after.moment = before.moment.afterStart(start, at: turn.now)
      if !before.counts(at: newest) || !after.counts(at: turn.now.uptime) {
        commit(.recent(before: before, after: nil), &turn)
      } else if after != before {
        commit(.recent(before: before, after: after), &turn)
      }
    }
  }
}
