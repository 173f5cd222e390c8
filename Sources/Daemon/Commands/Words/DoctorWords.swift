import CommandSupport
import Installation

enum DoctorWords {
  static func text(_ findings: [Finding]) -> String {
    let width = findings.map(\.subject.count).max() ?? 0
    var lines = findings.flatMap { finding -> [String] in
      let mark =
        switch finding.grade {
        case .fine: "ok  "
        case .notable: "note"
        case .broken: "FAIL"
        }
      let line = "\(mark)  \(finding.subject.padded(to: width))  \(oneLine(finding.text))"
      guard let advice = finding.advice else { return [line] }
      return [line, String(repeating: " ", count: width + 8) + advice]
    }
    let broken = findings.count { $0.grade == .broken }
    lines.append(
      broken == 0 ? "Nothing is broken." : counted(broken, "thing is broken.", plural: "things are broken."))
    return lines.joined(separator: "\n")
  }
}
