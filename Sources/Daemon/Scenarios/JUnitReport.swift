/// Results in the format of JUnit, which CI servers read.
public enum JUnitReport {
  public static func text(_ results: [ScenarioResult]) -> String {
    let failures = results.count { !$0.passed }
    let time = seconds(results.reduce(0) { $0 + $1.milliseconds })
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      #"<testsuites tests="\#(results.count)" failures="\#(failures)" errors="0" time="\#(time)">"#,
      #"  <testsuite name="deskbell scenarios" tests="\#(results.count)" failures="\#(failures)" errors="0" "#
        + #"skipped="0" time="\#(time)">"#,
    ]
    for result in results {
      let head =
        #"    <testcase name="\#(escaped(result.scenario))" classname="\#(escaped(result.file))" "#
        + #"file="\#(escaped(result.file))" time="\#(seconds(result.milliseconds))""#
      guard let failure = result.failure else {
        lines.append(head + "/>")
        continue
      }
      lines.append(head + ">")
      let message = #"<failure type="expectation" message="\#(escaped(failure.sentence))">"#
      lines.append("      \(message)\(escaped(failure.text))</failure>")
      lines.append("    </testcase>")
    }
    lines += ["  </testsuite>", "</testsuites>"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    let part = "\(milliseconds % 1_000)"
    return "\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - part.count))\(part)"
  }

  /// Escapes text for an element and for an attribute in double quotes. Characters that XML 1.0 does not have are
  /// replaced.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\t": escaped += "&#9;"
      // A line break in an attribute would be read as a space.
      case "\n": escaped += "&#10;"
      case "\r": escaped += "&#13;"
      case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
