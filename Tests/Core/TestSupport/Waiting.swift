/// Checks the condition again and again until it is true. When a test's time is over its task is cancelled, and this
/// throws: otherwise neither the test nor the run would end.
public func wait(until isSo: () -> Bool) async throws {
  while !isSo() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
