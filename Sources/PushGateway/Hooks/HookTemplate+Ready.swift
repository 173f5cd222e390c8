// The templates that are always there. Their tests have a body of each service.

import HandsetCore

extension HookTemplate {
  /// By their names.
  public static func ready() throws(TemplateError) -> [String: HookTemplate] {
    let forge = try forge()
    let series = try series()
    return [
      // The usual names; Apprise's `json://` too.
      standard: try HookTemplate(
        title: ["{{title}}", "{{subject}}"],
        text: ["{{message}}", "{{text}}", "{{body}}", "{{content}}", "{{msg}}", "{{description}}", "{{title}}"],
        level: ["{{level}}", "{{severity}}", "{{type}}", "{{priority}}", "{{status}}", "{{state}}"],
        replaces: ["{{replaces}}"], tags: ["{{tags.*}}", "{{tags}}", "{{sound}}"], badge: ["{{badge}}"]),
      "github": forge, "gitea": forge, "forgejo": forge, "gitlab": try gitlab(),
      "grafana": try alerts(
        "{{title}}", texts: ["{{message}}", "{{alerts.*.labels.alertname}}"], states: ["{{state}}"]),
      "alertmanager": try alerts(
        "{{receiver}}", texts: ["{{alerts.*.labels.instance}}", "{{receiver}}: {{status}}"], states: []),
      "uptime-kuma": try HookTemplate(
        title: ["{{monitor.name}}", "Uptime Kuma"], text: ["{{heartbeat.msg}}", "{{msg}}"],
        level: ["{{heartbeat.status}}"], ["0": .timeSensitive, "1": .active, "2": .passive, "3": .passive],
        replaces: ["monitor-{{monitor.id}}"]),
      // Its webhook sends what docs/ways-in.md has it send.
      "healthchecks": try HookTemplate(
        title: ["{{check}}", "Healthchecks"], text: ["{{check}} is {{status}}", "{{status}}"], level: ["{{status}}"],
        replaces: ["check-{{code}}", "check-{{check}}"]),
      "slack": try slack(), "discord": try discord(), "sonarr": series, "radarr": series,
      // Its webhook sends what docs/ways-in.md has it send.
      "proxmox": try HookTemplate(
        title: ["{{title}}", "Proxmox"], text: ["{{message}}", "{{title}}"], level: ["{{severity}}"],
        ["error": .timeSensitive, "unknown": .active, "notice": .active, "info": .passive]),
    ]
  }

  /// Alerts in groups. What fires passes quiet hours, whatever its severity's word.
  private static func alerts(_ title: String, texts: [String], states: [String]) throws(TemplateError) -> HookTemplate {
    let (firing, resolved) = ("alerts[status=firing]", "alerts[status=resolved]")
    let both = { (place: String) in "{{\(firing).\(place)}}; resolved: {{\(resolved).\(place)}}" }
    return try HookTemplate(
      title: [
        "{{commonLabels.alertname}} ({{status}})",
        "{{\(firing).labels.alertname}} (firing), {{\(resolved).labels.alertname}} (resolved)",
        "{{alerts.*.labels.alertname}} ({{status}})", title,
      ],
      text: [
        "{{commonAnnotations.summary}} (firing: {{\(firing).labels.instance}}; resolved: "
          + "{{\(resolved).labels.instance}})",
        both("annotations.summary"), "{{commonAnnotations.summary}}", "{{alerts.*.annotations.summary}}",
        both("annotations.description"), "{{commonAnnotations.description}}", "{{alerts.*.annotations.description}}",
        both("labels.instance"),
      ] + texts,
      // The person's `levels` may have a severity's word, alone or with the status.
      level: ["{{commonLabels.severity}}-{{status}}", "{{commonLabels.severity}}", "{{status}}"] + states,
      ["firing": .timeSensitive, "resolved": .active], replaces: ["{{groupKey}}"])
  }

  /// A repository's webhook: GitHub's, and Gitea's and Forgejo's, which follow it.
  private static func forge() throws(TemplateError) -> HookTemplate {
    try HookTemplate(
      title: ["{{repository.full_name}}", "{{organization.login}}", "{{sender.login}}", "Repository"],
      text: [
        "{{workflow_run.name}}: {{workflow_run.conclusion}} ({{workflow_run.head_branch}})",
        "{{workflow_run.name}}: {{workflow_run.status}} ({{workflow_run.head_branch}})",
        "{{workflow_job.workflow_name}}, {{workflow_job.name}}: {{workflow_job.conclusion}} "
          + "({{workflow_job.head_branch}})",
        "{{workflow_job.name}}: {{workflow_job.conclusion}}", "{{workflow_job.name}}: {{workflow_job.status}}",
        "{{check_run.name}}: {{check_run.conclusion}}", "{{check_run.name}}: {{check_run.status}}",
        "{{check_suite.app.name}}: {{check_suite.conclusion}} ({{check_suite.head_branch}})",
        "{{check_suite.app.name}}: {{check_suite.status}} ({{check_suite.head_branch}})",
        "{{deployment_status.environment}}: {{deployment_status.state}} ({{deployment.ref}})",
        "{{deployment_status.environment}}: {{deployment_status.state}}",
        "{{deployment.environment}}: deployment {{action}}", "{{context}}: {{state}} ({{description}})",
        "{{context}}: {{state}}", "{{run.title}}: {{action}} ({{run.prettyref}})", "{{run.title}}: {{action}}",
        "{{pull_request.title}}: {{review.state}}", "{{pull_request.title}}: {{comment.body}}",
        "{{pull_request.title}}: {{action}}", "{{issue.title}}: {{comment.body}}", "{{issue.title}}: {{action}}",
        "{{release.name}}: {{action}}", "{{release.tag_name}}: {{action}}",
        "{{discussion.title}}: {{comment.body}}", "{{discussion.title}}: {{action}}",
        "{{alert.security_advisory.summary}}: {{action}}", "{{alert.rule.description}}: {{action}}",
        "{{alert.secret_type}}: {{action}}", "{{package.name}}: {{action}}", "{{registry_package.name}}: {{action}}",
        "{{[deleted=true].ref}}: deleted", "{{head_commit.message}}", "{{commits.*.message}}",
        // An event of a new branch names the main one too; Gitea's has the commit instead.
        "{{[sha=][master_branch=].ref_type}} {{ref}}: deleted", "{{ref_type}} {{ref}}: created",
        "Pages: {{build.status}}", "{{forkee.full_name}}: forked", "{{comment.body}}", "{{sender.login}}: {{action}}",
        "{{action}}", "{{zen}}", "{{ref}}: pushed",
      ],
      level: [
        "{{workflow_run.conclusion}}", "{{workflow_run.status}}", "{{workflow_job.conclusion}}",
        "{{workflow_job.status}}", "{{check_run.conclusion}}", "{{check_run.status}}", "{{check_suite.conclusion}}",
        "{{check_suite.status}}", "{{deployment_status.state}}", "{{state}}", "{{build.status}}",
        "{{alert.security_advisory.severity}}", "{{run.status}}",
      ],
      [
        "failure": .timeSensitive, "timed_out": .timeSensitive, "startup_failure": .timeSensitive,
        "error": .timeSensitive, "errored": .timeSensitive, "action_required": .timeSensitive,
        "requested": .passive, "queued": .passive, "in_progress": .passive, "pending": .passive, "waiting": .passive,
        "skipped": .passive, "cancelled": .passive, "inactive": .passive, "stale": .passive,
      ],
      replaces: [
        "run-{{workflow_run.id}}", "job-{{workflow_job.id}}", "check-{{check_run.id}}", "suite-{{check_suite.id}}",
        "deployment-{{deployment.id}}", "run-{{run.id}}",
      ])
  }

  private static func gitlab() throws(TemplateError) -> HookTemplate {
    try HookTemplate(
      title: [
        "{{project.path_with_namespace}}", "{{project_name}}", "{{repository.name}}", "{{group_name}}", "GitLab",
      ],
      text: [
        "{{[object_kind=pipeline].object_attributes.name}}: {{object_attributes.status}} ({{object_attributes.ref}})",
        "{{[object_kind=pipeline].object_kind}} {{object_attributes.iid}}: {{object_attributes.status}} "
          + "({{object_attributes.ref}})",
        "{{[object_kind=pipeline].object_kind}} {{object_attributes.id}}: {{object_attributes.status}} "
          + "({{object_attributes.ref}})",
        "{{build_name}}: {{build_status}} ({{ref}})", "{{[object_kind=deployment].environment}}: {{status}}",
        "{{[object_kind=release].name}}: {{action}}", "{{[object_kind=release].tag}}: {{action}}",
        "{{merge_request.title}}: {{object_attributes.note}}", "{{issue.title}}: {{object_attributes.note}}",
        "{{object_attributes.note}}", "{{object_attributes.title}}: {{object_attributes.action}}",
        "{{object_attributes.title}}: {{object_attributes.state}}", "{{object_attributes.title}}",
        "{{[after=0000000000000000000000000000000000000000].ref}}: deleted", "{{commits.*.title}}",
        "{{commits.*.message}}", "{{ref}}: {{object_kind}}", "{{object_kind}}",
      ],
      level: ["{{object_attributes.status}}", "{{build_status}}", "{{[object_kind=deployment].status}}"],
      [
        "failed": .timeSensitive, "created": .passive, "pending": .passive, "running": .passive,
        "waiting_for_resource": .passive, "preparing": .passive, "canceled": .passive, "skipped": .passive,
        "manual": .passive, "scheduled": .passive,
      ],
      replaces: [
        "pipeline-{{[object_kind=pipeline].object_attributes.id}}", "job-{{build_id}}", "deployment-{{deployment_id}}",
      ])
  }

  /// An incoming webhook's message.
  private static func slack() throws(TemplateError) -> HookTemplate {
    try HookTemplate(
      title: [
        "{{blocks[type=header].text.text}}", "{{attachments.*.blocks[type=header].text.text}}",
        "{{attachments.0.title}}",
        "{{attachments.0.author_name}}", "{{username}}",
      ],
      text: [
        "{{blocks[type=section].text.text}}", "{{text}}\n{{attachments.*.text}}",
        "{{text}}\n{{attachments.*.blocks[type=section].text.text}}",
        "{{attachments.*.pretext}}\n{{attachments.*.text}}", "{{attachments.*.text}}",
        "{{attachments.*.blocks[type=section].text.text}}", "{{blocks.*.elements.*.elements.*.text}}",
        "{{blocks.*.fields.*.text}}", "{{text}}", "{{attachments.*.fallback}}", "{{attachments.*.pretext}}",
        "{{attachments.*.fields.*.value}}", "{{attachments.*.title}}", "{{blocks.*.text.text}}",
      ],
      level: ["{{attachments[color=danger].color}}", "{{attachments.0.color}}"],
      ["danger": .timeSensitive, "warning": .active, "good": .active], markup: .slack)
  }

  /// A webhook's message.
  private static func discord() throws(TemplateError) -> HookTemplate {
    try HookTemplate(
      title: ["{{embeds.0.title}}", "{{embeds.0.author.name}}", "{{username}}"],
      text: [
        "{{content}}\n{{embeds.*.description}}", "{{content}}", "{{embeds.*.description}}",
        "{{embeds.*.fields.*.value}}", "{{embeds.*.title}}",
      ], level: ["{{level}}"])
  }

  /// Sonarr's webhook, and Radarr's, which follows it.
  private static func series() throws(TemplateError) -> HookTemplate {
    try HookTemplate(
      title: [
        "{{series.title}}", "{{movie.title}} ({{movie.year}})", "{{movie.title}}", "{{instanceName}}", "{{eventType}}",
      ],
      text: [
        "{{eventType}}: {{[series=].message}}", "{{eventType}}: {{message}}",
        "{{eventType}}: {{episodes.0.seasonNumber}}x{{episodes.0.episodeNumber}} {{episodes.*.title}}",
        "{{eventType}}: {{release.releaseTitle}}", "{{eventType}}: {{remoteMovie.title}}", "{{eventType}}",
      ], level: ["{{[eventType=Health].level}}", "{{eventType}}"],
      [
        "ManualInteractionRequired": .timeSensitive, "DownloadFailure": .timeSensitive, "Grab": .passive,
        "Rename": .passive,
      ])
  }
}
