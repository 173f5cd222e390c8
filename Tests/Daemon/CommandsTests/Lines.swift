import ArgumentParser
import Testing

@testable import Commands

/// Splits a line at spaces; text in quotes is one word.
func words(_ line: String) -> [String] {
  line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
    index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
  }
}

func parse<Command: ParsableCommand>(_ line: String, as type: Command.Type = Command.self) throws -> Command {
  try #require(try Deskbell.parseAsRoot(words(line)) as? Command)
}

/// Returns the end of a program with that line; nil if the line is accepted.
func end(_ line: String) -> Program.End? { end(words(line)) }

func end(_ words: [String]) -> Program.End? {
  do {
    _ = try Deskbell.parseAsRoot(words)
    return nil
  } catch {
    return Program.end(of: error)
  }
}
