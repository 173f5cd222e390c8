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
      files.append(try APNSFile(Array(line), path: "\(path):\(index + 1)"))
    }
    guard !files.isEmpty else { throw .badFile(path: path, reason: "it holds no lines; each is a payload in JSON") }
    return files
  }

  /// - Parameter path: the path to name in errors.
  public init(_ bytes: [UInt8], path: String) throws(ProviderClientError) {
    guard bytes.count <= ProviderLimits.fileBytes else { throw tooLarge(path, limit: ProviderLimits.fileBytes) }
    func problem(_ reason: String) -> ProviderClientError { .badFile(path: path, reason: reason) }
    var object = try JSONValue.object(in: bytes, problem)
    switch object.removeValue(forKey: Self.topicKey) {
    case nil: topic = nil
    case .string(let text)? where !text.isEmpty: topic = text
    default: throw problem("the key '\(Self.topicKey)' must be an app's identifier, as a string")
    }
    guard case .object? = object["aps"] else {
      throw problem("the key 'aps' is missing or no object; an .apns file is a whole payload")
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
