// The entry point alone: everything else is in the library, which tests can link.

import Commands
import DeskbellDaemon
import Glibc
import Host
import Speaker
import SystemThreads

@main
enum Main {
  /// Not an `async` function: its main thread would be libdispatch's (see `TaskThreads`).
  static func main() {
    let arguments = programArguments()
    if arguments.first == SoundDecoder.subcommand {
      // Not a command for users: this program starts itself with it, before it has threads.
      SoundDecoder.decodeStandardInput(Array(arguments.dropFirst()))
    }
    Task.detached(executorPreference: TaskThreads.shared) {
      // Not `exit`: OpenSSL would then free data that threads of libnats still use, as they end a little later. Nothing
      // is buffered: all output is written at once (`Output`).
      _exit(await Program.run(arguments))
    }
    while true { pause() }
  }

  /// Returns the program's arguments without its name. Swift's runtime searches the stack for them from `environ` on,
  /// which has moved away if a preloaded library has set a variable.
  private static func programArguments() -> [String] {
    let bytes = (try? readFile("/proc/self/cmdline", atMost: 1 << 24)) ?? []
    let arguments = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
    // Under the name of sendmail, as a link, its arguments are those of sendmail.
    if arguments.first?.split(separator: "/").last == "sendmail" { return ["mail", "--"] + arguments.dropFirst() }
    return Array(arguments.dropFirst())
  }
}
