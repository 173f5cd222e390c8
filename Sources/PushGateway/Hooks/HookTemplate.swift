import HandsetCore

/// How a hook makes a message of what a service sends.
public struct HookTemplate: Hashable, Sendable {
  public var title: TemplateText?
  public var text: TemplateText
  /// A word of which `levels` knows the interruption level, or a level itself.
  public var level: TemplateText?
  public var levels: [String: InterruptionLevel]
  /// A message replaces an earlier one of the hook with the same value (rule N8).
  public var replaces: TemplateText?
  /// Words that choose a sound of the app.
  public var tags: TemplateText?
  /// The number for the app's icon (rule B1).
  public var badge: TemplateText?

  public init(
    title: TemplateText?, text: TemplateText, level: TemplateText? = nil, levels: [String: InterruptionLevel] = [:],
    replaces: TemplateText? = nil, tags: TemplateText? = nil, badge: TemplateText? = nil
  ) {
    self.title = title
    self.text = text
    self.level = level
    self.levels = levels
    self.replaces = replaces
    self.tags = tags
    self.badge = badge
  }

  /// Of the texts that are written here.
  /// - Throws: `TemplateError`, which a test of all ready ones rules out.
  private init(
    title: [String], text: [String], level: [String], _ levels: [String: InterruptionLevel], replaces: [String]? = nil,
    tags: [String]? = nil, badge: [String]? = nil
  ) throws(TemplateError) {
    self.init(
      title: try TemplateText(title), text: try TemplateText(text), level: try TemplateText(level), levels: levels,
      replaces: try replaces.map { (texts) throws(TemplateError) in try TemplateText(texts) },
      tags: try tags.map { (texts) throws(TemplateError) in try TemplateText(texts) },
      badge: try badge.map { (texts) throws(TemplateError) in try TemplateText(texts) })
  }

  /// The one for a hook that names none.
  public static let standard = "plain"

  /// Those that are always there, by their names.
  public static func ready() throws(TemplateError) -> [String: HookTemplate] {
    [
      // Whatever has the usual names; Apprise's `json://` too.
      standard: try HookTemplate(
        title: ["{{title}}", "{{subject}}"],
        text: ["{{message}}", "{{text}}", "{{body}}", "{{content}}", "{{msg}}", "{{description}}", "{{title}}"],
        level: ["{{level}}", "{{severity}}", "{{type}}"],
        [
          "failure": .timeSensitive, "error": .timeSensitive, "warning": .active, "info": .active, "success": .active,
        ],
        replaces: ["{{replaces}}"], tags: ["{{tags.*}}", "{{tags}}", "{{sound}}"], badge: ["{{badge}}"]),
      // A repository's webhook: workflow runs, and the other events by their action.
      "github": try HookTemplate(
        title: ["{{repository.full_name}}", "GitHub"],
        text: [
          "{{workflow_run.name}}: {{workflow_run.conclusion}} ({{workflow_run.head_branch}})",
          "{{workflow_run.name}}: {{workflow_run.status}} ({{workflow_run.head_branch}})",
          "{{check_run.name}}: {{check_run.conclusion}}",
          "{{pull_request.title}}: {{action}}", "{{issue.title}}: {{action}}", "{{release.name}}: {{action}}",
          "{{head_commit.message}}", "{{action}}", "{{zen}}",
        ], level: ["{{workflow_run.conclusion}}", "{{workflow_run.status}}", "{{check_run.conclusion}}"],
        [
          "failure": .timeSensitive, "timed_out": .timeSensitive, "startup_failure": .timeSensitive,
          "requested": .passive, "queued": .passive, "in_progress": .passive, "skipped": .passive,
          "cancelled": .passive,
        ],
        replaces: ["run-{{workflow_run.id}}"]),
      "grafana": try HookTemplate(
        title: ["{{commonLabels.alertname}} ({{status}})", "{{title}}", "Grafana"],
        text: [
          "{{commonAnnotations.summary}}", "{{alerts.*.annotations.summary}}", "{{commonAnnotations.description}}",
          "{{alerts.*.annotations.description}}", "{{message}}", "{{alerts.*.labels.alertname}}",
        ], level: ["{{status}}"], ["firing": .timeSensitive, "resolved": .active], replaces: ["{{groupKey}}"]),
      "alertmanager": try HookTemplate(
        title: ["{{commonLabels.alertname}} ({{status}})", "{{alerts.*.labels.alertname}} ({{status}})"],
        text: [
          "{{commonAnnotations.summary}}", "{{alerts.*.annotations.summary}}", "{{commonAnnotations.description}}",
          "{{alerts.*.annotations.description}}", "{{alerts.*.labels.instance}}", "{{receiver}}: {{status}}",
        ], level: ["{{commonLabels.severity}}-{{status}}", "{{status}}"],
        [
          "firing": .timeSensitive, "resolved": .active, "critical-firing": .timeSensitive, "info-firing": .active,
          "critical-resolved": .active, "warning-firing": .active,
        ],
        replaces: ["{{groupKey}}"]),
      "uptime-kuma": try HookTemplate(
        title: ["{{monitor.name}}", "Uptime Kuma"], text: ["{{heartbeat.msg}}", "{{msg}}"],
        level: ["{{heartbeat.status}}"], ["0": .timeSensitive, "1": .active, "2": .passive, "3": .passive],
        replaces: ["monitor-{{monitor.id}}"]),
      // Its webhook sends what docs/ways-in.md has it send.
      "healthchecks": try HookTemplate(
        title: ["{{check}}", "Healthchecks"], text: ["{{check}} is {{status}}", "{{status}}"], level: ["{{status}}"],
        ["down": .timeSensitive, "up": .active], replaces: ["check-{{code}}", "check-{{check}}"]),
    ]
  }
}
