import HTTP
import SystemThreads

/// An `.apns` file, as for Xcode's Simulator: the payload, and beside `aps` the app it is for. A file of JSON lines has
/// one on each line.
public struct APNSFile: Sendable, Hashable {
  /// The key that names the app and is not sent.
  public static let topicKey = "Simulator Target Bundle"

  public var topic: String?
  /// JSON with sorted keys and the file's meaning, without `topicKey`.
  public var payload: [UInt8]

  /// - Throws: `ProviderClientError.badFile`, with the path.
  public init(path: String) throws(ProviderClientError) {
    try self.init(readBounded(path, limit: ProviderLimits.fileBytes), path: path)
  }

  /// Reads every line of a file of JSON lines; empty lines are skipped.
  /// - Throws: `ProviderClientError.badFile`, with the path and the line's number.
  public static func lines(path: String) throws(ProviderClientError) -> [APNSFile] {
    let bytes = try readBounded(path, limit: ProviderLimits.linesFileBytes)
    var files: [APNSFile] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) {
      files.append(try APNSFile(Array(line), path: path, line: index + 1))
    }
    guard !files.isEmpty else { throw .badFile(path: path, reason: "it holds no lines; each is a payload in JSON") }
    return files
  }

  /// - Parameters:
  ///   - path: the path to name in errors.
  ///   - line: the number of the line that is read; nil for the whole file.
  public init(_ bytes: [UInt8], path: String, line: Int? = nil) throws(ProviderClientError) {
    let place = line.map { "\(path):\($0)" } ?? path
    guard bytes.count <= ProviderLimits.fileBytes else { throw tooLarge(place, limit: ProviderLimits.fileBytes) }
    func problem(_ reason: String) -> ProviderClientError { .badFile(path: place, reason: reason) }
    func problem(of key: String, _ reason: String) -> ProviderClientError {
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let index = lines.firstIndex { String(decoding: $0, as: UTF8.self).contains("\"\(key)\"") }
      return .badFile(
        path: index.map { "\(path):\((line ?? 1) + $0)" } ?? place, reason: "the key '\(key)' \(reason)")
    }
    if let fault = JSONFault(in: bytes) {
      let line = (line ?? 1) + fault.line - 1
      throw .badFile(path: "\(path):\(line):\(fault.column)", reason: "this is not JSON: \(fault.problem)")
    }
    var object = try JSONValue.object(in: bytes, problem)
    switch object.removeValue(forKey: Self.topicKey) {
    case nil: topic = nil
    case .string(let text)? where !text.isEmpty: topic = text
    default: throw problem(of: Self.topicKey, "must be an app's identifier, as a string")
    }
    guard case .object? = object["aps"] else {
      throw problem(of: "aps", "is missing or no object; an .apns file is a whole payload")
    }
    payload = try JSONValue.object(object).encoded(problem)
  }
}

/// Reads at most one byte more than the limit, whatever kind of file the path names.
private func readBounded(_ path: String, limit: Int) throws(ProviderClientError) -> [UInt8] {
  let bytes: [UInt8]
  do throws(SystemError) {
    bytes = try readFile(path, atMost: limit)
  } catch {
    throw .badFile(path: path, reason: "it cannot be read: \(error.reason); check the path")
  }
  guard bytes.count <= limit else { throw tooLarge(path, limit: limit) }
  return bytes
}

private func tooLarge(_ path: String, limit: Int) -> ProviderClientError {
  .badFile(path: path, reason: "it is larger than \(limit) bytes; a payload has at most 5,120")
}
