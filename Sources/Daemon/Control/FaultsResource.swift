// Faults of a test bench. A desk's daemon has none, and refuses all of these.

import FoundationEssentials
import HTTP
import HandsetCore
import PushPort

public struct FaultReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A fault of a test bench."

  public var name: String
  public var preset: String?
  public var words: [String: String]
  public var armed: Bool
  public var seen: Int
  public var hits: Int
  public var app: String?
  public var provider: String?
  public var token: String?
  public var handset: String?
  public var more: [String]?

  static let meanings: [String: Meaning] = [
    "name": "Its name, which is also that of its hits among the requests.",
    "preset": "The preset that it is part of; absent if it is none.",
    "words": "The keys with which it was added, and their values as text.",
    "armed": "False once it has ended.",
    "seen": .count("The requests that it could have struck, or connections."),
    "hits": .count("The number of times that it struck. A test whose fault never struck did not test what it says."),
    "app": "The app that it is limited to.",
    "provider": "The provider that it is limited to.",
    "token": "The device token that it is limited to.",
    "handset": "The handset that it is limited to.",
    "more": "When a preset is added: the names of its other faults; absent if there are none.",
  ]
}

extension FaultReport {
  init(_ listed: BenchFaults.Listed) {
    let (entry, fault) = (listed.entry, listed.entry.fault)
    self.init(
      name: fault.name, preset: fault.preset, words: fault.words.compactMapValues(\.faultText), armed: listed.isArmed,
      seen: entry.seen, hits: entry.hits, app: fault.scope.app, provider: fault.scope.provider,
      token: fault.scope.token, handset: fault.scope.handset)
  }
}

public struct FaultList: Codable, Sendable, Equatable, WireType {
  static let meaning = "The faults of a test bench."

  public var faults: [FaultReport]
  public var unfired: [String]

  static let meanings: [String: Meaning] = [
    "faults": "The faults in the order in which they were added, those that have ended too.",
    "unfired": "The names of those that have not struck.",
  ]
}

public struct FaultPresetReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A known habit of Apple's service, or of Deskbell, as one fault or several."

  public var name: String
  public var description: String
  public var source: String
  public var faults: [[String: String]]

  static let meanings: [String: Meaning] = [
    "description": "What it does.",
    "source": "Where it is documented, or who met it.",
    "faults": "The keys of each of its faults, and their values as text.",
  ]
}

/// The keys of a fault, as `FaultWord` has them.
struct FaultRequest: RequestBody, Sendable {
  static let meaning = "A fault: one action, and what limits it. A number may also be a text, as in a command line."

  var words: [String: JSONValue]

  init(_ words: [String: JSONValue]) { self.words = words }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyKey.self)
    words = [:]
    for word in FaultWord.allCases {
      let key = AnyKey(word.rawValue)
      words[word.rawValue] =
        switch word.form {
        case .flag: try container.decodeIfPresent(FaultValue<Bool>.self, forKey: key)?.value
        case .integer: try container.decodeIfPresent(FaultValue<Int64>.self, forKey: key)?.value
        case .text, .numberOrText: try container.decodeIfPresent(FaultValue<String>.self, forKey: key)?.value
        }
    }
  }

  func encode(to encoder: any Encoder) throws { try words.encode(to: encoder) }

  static let meanings: [String: Meaning] = Dictionary(
    uniqueKeysWithValues: FaultWord.allCases.map { word in
      if let values = word.values { return (word.rawValue, .words(values, word.meaning)) }
      if case .integer(let range) = word.form { return (word.rawValue, .number(range, word.meaning)) }
      return (word.rawValue, Meaning(word.meaning))
    })
}

/// Any JSON value, described in the form of `Usual`.
private struct FaultValue<Usual: Recordable>: Recordable {
  var value: JSONValue

  static var form: Form { Usual.form }
  static func sample() -> FaultValue { FaultValue(value: .null) }

  init(value: JSONValue) { self.value = value }
  init(from decoder: any Decoder) throws { value = try JSONValue(from: decoder) }
}

extension JSONValue {
  /// A value of a fault as text; nil for an object, a list or nothing.
  fileprivate var faultText: String? {
    switch self {
    case .string(let text): text
    case .bool(let flag): "\(flag)"
    case .integer(let number): "\(number)"
    case .unsigned(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .double(let number): "\(number)"
    case .null, .array, .object: nil
    }
  }
}

enum FaultsResource {
  static let routes: [DaemonRoute] = [
    DaemonRoute(
      "POST", "/v1/faults", "addFault", in: .bench, "Add a fault",
      details: "The first fault that matches a request wins; new settings and GOAWAY leave it to the next one.",
      body: FaultRequest([
        "name": "busy", "answer": .integer(503), "retry-after": "2s", "pushes": "1-2", "app": "com.example.mail",
      ]),
      answer: "The fault; of a preset with several the first.",
      refusals: [404: ControlError.noBench, 409: "Its name is taken."]
    ) { daemon, request -> FaultReport in
      let bench = try daemon.requireFaults()
      return try await daemon.add(request.body(FaultRequest.self).words, to: bench)
    },
    DaemonRoute(
      "GET", "/v1/faults", "faults", in: .bench, "The faults, and how often they struck", answer: "The faults.",
      refusals: [404: ControlError.noBench]
    ) { daemon, _ -> FaultList in
      let reports = try daemon.requireFaults().all.map(FaultReport.init)
      return FaultList(faults: reports, unfired: reports.filter { $0.hits == 0 }.map(\.name))
    },
    DaemonRoute(
      "DELETE", "/v1/faults", "removeFaults", in: .bench, "Remove all faults", refusals: [404: ControlError.noBench]
    ) { daemon, _ in try await daemon.requireFaults().removeAll() },
    DaemonRoute(
      "DELETE", "/v1/faults/{name}", "removeFault", in: .bench, "Remove a fault",
      refusals: [404: "There is no such fault, or the daemon is no test bench."]
    ) { daemon, request in
      let (bench, name) = (try daemon.requireFaults(), try request.parameter("name"))
      guard try await bench.remove(name) else {
        throw ControlError.unknown("fault", name, among: bench.all.map(\.entry.fault.name), status: 404)
      }
    },
    DaemonRoute(
      "GET", "/v1/faults/presets", "faultPresets", in: .bench, "The presets of faults", answer: "The presets.",
      refusals: [404: ControlError.noBench]
    ) { daemon, _ -> [FaultPresetReport] in
      _ = try daemon.requireFaults()
      return FaultPreset.all.map { preset in
        FaultPresetReport(
          name: preset.name, description: preset.meaning, source: preset.source,
          faults: preset.faults.map { $0.compactMapValues(\.faultText) })
      }
    },
  ]
}

extension ControlParts {
  /// - Throws: `ControlError` 404 for a desk's daemon, in which no fault exists.
  fileprivate func requireFaults() throws(ControlError) -> BenchFaults {
    try requireBench().faults
  }

  fileprivate func add(_ words: [String: JSONValue], to bench: BenchFaults) async throws -> FaultReport {
    var faults: [Fault]
    do throws(FaultError) {
      faults = try Fault.read(words)
    } catch {
      throw ControlError(400, error)
    }
    for (index, fault) in faults.enumerated() {
      guard case .condition = fault.action.kind else { continue }
      faults[index].scope.handset = try handset(named: fault.scope.handset).access.identity.name
    }
    let names: [String]
    do {
      names = try await bench.add(faults) { condition, scope in
        let handset = try self.handset(named: scope.handset)
        return { isOn in try await handset.access.apply(.setCondition(condition, isOn)) }
      }
    } catch let error as FaultError {
      throw ControlError(409, error)
    }
    guard let first = bench.all.first(where: { $0.entry.fault.name == names.first }) else {
      throw ControlError(409, "the fault is removed already")
    }
    var report = FaultReport(first)
    if names.count > 1 { report.more = Array(names.dropFirst()) }
    return report
  }
}

extension ControlError {
  fileprivate init(_ status: Int, _ error: FaultError) {
    self.init(
      status, error.key.isEmpty ? error.problem : "\(error.key): \(error.problem)", hint: "expected \(error.valid)")
  }
}

extension ControlClient {
  /// - Parameter words: the keys of a fault with their values as text.
  public func addFault(_ words: [String: String]) async throws -> FaultReport {
    try await send("POST", "/v1/faults", words)
  }

  public func faults() async throws -> FaultList { try await get("/v1/faults") }

  public func removeFaults() async throws { try await send("DELETE", "/v1/faults") }

  public func removeFault(_ name: String) async throws { try await send("DELETE", daemonPath("faults", name)) }

  public func faultPresets() async throws -> [FaultPresetReport] { try await get("/v1/faults/presets") }
}
