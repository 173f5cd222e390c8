import CommandSupport
import DeskbellDaemon

enum SoundWords {
  static func checked(_ report: SoundCheckReport) -> String {
    var rows: [[String]] = []
    if let format = report.format { rows.append(["format", format]) }
    if let seconds = report.seconds { rows.append(["length", "\(rounded(seconds, places: 3)) s"]) }
    if report.seconds != nil {
      rows.append(["peak", report.peakDecibels.map { "\(rounded($0, places: 1)) dBFS" } ?? "silence"])
      rows.append([
        "loudness",
        report.loudnessLUFS.map { "\(rounded($0, places: 1)) LUFS" }
          ?? (report.peakDecibels == nil ? "silence" : "too short to measure: 0.4 s are needed"),
      ])
    }
    if let clipped = report.clippedSamples {
      rows.append(["clipping", clipped == 0 ? "none" : "\(clipped) samples at full scale, in rows"])
    }
    rows.append(["plays", report.plays == .itself ? "itself" : "the default sound (A1): \(report.problem ?? "")"])
    return "\(report.file)\n" + table(rows).split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
  }

  /// FoundationEssentials has no number formatting.
  private static func rounded(_ number: Double, places: Int) -> String {
    let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
    let whole = Int((number.magnitude * Double(scale)).rounded())
    let fraction = String(whole % scale)
    let sign = number < 0 && whole > 0 ? "-" : ""
    return "\(sign)\(whole / scale).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
  }
}
