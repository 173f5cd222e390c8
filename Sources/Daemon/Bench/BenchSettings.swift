/// What makes a daemon a test bench. A desk has no such settings, and then nothing of the bench exists in it.
struct BenchSettings: Hashable, Sendable {
  init() {}
}
