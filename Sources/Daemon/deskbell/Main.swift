// The entry point alone: everything else is in the library, which tests can link.

import CArguments
import Commands
import DeskbellDaemon
import Glibc
import Host
import Speaker

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

  private static func programArguments() -> [String] {
    var arguments: [String] = []
    var next = program_arguments()
    while let argument = next.pointee {
      arguments.append(String(cString: argument))
      next += 1
    }
    // Under the name of sendmail, as a link, its arguments are those of sendmail.
    if arguments.first?.split(separator: "/").last == "sendmail" { return ["mail", "--"] + arguments.dropFirst() }
    return Array(arguments.dropFirst())
  }
}
