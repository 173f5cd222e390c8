// Only the way in: everything else is in the library, which tests can link.

import Commands
import Glibc

@main
enum Main {
  static func main() async {
    exit(await Program.run(Array(CommandLine.arguments.dropFirst())))
  }
}
