// The result of one run of a hook, for both kinds of hooks.

/// How a hook's work ended.
enum HookEnding: Hashable {
  case completed(AppResult)
  /// The hook could not do its work. For the log: what is wrong and what to do.
  case failed(String)
  /// Its time is over.
  case timedOut
  /// Something other than the daemon or the hook itself ended it (rule U5).
  case died(String)
  /// The daemon ended it: this is not reported.
  case stopped
}
