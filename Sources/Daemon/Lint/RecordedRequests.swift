import FoundationEssentials
import HTTP

/// The requests in a file: an object with `requests`, as `GET /v1/requests` answers, an array of requests, or one request
/// on each line.
public enum RecordedRequests {
  /// The text is none of the forms.
  public struct Fault: Error, Hashable {
    /// From 1; nil for the whole text.
    public let line: Int?
    public let problem: String
  }

  private struct List: Decodable {
    var requests: [LintedRequest]
  }

  public static func read(_ text: [UInt8]) throws(Fault) -> [LintedRequest] {
    guard let first = text.first(where: { !isBlank($0) }) else { return [] }
    // JSON that has more than one value, such as lines, has a fault.
    guard JSONFault(in: text) == nil else { return try lines(text) }
    do {
      if first == UInt8(ascii: "[") { return try JSONDecoder().decode([LintedRequest].self, from: Data(text)) }
      if let list = try? JSONDecoder().decode([String: JSONValue].self, from: Data(text)), list["requests"] != nil {
        return try JSONDecoder().decode(List.self, from: Data(text)).requests
      }
      return [try JSONDecoder().decode(LintedRequest.self, from: Data(text))]
    } catch {
      throw Fault(line: nil, problem: problem(error))
    }
  }

  private static func lines(_ text: [UInt8]) throws(Fault) -> [LintedRequest] {
    var requests: [LintedRequest] = []
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
    where !line.allSatisfy(isBlank) {
      if let fault = JSONFault(in: Array(line)) { throw Fault(line: index + 1, problem: "\(fault.problem)") }
      do {
        requests.append(try JSONDecoder().decode(LintedRequest.self, from: Data(line)))
      } catch {
        throw Fault(line: index + 1, problem: problem(error))
      }
    }
    return requests
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  private static func problem(_ error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".")
    }
    return switch error {
    case DecodingError.keyNotFound(let key, let context):
      "no key '\(place(context.codingPath + [key]))', which a recorded request has"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      context.codingPath.isEmpty ? "it is no recorded request" : "'\(place(context.codingPath))' has another form"
    default: "it is no recorded request"
    }
  }
}

extension Linters {
  /// Examines requests that were recorded, in the order of their ends. Those without an end are still under way.
  /// - Returns: the findings, in the order of the requests.
  public mutating func examine(_ requests: [LintedRequest]) -> [Finding] {
    let ended = requests.filter { $0.answer != nil || $0.end != nil }
      .sorted { ($0.ended.real, $0.number) < ($1.ended.real, $1.number) }
    return ended.flatMap { note($0) }.sorted { ($0.request, $0.code) < ($1.request, $1.code) }
  }
}
