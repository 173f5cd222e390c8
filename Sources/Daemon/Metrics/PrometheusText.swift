// The text format of Prometheus, version 0.0.4. An installation of 500 handsets has thousands of lines, so bytes are
// appended without making a string for each line.

import HandsetCore

/// A writer of metrics, one family after the other.
struct PrometheusText {
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  enum Kind: String {
    case counter, gauge, histogram
  }

  /// The labels of a sample in their written form, ordered by their bytes.
  struct Labels: Comparable {
    fileprivate private(set) var bytes: [UInt8] = []

    init(_ pairs: KeyValuePairs<String, String> = [:]) {
      for (name, value) in pairs { append(name, value) }
    }

    mutating func append(_ name: String, _ value: String) {
      bytes.reserveCapacity(bytes.count + name.utf8.count + value.utf8.count + 8)
      if bytes.popLast() == nil { bytes.append(UInt8(ascii: "{")) } else { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: name.utf8)
      bytes.append(contentsOf: "=\"".utf8)
      for byte in value.utf8 {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), byte]
        case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
        default: bytes.append(byte)
        }
      }
      bytes.append(contentsOf: "\"}".utf8)
    }

    static func < (left: Labels, right: Labels) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
  }

  private static let digits = (0..<10).map { String($0) }

  private(set) var bytes: [UInt8] = []
  private var name: [UInt8] = []

  init(capacity: Int = 0) {
    bytes.reserveCapacity(capacity)
  }

  /// Begins a family; the samples that follow belong to it.
  /// - Parameter help: one line, without backslashes.
  mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    self.name = Array(name.utf8)
    bytes.append(contentsOf: "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n".utf8)
  }

  mutating func add(_ value: Int, _ labels: Labels = Labels()) { sample(labels.bytes, PrometheusText.text(of: value)) }

  /// Adds a sample with the labels of both, neither of which is empty. No memory is allocated for the sample.
  mutating func add(_ value: Int, _ labels: Labels, and more: Labels) {
    bytes.append(contentsOf: name)
    bytes.append(contentsOf: labels.bytes.dropLast())
    bytes.append(UInt8(ascii: ","))
    bytes.append(contentsOf: more.bytes.dropFirst())
    end(PrometheusText.text(of: value))
  }

  /// Adds a family with one sample; nothing if there is no value.
  mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: (some CustomStringConvertible)?) {
    guard let value else { return }
    family(name, kind, help)
    sample([], value.description)
  }

  mutating func add(_ histogram: DurationHistogram) {
    var count = 0
    for (bound, number) in zip(DurationHistogram.bounds, histogram.counts) {
      count += number
      sample(Labels(["le": "\(bound.inSeconds)"]).bytes, "\(count)", suffix: "_bucket")
    }
    sample(Labels(["le": "+Inf"]).bytes, "\(histogram.count)", suffix: "_bucket")
    sample([], "\(histogram.sum.inSeconds)", suffix: "_sum")
    sample([], "\(histogram.count)", suffix: "_count")
  }

  private mutating func sample(_ labels: [UInt8], _ value: String, suffix: String = "") {
    bytes.append(contentsOf: name)
    if !suffix.isEmpty { bytes.append(contentsOf: suffix.utf8) }
    if !labels.isEmpty { bytes.append(contentsOf: labels) }
    end(value)
  }

  private mutating func end(_ value: String) {
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: value.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  private static func text(of value: Int) -> String { (0..<10).contains(value) ? digits[value] : String(value) }
}

struct DurationHistogram: Sendable, Equatable {
  /// The upper bounds of the buckets: a fast disk waits for 1 ms, a worn SD card for a second.
  static let bounds: [Duration] = [
    .milliseconds(1), .microseconds(2_500), .milliseconds(5), .milliseconds(10), .milliseconds(25), .milliseconds(50),
    .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1), .microseconds(2_500_000), .seconds(10),
  ]

  /// The counts of each bucket alone; values beyond the last bound are only in `count`.
  private(set) var counts = Array(repeating: 0, count: bounds.count)
  private(set) var count = 0
  private(set) var sum = Duration.zero

  mutating func add(_ duration: Duration) {
    if let bucket = DurationHistogram.bounds.firstIndex(where: { duration <= $0 }) { counts[bucket] += 1 }
    count += 1
    sum += duration
  }
}

extension Duration {
  var inSeconds: Double { Double(inMicroseconds) / 1_000_000 }
}
