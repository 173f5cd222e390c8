// The output of backup and restore.

import CommandSupport
import DeskbellDaemon

enum BackupWords {
  static func made(_ report: Backup.Report) -> String {
    let contents = report.contents
    var lines = ["\(report.file), \(max(1, report.bytes / 1_000_000)) MB, has:"]
    lines += summary(contents.apps, contents.providers, contents.notifications, contents.settings)
    lines += report.leftOut.map { "left out: \(oneLine($0))" }
    return (lines + ["It contains keys: keep it where only you can read it."]).joined(separator: "\n")
  }

  static func restored(_ report: Restore.Report, from file: String, isDryRun: Bool) -> String {
    var lines: [String] = []
    if let backup = report.backup {
      lines.append(
        "\(file), made on \(oneLine(backup.machine)) by Deskbell \(oneLine(backup.version)) at \(oneLine(backup.made)), has:"
      )
    } else {
      lines.append("\(file) is a database alone. It has:")
    }
    lines += summary(report.apps, report.providers, report.notifications, report.settings)
    if !report.acceptedPages.isEmpty {
      let pages = counted(report.acceptedPages.count, "page", plural: "pages")
      lines.append("\(pages) that another program wrote: accepted, SQLite's integrity check passes")
    }
    if isDryRun { return (lines + ["Nothing was changed."]).joined(separator: "\n") }
    lines.append("It is in \(report.state) now; start the daemon.")
    if let replaced = report.replaced { lines.append("What was there before is in \(replaced).") }
    lines += report.replacedSettings.map { "The settings file that was there before is \(oneLine($0))." }
    return lines.joined(separator: "\n")
  }

  private static func summary(
    _ apps: [String], _ providers: [String], _ notifications: Int, _ settings: [String]
  ) -> [String] {
    func list(_ names: [String]) -> String {
      names.isEmpty ? "none" : names.map { oneLine($0) }.joined(separator: ", ")
    }
    return [
      "  apps           \(list(apps))", "  providers      \(list(providers))",
      "  notifications  \(notifications)", "  settings       \(list(settings))",
    ]
  }
}
