// The limits in docs/apps.md are those of the code.

import Foundation
import Testing

@testable import AppLink

@Suite struct DocumentationTests {
  @Test("Every limit is in docs/apps.md with its number")
  func limits() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "docs/apps.md"), encoding: .utf8)
    let start = try #require(text.range(of: "## Limits"))
    let rows = text[start.upperBound...].split(separator: "\n").filter {
      $0.hasPrefix("| ") && !$0.hasPrefix("| Limit")
    }
    let numbers = rows.compactMap { row in
      row.split(separator: "|").dropFirst().first?.split(separator: " ").first.map { $0.filter(\.isNumber) }
    }
    let limits = AppLinkLimits()
    let expected = [
      Int(limits.delivery.components.seconds), Int(limits.grace.components.seconds),
      Int(limits.hello.components.seconds), 1, limits.backgroundPrograms, limits.slowPrograms,
      Int(limits.programPatience / .milliseconds(1)), limits.launchPrograms, limits.waitingDeliveries,
      limits.outputLineBytes, limits.outputBytes, limits.errorLines, limits.connections, limits.lineBytes,
      limits.unreadBytes, limits.uncompletedPushes, limits.deliveredNotifications, limits.payloadBytes,
      Int(limits.extensionTime.components.seconds), limits.extensionLineBytes, AppLinkLimits.commandWords,
      AppLinkLimits.commandWordBytes, AppLinkLimits.socketPathBytes,
    ]
    #expect(numbers == expected.map(String.init))
    // All limits are compared: a new one must be documented.
    #expect(Mirror(reflecting: limits).children.count + 4 == expected.count)
  }
}
