import ArgumentParser
import PushPort

/// `--json`, for every command that reads.
public struct JSONOption: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print JSON.")
  public var isWanted = false

  public init() {}

  public func print<Value: Encodable>(_ value: Value, _ text: (Value) -> String) throws {
    try isWanted ? Output.json(value) : Output.line(text(value))
  }
}

extension PushEnvironment: ExpressibleByArgument {}
