// Only the way in: everything else is in the library, which tests can link.

import CArguments
import Commands
import DeskbellDaemon
import Glibc
import Speaker

@main
enum Main {
  /// No `async` function: the main thread of one is libdispatch's (see `TaskThreads`).
  static func main() {
    let arguments = programArguments()
    if arguments.first == SoundDecoder.subcommand {
      // No command for people: this program, started by itself, before it has threads.
      SoundDecoder.decodeStandardInput(Array(arguments.dropFirst()))
    }
    Task.detached(executorPreference: TaskThreads.shared) {
      // Not `exit`: OpenSSL then frees what threads of libnats still use, which end a little later. Nothing
      // is buffered: all output is written at once (`Output`).
      _exit(await Program.run(arguments))
    }
    while true { pause() }
  }

  /// Returns the program's arguments without its name.
  private static func programArguments() -> [String] {
    var arguments: [String] = []
    var next = program_arguments()
    while let argument = next.pointee {
      arguments.append(String(cString: argument))
      next += 1
    }
    // As a link with that name, it is called as sendmail is.
    if arguments.first?.split(separator: "/").last == "sendmail" { return ["mail", "--"] + arguments.dropFirst() }
    return Array(arguments.dropFirst())
  }
}
