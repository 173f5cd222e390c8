// What becomes of one run of a hook, whichever way the app is reached.

/// How a hook's work ended.
enum HookEnding: Hashable {
  case completed(AppResult)
  /// The hook could not do its work. For the log: what is wrong and what to do.
  case failed(String)
  /// Its time is over.
  case timedOut
  /// By a hand that is neither ours nor its own (rule U5).
  case died(String)
  /// By our hand: of this nobody is told.
  case stopped
}
