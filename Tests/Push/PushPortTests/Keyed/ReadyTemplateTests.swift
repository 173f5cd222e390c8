// Tests of ready templates: one body of each kind that a service sends, structured as in its source or documentation.

import Foundation
import HTTP
import HandsetCore
import Testing

@testable import PushPort

/// The template, the body's file, and the expected title, text, level, and identifier that it replaces.
private typealias Row = (String, String, String?, String, InterruptionLevel, String?)

private let github: [Row] = [
  ("github", "github-check-run", "brass/bell", "lint: timed_out", .timeSensitive, "check-300"),
  ("github", "github-comment-deleted", "brass/bell", "It is too loud: comment deleted", .active, nil),
  ("github", "github-comment", "brass/bell", "It is too loud: Indeed.", .active, nil),
  ("github", "github-create", "octocat/Hello-World", "branch topic: created", .active, nil),
  ("github", "github-delete", "octocat/Hello-World", "tag simple-tag: deleted", .active, nil),
  ("github", "github-dependabot-fixed", "brass/bell", "The clapper falls off: fixed", .active, nil),
  ("github", "github-dependabot", "brass/bell", "The clapper falls off: created", .timeSensitive, nil),
  ("github", "github-deployment-created", "brass/bell", "production: deployment created", .active, "deployment-88"),
  ("github", "github-deployment-review", "brass/bell", "production: review requested", .active, "run-501"),
  ("github", "github-deployment-success", "brass/bell", "production: success (main)", .active, "deployment-88"),
  ("github", "github-deployment", "brass/bell", "production: failure (main)", .timeSensitive, "deployment-88"),
  ("github", "github-gollum", "brass/bell", "Home: created", .active, nil),
  ("github", "github-import", "brass/bell", "Import: failure", .timeSensitive, nil),
  ("github", "github-issue", "brass/bell", "It is too loud: opened", .active, nil),
  ("github", "github-job-waiting", "brass/bell", "Tests, deploy: waiting (main)", .passive, "job-640"),
  (
    "github", "github-job", "octocat/Hello-World", "CI, Test workflow: failure (main)", .timeSensitive, "job-2832853555"
  ),
  ("github", "github-milestone", "brass/bell", "1.0: closed", .active, nil),
  ("github", "github-page-build", "brass/bell", "Pages: errored", .timeSensitive, nil),
  ("github", "github-ping", "deskbell/bell", "Keep it logically awesome.", .active, nil),
  ("github", "github-public", "brass/bell", "an event by ada", .active, nil),
  ("github", "github-pull-merged", "brass/bell", "A louder bell: merged", .active, nil),
  ("github", "github-push-delete", "octocat/Hello-World", "refs/heads/topic: deleted", .active, nil),
  ("github", "github-push", "brass/bell", "Ring twice\n\nFor the deaf.", .active, nil),
  ("github", "github-release-deleted", "brass/bell", "1.0: deleted", .active, nil),
  ("github", "github-release", "octocat/Hello-World", "0.0.1: published", .active, nil),
  ("github", "github-review-comment", "brass/bell", "A louder bell: Indeed.", .active, nil),
  ("github", "github-review", "brass/bell", "A louder bell: changes_requested", .active, nil),
  ("github", "github-run-requested", "brass/bell", "Tests: queued (main)", .passive, "run-501"),
  ("github", "github-run-success", "brass/bell", "Tests: success (main)", .active, "run-501"),
  ("github", "github-run", "deskbell/bell", "Tests: failure (main)", .timeSensitive, "run-30433642"),
  (
    "github", "github-status", "octocat/Hello-World", "ci/build: failure (The build failed)", .timeSensitive,
    "status-ci/build-6dcb09b5"
  ),
  ("github", "github-suite-fork", "brass/bell", "hammer: failure", .timeSensitive, "suite-77"),
  (
    "github", "github-suite", "octocat/Hello-World", "octocoders-linter: failure (changes)", .timeSensitive,
    "suite-118578147"
  ),
  (
    "github", "github-workflow-dispatch", "brass/bell", ".github/workflows/tests.yml: dispatched (refs/heads/main)",
    .active, nil
  ),
]

private let forges: [Row] = [
  ("gitea", "gitea-approved", "brass/bell", "A louder bell: approved", .active, nil),
  ("gitea", "gitea-comment-deleted", "brass/bell", "It is too loud: comment deleted", .active, nil),
  ("gitea", "gitea-create", "brass/bell", "branch louder: created", .active, nil),
  ("gitea", "gitea-delete", "brass/bell", "branch louder: deleted", .active, nil),
  ("gitea", "gitea-issue", "brass/bell", "It is too loud: label_updated", .active, nil),
  ("gitea", "gitea-job", "brass/bell", "build: failure", .timeSensitive, "job-52"),
  ("gitea", "gitea-merged", "brass/bell", "A louder bell: merged", .active, nil),
  ("gitea", "gitea-push", "brass/bell", "Ring twice", .active, nil),
  ("gitea", "gitea-rejected", "brass/bell", "A louder bell: changes requested", .active, nil),
  ("gitea", "gitea-release", "brass/bell", "First: deleted", .active, nil),
  ("gitea", "gitea-repository", "brass/bell", "ada: deleted", .active, nil),
  ("gitea", "gitea-reviewed", "brass/bell", "A louder bell: How loud?", .active, nil),
  ("gitea", "gitea-run", "brass/bell", "CI: failure (main)", .timeSensitive, "run-33"),
  ("gitea", "gitea-wiki", "brass/bell", "Home: edited", .active, nil),
  ("forgejo", "forgejo-recover", "brass/bell", "Ring twice: recover (main)", .active, "run-14"),
  ("forgejo", "forgejo-run", "brass/bell", "Ring twice: failure (main)", .timeSensitive, "run-14"),
  ("gitlab", "gitlab-build-allowed", "brass/bell", "lint: failed (main)", .active, "job-1977"),
  ("gitlab", "gitlab-build-created", "brass/bell", "lint: created (main)", .passive, "job-1977"),
  ("gitlab", "gitlab-build", "brass/bell", "lint: failed (main)", .timeSensitive, "job-1977"),
  ("gitlab", "gitlab-deployment", "brass/bell", "staging: failed", .timeSensitive, "deployment-15"),
  ("gitlab", "gitlab-emoji", "brass/bell", "bell: award", .active, nil),
  ("gitlab", "gitlab-flag-off", "brass/bell", "loud: off", .active, nil),
  ("gitlab", "gitlab-flag", "brass/bell", "loud: on", .active, nil),
  ("gitlab", "gitlab-member", "brass", "Bob: user_add_to_group", .active, nil),
  ("gitlab", "gitlab-merge", "brass/bell", "A louder bell: open", .active, nil),
  ("gitlab", "gitlab-milestone", "brass/bell", "1.0: close", .active, nil),
  ("gitlab", "gitlab-note-commit", "brass/bell", "Too loud.", .active, nil),
  ("gitlab", "gitlab-note", "brass/bell", "A louder bell: Too loud.", .active, nil),
  ("gitlab", "gitlab-pipeline-success", "brass/bell", "Nightly: success (main)", .active, "pipeline-31"),
  ("gitlab", "gitlab-pipeline", "brass/bell", "pipeline 3: failed (main)", .timeSensitive, "pipeline-31"),
  ("gitlab", "gitlab-project", "brass/bell", "Bell: project_destroy", .active, nil),
  ("gitlab", "gitlab-push-delete", "brass/bell", "refs/heads/louder: deleted", .active, nil),
  ("gitlab", "gitlab-push", "brass/bell", "Ring twice", .active, nil),
  ("gitlab", "gitlab-release", "brass/bell", "v1.0: delete", .active, nil),
  ("gitlab", "gitlab-subgroup", "brass", "clappers: subgroup_create", .active, nil),
  ("gitlab", "gitlab-tag", "brass/bell", "refs/tags/v1.0: tag_push", .active, nil),
  ("gitlab", "gitlab-token", "brass", "access token deploy expires 2026-12-01", .active, nil),
  ("gitlab", "gitlab-vulnerability", "GitLab", "The clapper falls off: confirmed", .active, nil),
  ("gitlab", "gitlab-wiki", "brass/bell", "Home: create", .active, nil),
  ("gitlab", "gitlab-work-item", "brass/bell", "Oil the clapper: close", .active, nil),
]

private let alerts: [Row] = [
  ("grafana", "grafana-bare", "HighCPU (firing)", "**Firing**\n\nValue: B=44.2, C=1", .timeSensitive, nil),
  ("grafana", "grafana-legacy", "[Alerting] Panel alert", "Panel alert: alerting", .timeSensitive, "rule-7"),
  ("grafana", "grafana-resolved", "HighCPU (resolved)", "CPU above 90 %", .active, nil),
  ("grafana", "grafana-two", "HighMemory, HighCPU (firing)", "Memory in us-1, CPU in eu-1", .timeSensitive, nil),
  ("grafana", "grafana", "HighCPU (firing)", "CPU above 90 % on web-1", .timeSensitive, nil),
  ("alertmanager", "alertmanager-bare", "DiskFull (firing)", "nas", .timeSensitive, nil),
  ("alertmanager", "alertmanager-firing", "DiskFull (firing)", "The disk of nas is full", .timeSensitive, nil),
  (
    "alertmanager", "alertmanager-half", "DiskFull (firing), HostDown (resolved)", "nas; resolved: web was down",
    .timeSensitive, nil
  ),
  (
    "alertmanager", "alertmanager-mixed", "DiskFull (firing), HostDown (resolved)",
    "nas is full; resolved: web was down", .timeSensitive, nil
  ),
  ("alertmanager", "alertmanager-page", "HighRequestLatency (firing)", "High request latency", .timeSensitive, nil),
  (
    "alertmanager", "alertmanager-same", "DiskFull (firing)", "A disk is full (firing: nas; resolved: web)",
    .timeSensitive, nil
  ),
  ("alertmanager", "alertmanager-watchdog", "Watchdog (firing)", "This alert always fires.", .timeSensitive, nil),
  ("alertmanager", "alertmanager", "DiskFull (resolved)", "The disk of nas is full", .active, nil),
  (
    "uptime-kuma", "uptime-kuma-certificate", "Uptime Kuma",
    "[Website][https://web.local] server certificate web.local will expire in 7 days", .active, nil
  ),
  ("uptime-kuma", "uptime-kuma-ping", "Website", "[Website] [✅ Up]", .active, "monitor-3"),
  ("uptime-kuma", "uptime-kuma-test", "Uptime Kuma", "Bell Testing", .active, nil),
  ("uptime-kuma", "uptime-kuma-up", "Website", "200 - OK", .active, "monitor-3"),
  ("uptime-kuma", "uptime-kuma", "Website", "connect ECONNREFUSED 10.0.0.2:443", .timeSensitive, "monitor-3"),
  (
    "healthchecks", "healthchecks-json", "Nightly \"big\" backup", "Nightly \"big\" backup is down", .timeSensitive,
    "check-5b9c2d0e"
  ),
  ("healthchecks", "healthchecks", "Nightly backup", "Nightly backup is down", .timeSensitive, "check-5b9c"),
  (
    "proxmox", "proxmox-info", "vzdump backup status (pve1): backup successful", "Details\n=======\nVMID 100 ok",
    .active, nil
  ),
  ("proxmox", "proxmox-unknown", "Proxmox", "Test notification", .active, nil),
  (
    "proxmox", "proxmox", "vzdump backup status (pve1): backup failed", "Details\n=======\nVMID 100 failed",
    .timeSensitive, nil
  ),
]

private let chats: [Row] = [
  ("slack", "slack-action", nil, "@here :no_entry: Failed GitHub Actions\n\nbrass/bell, 9c1f", .timeSensitive, nil),
  (
    "slack", "slack-alertmanager-resolved", "[RESOLVED] DiskFull nas (warning)",
    "[RESOLVED] DiskFull nas (warning) | http://nas:9093/#/alerts?receiver=bell", .active, nil
  ),
  (
    "slack", "slack-alertmanager", "[FIRING:1] DiskFull nas (warning)",
    "[FIRING:1] DiskFull nas (warning) | http://nas:9093/#/alerts?receiver=bell", .timeSensitive, nil
  ),
  ("slack", "slack-attachment", "[FIRING:1] DiskFull", "The disk of nas is > 90 % & growing", .timeSensitive, nil),
  ("slack", "slack-blocks", "New request", "Paid time off from Ada", .active, nil),
  ("slack", "slack-context", "Backup", "nas & web", .active, nil),
  (
    "slack", "slack-fields", nil, "You have a new request:\n*Ada - New device*\n*Type:*\nComputer, *When:*\nToday",
    .active, nil
  ),
  ("slack", "slack-grafana", "[FIRING:1] HighCPU Servers", "@here\n**Firing**\n\nValue: B=44.2", .timeSensitive, nil),
  ("slack", "slack-healthchecks", "“Nightly” is DOWN.", "The check \"Nightly\" is DOWN.", .timeSensitive, nil),
  ("slack", "slack-jenkins", nil, "bell - #12 Failure after 3 min 2 sec (Open)", .timeSensitive, nil),
  ("slack", "slack-kuma-up", "Uptime Kuma Alert", "Uptime Kuma Alert\n[Website] [✅ Up] 200 - OK", .active, nil),
  ("slack", "slack-kuma", "Uptime Kuma Alert", "Uptime Kuma Alert\n[Website] [🔴 Down] timeout", .timeSensitive, nil),
  ("slack", "slack-list", nil, "nas, web", .active, nil),
  ("slack", "slack-notify", "ada", "The release is out", .active, nil),
  ("slack", "slack-rich", nil, "The backup is done", .active, nil),
  ("slack", "slack-text", "backup", "Deploy finished! :rocket:\nCompleted", .active, nil),
  (
    "discord", "discord-alertmanager-resolved", "[RESOLVED] DiskFull nas (warning)",
    "Alerts:\nLabels:\n - alertname = DiskFull", .active, nil
  ),
  (
    "discord", "discord-alertmanager", "[FIRING:1] DiskFull nas (warning)", "Alerts:\nLabels:\n - alertname = DiskFull",
    .timeSensitive, nil
  ),
  ("discord", "discord-content", nil, "Hello, World!", .active, nil),
  ("discord", "discord-embed", "Disk full", "The disk of nas is full", .timeSensitive, nil),
  ("discord", "discord-grafana", "[FIRING:1] HighCPU Servers", "**Firing**\n\nValue: B=44.2", .timeSensitive, nil),
  ("discord", "discord-kuma-up", "✅ Your service Website is up! ✅", "Website, https://web.local, 12 ms", .active, nil),
  ("discord", "discord-kuma", "❌ Your service Website went down. ❌", "timeout", .timeSensitive, nil),
  ("discord", "discord-renamed", "The Belfry", "Renamed", .active, nil),
  ("discord", "discord-sonarr", "IndexerStatusCheck", "Indexers are unavailable", .timeSensitive, nil),
]

private let media: [Row] = [
  ("sonarr", "sonarr-add", "The Belfry", "SeriesAdd", .active, nil),
  ("sonarr", "sonarr-delete", "The Belfry", "SeriesDelete", .active, nil),
  ("sonarr", "sonarr-download", "The Belfry", "Download: 2x4 Vespers", .active, nil),
  ("sonarr", "sonarr-file-delete", "The Belfry", "EpisodeFileDelete: 2x4 Vespers", .active, nil),
  ("sonarr", "sonarr-grab", "The Belfry", "Grab: 2x4 Vespers", .passive, nil),
  ("sonarr", "sonarr-health-warning", "Sonarr", "Health: Indexers are unavailable", .active, nil),
  ("sonarr", "sonarr-health", "Sonarr", "Health: Indexers are unavailable", .timeSensitive, nil),
  ("sonarr", "sonarr-manual", "The Belfry", "ManualInteractionRequired: 2x4 Vespers", .timeSensitive, nil),
  ("sonarr", "sonarr-rename", "The Belfry", "Rename: Season 02/S02E04.mkv", .passive, nil),
  ("sonarr", "sonarr-restored", "Sonarr", "HealthRestored: Indexers are unavailable", .active, nil),
  ("sonarr", "sonarr-test", "Test Title", "Test: 1x1 Test title", .active, nil),
  ("sonarr", "sonarr-update", "Sonarr", "ApplicationUpdate: Sonarr updated from 4.0.1 to 4.0.2", .active, nil),
  ("radarr", "radarr-added", "Bells (2021)", "MovieAdded", .active, nil),
  ("radarr", "radarr-delete", "Bells (2021)", "MovieDelete", .active, nil),
  ("radarr", "radarr-download", "Bells (2021)", "Download: Bells.2021.1080p", .active, nil),
  ("radarr", "radarr-file-delete", "Bells (2021)", "MovieFileDelete: Bells.mkv", .active, nil),
  ("radarr", "radarr-grab", "Bells (2021)", "Grab: Bells.2021.1080p", .passive, nil),
  ("radarr", "radarr-manual", "Bells (2021)", "ManualInteractionRequired: Bells.2021.1080p", .timeSensitive, nil),
  ("radarr", "radarr-rename", "Bells (2021)", "Rename: Bells.mkv", .passive, nil),
  ("radarr", "radarr-test", "Test Title (1970)", "Test: Test Title", .active, nil),
]

@Suite("Ready templates", .timeLimit(.minutes(10)))
struct ReadyTemplateTests {
  @Test("What each service sends", arguments: Array([github, forges, alerts, chats, media].joined()))
  func ready(
    _ template: String, _ file: String, _ title: String?, _ text: String, _ level: InterruptionLevel,
    _ collapseID: String?
  ) async throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "bodies/\(file).json")
    let body = try [UInt8](Data(contentsOf: path))
    try await withKeyedPort(template: template) { port async throws in
      #expect(
        try await port.send("POST", "/h/\(hookKey)", body, ["Content-Type": "application/json"]).hasPrefix("200 "))
      let push = try #require(port.recorder.pushes.first)
      #expect((push.title, push.text, push.level) == (title, text, level))
      if let collapseID { #expect(push.collapseID == collapseID) }
    }
  }
}
