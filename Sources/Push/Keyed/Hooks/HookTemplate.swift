import Crypto
import HTTP
import HandsetCore

/// A template by which a hook makes a message of a service's request.
public struct HookTemplate: Hashable, Sendable {
  public var title: TemplateText?
  public var text: TemplateText
  /// A word that `levels` maps to an interruption level, or a level itself.
  public var level: TemplateText?
  public var levels: [String: InterruptionLevel] = [:]
  /// The value by which a message replaces an earlier one of the hook with the same value (rule N8).
  public var replaces: TemplateText?
  /// Words that choose a sound of the app.
  public var tags: TemplateText?
  /// The number for the app's icon (rule B1).
  public var badge: TemplateText?
  var markup = Markup.none

  public init(text: TemplateText) {
    self.text = text
  }

  /// Creates a ready template.
  /// - Throws: `TemplateError`, which a test of all ready templates rules out.
  init(
    title: [String], text: [String], level: [String], _ levels: [String: InterruptionLevel] = [:],
    replaces: [String]? = nil, tags: [String]? = nil, badge: [String]? = nil, markup: Markup = .none
  ) throws(TemplateError) {
    self.text = try TemplateText(text)
    self.title = try TemplateText(title)
    self.level = try TemplateText(level)
    self.levels = levels
    self.replaces = try replaces.map { (texts) throws(TemplateError) in try TemplateText(texts) }
    self.tags = try tags.map { (texts) throws(TemplateError) in try TemplateText(texts) }
    self.badge = try badge.map { (texts) throws(TemplateError) in try TemplateText(texts) }
    self.markup = markup
  }

  /// The name of the template for a hook that names none.
  public static let standard = "plain"

  /// Returns true if one of its texts names the field or, with `inside`, a part of it.
  func names(_ field: String, inside: Bool = false) -> Bool {
    [title, text, level, replaces, tags, badge].contains { $0?.names(field, inside: inside) == true }
  }

  /// - Parameter asked: words from the hook's address, which take precedence over the service's.
  func level(of values: TemplateValues, asked: [String]) -> InterruptionLevel {
    let words = level?.all(from: values) ?? []
    return asked.lazy.compactMap { known($0) ?? LevelWords[$0] }.first
      ?? words.lazy.compactMap(known).first ?? words.lazy.compactMap { LevelWords[$0] }.first ?? .active
  }

  /// Returns a service's value as a collapse identifier: hashed, if it is too long for one.
  static func collapseID(_ text: String) -> String {
    guard text.utf8.count > Policy.collapseIDLimit else { return text }
    return Hex.text(Array(SHA256.hash(data: Array(text.utf8)).prefix(16)))
  }

  /// Returns the level that `levels` has for a word, ignoring case.
  private func known(_ word: String) -> InterruptionLevel? {
    // By bytes: looking up a text takes long if it has many combining marks.
    let bytes = word.utf8.map(\.lowercasedASCII)
    return levels.first { $0.key.utf8.lazy.map(\.lowercasedASCII).elementsEqual(bytes) }?.value
  }
}

enum Markup: Hashable, Sendable {
  case none
  /// Slack's markup: `&amp;`, `&lt;` and `&gt;`; `<https://example.com|words>`, `<!here>`.
  case slack

  func plain(_ text: String) -> String {
    guard self == .slack else { return text }
    var result = ""
    var rest = Substring(text)
    while let start = rest.firstIndex(where: { $0 == "<" || $0 == "&" }) {
      result += rest[..<start]
      rest = rest[start...]
      if rest.first == "<", let end = rest.firstIndex(of: ">") {
        let link = rest[rest.index(after: start)..<end]
        let target = link.prefix { $0 != "|" }
        let words = link[target.endIndex...].dropFirst()
        // `<!here|here>` is a mention; `<!date^…|Monday>` has a text for programs that cannot format dates.
        if target.first == "!", words.isEmpty || !target.contains("^") {
          result.append("@")
          result += target.dropFirst()
        } else {
          result += words.isEmpty ? target : words
        }
        rest = rest[rest.index(after: end)...]
      } else if let (entity, character) = Markup.entities.first(where: { rest.hasPrefix($0.0) }) {
        result.append(character)
        rest = rest.dropFirst(entity.count)
      } else {
        result.append(rest.removeFirst())
        // If this link has no end, the rest has no link either.
        if rest.isEmpty || result.last == "<" {
          guard rest.contains(where: { $0 == ">" || $0 == "&" }) else { break }
        }
      }
    }
    return result + rest
  }

  private static let entities: [(String, Character)] = [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")]
}

/// The words that services use for urgency.
enum LevelWords {
  /// The level of a word, ignoring case, `-`, `_` and blanks.
  static subscript(word: String) -> InterruptionLevel? {
    let bytes = word.utf8.prefix(64).filter { !"-_ ".utf8.contains($0) }.map(\.lowercasedASCII)
    return known.first { $0.word.utf8.elementsEqual(bytes) }?.level ?? color(bytes)
  }

  /// Returns time-sensitive if one of the colours, separated by commas, is red: `hex:#e01e5a` for Slack, `rgb:14687834`
  /// for Discord. Their messages have no other sign of urgency that a program can read.
  private static func color(_ word: [UInt8]) -> InterruptionLevel? {
    let radix = word.starts(with: "hex:".utf8) ? 16 : 10
    guard radix == 16 || word.starts(with: "rgb:".utf8) else { return nil }
    let hasRed = word.dropFirst(4).split(separator: UInt8(ascii: ",")).contains { number in
      let digits = String(decoding: number.drop { $0 == UInt8(ascii: "#") }, as: UTF8.self)
      return Int(digits, radix: radix).map(isRed) ?? false
    }
    return hasRed ? .timeSensitive : nil
  }

  /// Returns true for a hue of -24 to 18 degrees that is neither dark nor pale: crimson, not orange.
  private static func isRed(_ color: Int) -> Bool {
    let (red, green, blue) = ((color >> 16) & 0xFF, (color >> 8) & 0xFF, color & 0xFF)
    let chroma = red - min(green, blue)
    guard (0...0xFF_FFFF).contains(color), red >= 96, chroma * 2 >= red else { return false }
    return (-24 * chroma...18 * chroma).contains(60 * (green - blue))
  }

  private static let known: [(word: String, level: InterruptionLevel)] = [
    (.critical, "critical"),
    (
      .timeSensitive,
      """
      timesensitive aborted alarm alert alerting blocker broken crashed crit dead disaster down emerg emergency err \
      error errored failed failing failure fail fatal firing high major max offline outage page panic problem severe \
      timedout timeout unavailable unhealthy unreachable urgent p0 p1 sev0 sev1
      """
    ),
    (
      .active,
      """
      active average average default fixed fine info information informational medium minor normal notice ok online \
      passed recovered recovery resolved success succeeded successful up warn warning healthy
      """
    ),
    (.passive, "passive debug low lowest min silent trace verbose"),
  ].flatMap { (level: InterruptionLevel, words: String) in words.split(separator: " ").map { (String($0), level) } }
}

// MARK: The ready templates

/// Their tests have a body of each service.
extension HookTemplate {
  /// Returns the ready templates by name.
  public static func ready() throws(TemplateError) -> [String: HookTemplate] {
    let forge = try forge()
    let series = try series()
    return [
      // The usual names, also those of Apprise's `json://`.
      standard: try HookTemplate(
        title: ["{{title}}", "{{subject}}"],
        text: ["{{message}}", "{{text}}", "{{body}}", "{{content}}", "{{msg}}", "{{description}}", "{{title}}"],
        level: ["{{level}}", "{{severity}}", "{{type}}", "{{priority}}", "{{status}}", "{{state}}"],
        replaces: ["{{replaces}}"], tags: ["{{tags.*}}", "{{tags}}", "{{sound}}"], badge: ["{{badge}}"]),
      "github": forge, "gitea": forge, "forgejo": forge, "gitlab": try gitlab(),
      "grafana": try alerts(
        "{{title}}", texts: ["{{message|alerts.*.labels.alertname}}", "{{ruleName}}: {{state}}", "{{title}}"],
        states: ["{{state}}"]),
      "alertmanager": try alerts(
        "{{receiver}}", texts: ["{{alerts.*.labels.instance}}", "{{receiver}}: {{status}}"], states: []),
      "uptime-kuma": try HookTemplate(
        title: ["{{monitor.name}}", "Uptime Kuma"], text: ["{{heartbeat.msg|msg}}"],
        level: ["{{heartbeat.status}}"], ["0": .timeSensitive, "1": .active, "2": .passive, "3": .passive],
        replaces: ["monitor-{{monitor.id}}"]),
      // Its webhook sends the fields in docs/ways-in.md, or all data of a check (`$JSON`).
      "healthchecks": try HookTemplate(
        title: ["{{check|name}}", "Healthchecks"], text: ["{{check|name}} is {{status}}", "{{status}}"],
        level: ["{{status}}"], replaces: ["check-{{code|uuid|unique_key|check|name}}"]),
      "slack": try slack(), "discord": try discord(), "sonarr": series, "radarr": series,
      // Its webhook sends the body in docs/ways-in.md.
      "proxmox": try HookTemplate(
        title: ["{{title}}", "Proxmox"], text: ["{{message}}", "{{title}}"], level: ["{{severity}}"]),
    ]
  }

  /// Makes a template for groups of alerts. Firing alerts pass quiet hours, whatever word they have for the severity.
  private static func alerts(_ title: String, texts: [String], states: [String]) throws(TemplateError) -> HookTemplate {
    let (firing, resolved) = ("alerts[status=firing]", "alerts[status=resolved]")
    let notes = ["annotations.summary", "annotations.description", "annotations.message", "labels.instance"]
    func all(_ group: String) -> String { notes.map { "\(group).\($0)" }.joined(separator: "|") }
    let instances = "(firing: {{\(firing).labels.instance}}; resolved: {{\(resolved).labels.instance}})"
    let summary = "commonAnnotations.summary|alerts.*.annotations.summary"
    let description = "commonAnnotations.description|alerts.*.annotations.description"
    let message = "commonAnnotations.message|alerts.*.annotations.message"
    return try HookTemplate(
      title: [
        "{{commonLabels.alertname}} ({{status}})",
        "{{\(firing).labels.alertname}} (firing), {{\(resolved).labels.alertname}} (resolved)",
        "{{alerts.*.labels.alertname}} ({{status}})", title,
      ],
      text: [
        "{{commonAnnotations.summary}} \(instances)",
        "{{\(all(firing))}}; resolved: {{\(all(resolved))}}", "{{\(summary)|\(description)|\(message)}}",
      ] + texts,
      // The user's `levels` may contain the severity, alone or with the status.
      level: ["{{commonLabels.severity}}-{{status}}", "{{commonLabels.severity}}", "{{status}}"] + states,
      ["firing": .timeSensitive, "resolved": .active], replaces: ["{{groupKey}}", "rule-{{ruleId}}"])
  }

  /// Makes the template for GitHub's webhook of a repository, and for Gitea's and Forgejo's, which follow it.
  private static func forge() throws(TemplateError) -> HookTemplate {
    // A job, a run, a check or a suite has only a status until it has a conclusion.
    func end(_ place: String) -> String { "{{\(place).conclusion|\(place).status}}" }
    let run = "{{workflow_run.name|workflow.name|workflow_run.display_title}}: \(end("workflow_run"))"
    // `comment.id=` matches if there is no comment.
    let alone = "[comment.id=].pull_request.title|[comment.id=].issue.title|[comment.id=].discussion.title"
    let deleted = "[action=deleted].pull_request.title|[action=deleted].issue.title|[action=deleted].discussion.title"
    let alert = "alert.security_advisory.summary|alert.rule.description|alert.secret_type|alert.affected_package_name"
    let severity = "alert.security_advisory.severity"
    return try HookTemplate(
      title: ["{{repository.full_name|run.repository.full_name|organization.login|sender.login}}", "Repository"],
      text: [
        // Events of deployments also contain their run and check.
        "{{environment}}: review {{action}}",
        "{{deployment_status.environment}}: {{deployment_status.state}} ({{deployment.ref}})",
        "{{deployment_status.environment}}: {{deployment_status.state}}",
        "{{workflow_job.workflow_name}}, {{workflow_job.name}}: \(end("workflow_job")) ({{workflow_job.head_branch}})",
        "{{workflow_job.name}}: \(end("workflow_job"))",
        "{{deployment.environment}}: deployment {{action}}", "{{deployment.environment}}: deployment",
        "\(run) ({{workflow_run.head_branch}})", run, "{{check_run.name}}: \(end("check_run"))",
        "{{check_suite.app.name}}: \(end("check_suite")) ({{check_suite.head_branch}})",
        "{{check_suite.app.name}}: \(end("check_suite"))",
        "{{context}}: {{state}} ({{description}})", "{{context}}: {{state}}",
        "{{run.title}}: {{action}} ({{run.prettyref}})", "{{run.title}}: {{action}}",
        // GitHub's review has a state; Gitea's has a type and a text.
        "{{pull_request.title}}: {{review.state}}",
        "{{[review.type=pull_request_review_approved].pull_request.title}}: approved",
        "{{[review.type=pull_request_review_rejected].pull_request.title}}: changes requested",
        "{{pull_request.title}}: {{review.content}}",
        "{{[action=closed][pull_request.merged=true].pull_request.title}}: merged",
        "{{\(alone)}}: {{action}}", "{{\(deleted)}}: comment deleted",
        "{{pull_request.title|issue.title|discussion.title}}: {{comment.body}}",
        "{{release.name|release.tag_name}}: {{action}}",
        "{{\(alert)}}: {{action}}", "{{security_advisory.summary|repository_advisory.summary}}: {{action}}",
        "{{package.name|registry_package.name}}: {{action}}",
        "{{[deleted=true].ref}}: deleted", "{{head_commit.message|commits.*.message}}",
        // An event of a new branch also names the main branch; Gitea's has the commit instead.
        "{{[sha=][master_branch=].ref_type}} {{ref}}: deleted", "{{ref_type}} {{ref}}: created",
        "{{pages.*.title}}: {{pages.*.action}}", "{{page}}: {{action}}", "{{workflow}}: dispatched ({{ref}})",
        "Pages: {{build.status}}", "{{forkee.full_name}}: forked", "{{comment.body}}",
        "{{milestone.title|label.name|member.login|rule.name|key.title|project.name|team.name}}: {{action}}",
        "{{merge_group.head_ref|project_card.note|project_column.name|membership.user.login}}: {{action}}",
        "hook {{hook_id}}: {{action}}", "{{sender.login}}: {{action}}", "{{action|zen}}", "Import: {{status}}",
        "{{team.name}}: added", "{{ref}}: pushed",
        "an event by {{sender.login}}",
      ],
      level: [
        "{{deployment_status.state}}", "review-{{[workflow_job_run.status=waiting].action}}", end("workflow_job"),
        end("workflow_run"), end("check_run"), end("check_suite"), "{{state}}", "{{build.status}}", "{{run.status}}",
        "{{[action=created].\(severity)|[action=reopened].\(severity)}}", "{{status}}",
      ],
      [
        "success": .active, "neutral": .active, "completed": .active, "review-requested": .active,
        "failure": .timeSensitive, "timed_out": .timeSensitive, "startup_failure": .timeSensitive,
        "error": .timeSensitive, "errored": .timeSensitive, "action_required": .timeSensitive,
        "critical": .timeSensitive,
        "requested": .passive, "queued": .passive, "in_progress": .passive, "pending": .passive, "waiting": .passive,
        "skipped": .passive, "cancelled": .passive, "inactive": .passive, "stale": .passive, "running": .passive,
        "blocked": .passive,
      ],
      replaces: [
        "job-{{workflow_job.id}}", "deployment-{{deployment.id}}", "run-{{workflow_run.id}}", "check-{{check_run.id}}",
        "suite-{{check_suite.id}}", "run-{{run.id}}", "status-{{context}}-{{sha}}",
      ])
  }

  private static func gitlab() throws(TemplateError) -> HookTemplate {
    let pipeline = "[object_kind=pipeline].object_attributes"
    return try HookTemplate(
      title: [
        "{{project.path_with_namespace|project_name|path_with_namespace|group.full_path|group_name|parent_full_path}}",
        "{{repository.name}}", "GitLab",
      ],
      text: [
        "{{\(pipeline).name}}: {{object_attributes.status}} ({{object_attributes.ref}})",
        "pipeline {{\(pipeline).iid|\(pipeline).id}}: {{object_attributes.status}} ({{object_attributes.ref}})",
        "{{build_name}}: {{build_status}} ({{ref}})", "{{[object_kind=deployment].environment}}: {{status}}",
        "{{[object_kind=release].name|[object_kind=release].tag}}: {{action}}",
        "{{merge_request.title|issue.title|snippet.title}}: {{object_attributes.note}}", "{{object_attributes.note}}",
        "{{[object_kind=feature_flag][object_attributes.active=true].object_attributes.name}}: on",
        "{{[object_kind=feature_flag].object_attributes.name}}: off",
        "access token {{[object_kind=access_token].object_attributes.name}} expires {{object_attributes.expires_at}}",
        "{{object_attributes.title}}: {{object_attributes.action|action|object_attributes.state}}",
        "{{object_attributes.title}}", "{{object_attributes.name}}: {{object_attributes.action}}",
        "{{[after=0000000000000000000000000000000000000000].ref}}: deleted", "{{commits.*.title|commits.*.message}}",
        "{{ref}}: {{object_kind}}", "{{user_name|name}}: {{event_name}}", "{{object_kind|event_name}}",
      ],
      level: [
        "{{object_attributes.status}}", "{{[build_allow_failure=true].build_status}}-allowed", "{{build_status}}",
        "{{[object_kind=deployment].status}}",
      ],
      [
        "failed": .timeSensitive, "failed-allowed": .active, "created": .passive, "pending": .passive,
        "running": .passive, "waiting_for_resource": .passive, "preparing": .passive, "canceled": .passive,
        "canceling": .passive, "skipped": .passive, "manual": .passive, "scheduled": .passive,
      ],
      replaces: [
        "pipeline-{{\(pipeline).id}}", "job-{{build_id}}", "deployment-{{deployment_id}}",
      ])
  }

  /// Makes the template for a message of Slack's incoming webhook.
  private static func slack() throws(TemplateError) -> HookTemplate {
    let section = "{{blocks[type=section].text.text}}"
    let attached = "attachments.*.text|attachments.*.blocks[type=section].text.text"
    // The fallback is the sender's own summary; its fields would be too much.
    let short = "attachments.*.fallback|attachments.*.fields.*.value"
    return try HookTemplate(
      title: [
        "{{blocks[type=header].text.text|attachments.*.blocks[type=header].text.text|attachments.0.title}}",
        "{{attachments.0.author_name|username}}",
      ],
      text: [
        "\(section)\n{{blocks.*.fields.*.text}}", "\(section)\n{{\(attached)}}", section,
        // With blocks, the text is the one that Slack itself shows in a notification.
        "{{text}}\n{{\(attached)|\(short)}}", "{{text}}\n{{blocks.*.fields.*.text}}",
        "{{attachments.*.pretext}}\n{{\(attached)|attachments.*.fields.*.value}}", "{{text}}",
        "{{\(attached)|attachments.*.blocks.*.fields.*.text|\(short)}}",
        "{{blocks.*.fields.*.text|blocks[type=markdown].text|blocks.*.elements.*.elements.*.text}}",
        "{{blocks.*.elements.*.elements.*.elements.*.text|blocks.*.elements.*.text|blocks.*.text.text}}",
        "{{attachments.*.pretext|attachments.*.title}}",
      ],
      level: ["{{attachments[color=danger].color}}", "hex:{{attachments.*.color}}", "{{attachments.0.color}}"],
      ["danger": .timeSensitive, "warning": .active, "good": .active], markup: .slack)
  }

  /// Makes the template for a message of Discord's webhook.
  private static func discord() throws(TemplateError) -> HookTemplate {
    let embedded = "embeds.*.description|embeds.*.fields[name=Error].value|embeds.*.fields.*.value"
    return try HookTemplate(
      title: ["{{embeds.0.title|embeds.0.author.name|username}}"],
      text: ["{{content}}\n{{\(embedded)}}", "{{content|\(embedded)|embeds.*.title}}"],
      level: ["rgb:{{embeds.*.color}}", "{{level}}"])
  }

  /// Makes the template for Sonarr's webhook, and for Radarr's, which follows it.
  private static func series() throws(TemplateError) -> HookTemplate {
    try HookTemplate(
      title: ["{{series.title}}", "{{movie.title}} ({{movie.year}})", "{{movie.title|instanceName|eventType}}"],
      text: [
        "{{eventType}}: {{message}}",
        "{{eventType}}: {{episodes.0.seasonNumber}}x{{episodes.0.episodeNumber}} {{episodes.*.title}}",
        "{{eventType}}: {{release.releaseTitle|downloadInfo.title|movieFile.relativePath|remoteMovie.title}}",
        "{{eventType}}: {{renamedEpisodeFiles.*.relativePath|renamedMovieFiles.*.relativePath}}", "{{eventType}}",
      ], level: ["{{[eventType=Health].level}}", "{{eventType}}"],
      [
        "ManualInteractionRequired": .timeSensitive, "DownloadFailure": .timeSensitive,
        "ImportFailure": .timeSensitive, "Grab": .passive, "Rename": .passive,
      ])
  }
}
