/// Looks again and again until it is so. Where a test's time is over its task is cancelled, and this throws: it would not
/// end otherwise, and neither would the run.
public func wait(until isSo: () -> Bool) async throws {
  while !isSo() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
