// Only the way in: everything else is in the library, which tests can link.

import Commands
import DeskbellDaemon
import Glibc

@main
enum Main {
  /// No `async` function: the main thread of one is libdispatch's (see `TaskThreads`).
  static func main() {
    Task.detached(executorPreference: TaskThreads.shared) {
      exit(await Program.run(Array(CommandLine.arguments.dropFirst())))
    }
    while true { pause() }
  }
}
