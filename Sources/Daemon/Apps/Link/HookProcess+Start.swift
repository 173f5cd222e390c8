// From a command in a manifest to a process: the path of its program, its environment, and the advice if it cannot
// start.

import CChildProcess
import Glibc
import SystemThreads

/// The reason why a hook could not run at all, for the log.
struct HookFault: Error, Hashable {
  var message: String
}

/// The command of a hook.
struct HookCommand {
  /// The program, then its arguments.
  var words: [String]
  /// The folder in which it runs, and which contains a program without a leading slash.
  var folder: String
  /// The environment, `NAME=value` each; nothing else is inherited.
  var environment: [String]
  /// True if orphaned processes become the hook's children, so that they can be attributed at its end. A hook without a
  /// time limit would collect zombies.
  var keepsOrphans = true
}

extension HookProcess {
  /// Returns the path of the program that the first word names.
  static func program(_ word: String, in folder: String) -> String {
    word.hasPrefix("/") ? word : "\(folder)/\(word)"
  }

  static func start(_ command: HookCommand) throws(HookFault) -> child_process {
    let (words, folder) = (command.words, command.folder)
    guard let word = words.first else { throw HookFault(message: "its command is empty") }
    let program = program(word, in: folder)
    var process = child_process()
    var code: CInt = 0
    let fault = withCStrings(words) { arguments in
      withCStrings(command.environment) { environment in
        child_process_start(program, arguments, environment, folder, command.keepsOrphans, &process, &code)
      }
    }
    switch fault {
    case CHILD_FAULT_NONE: return process
    case CHILD_FAULT_FOLDER:
      throw HookFault(message: "its folder \(folder) cannot be entered: \(errorText(code)); install the app again")
    case CHILD_FAULT_PROGRAM: throw HookFault(message: refusal(of: program, word, code))
    default:
      throw HookFault(message: "no process could be started: \(errorText(code)); the machine has no room for more")
    }
  }

  private static func refusal(of program: String, _ word: String, _ code: CInt) -> String {
    let remedy =
      switch code {
      case ENOENT where word.contains("/"): "the file, or the interpreter in its first line, does not exist"
      case ENOENT: "a word without a slash is a file in the bundle's folder; write a program's absolute path"
      case EACCES: "make it executable (chmod +x) for the daemon's user"
      case ENOEXEC: "give it a first line such as #!/bin/sh"
      default: "check the file"
      }
    return "\(program) cannot be executed: \(errorText(code)); \(remedy)"
  }
}
