// Every metric with its name. docs/metrics.md lists them, and a test compares the two. Names never change.

import FoundationEssentials
import Glibc
import HandsetCore
import HandsetStore
import Host
import PushPort
import SystemThreads

struct MetricsFigures {
  struct OfHandset: Sendable {
    var tally: HandsetTally
    var badge: Int
    /// A bit for each case of `Condition` that is set. All values here are copied without counting references.
    var conditions: UInt8
    var events: Int
  }

  /// The values of the push port, and of the port without TLS.
  struct OfPort: Sendable {
    var connections: [(port: String, count: Int)] = []
    var connectionLimit = 0
    var refusedRequests: [Int: Int] = [:]
    var providers: [UsageReport.Provider] = []
  }

  /// The channels of an app, as Apple's console counts them.
  struct OfChannels: Sendable {
    var app: AppID
    var channels: Int
    var use: ChannelRegistry.Use
    /// Live Activities that are subscribed to a channel, and the handsets that have them.
    var subscriptions: Int
    var subscribers: Int
  }

  var counts: MetricsSink.Counts
  var process: ProcessFigures
  /// The start time, in seconds since 1970.
  var started: Double
  /// The handsets' values, one for each of `names`.
  var handsets: [OfHandset] = []
  var names: [String] = []
  var failedCommits = 0
  var databaseBytes = 0
  var waitingInputs = 0
  var waitingBytes = 0
  var port = OfPort()
  /// The channels of each app with broadcasts.
  var channels: [OfChannels] = []
  var devices: [DeviceStatus] = []

  var text: [UInt8] {
    // A line has about 45 bytes, and a handset 17 lines.
    var text = PrometheusText(capacity: 16_384 + 800 * handsets.count)
    addApps(to: &text)
    addHandsets(to: &text)
    addPort(to: &text)
    addChannels(to: &text)
    addHost(to: &text)
    addProcess(to: &text)
    return text.bytes
  }

  // MARK: Apps

  private func addApps(to text: inout PrometheusText) {
    addCounts(
      .pushes, to: &text, "deskbell_pushes_total",
      "Pushes by push type and status, as Apple's console counts them; one has several statuses.", label: "push_type",
      reason: "status")
    addCounts(
      .outcomes, to: &text, "deskbell_outcomes_total",
      "What became of pushes and local notifications; one may have several outcomes.", label: "outcome",
      reason: "reason")
    addCounts(
      .faults, to: &text, "deskbell_payload_faults_total",
      "Keys of payloads that were ignored because their values are wrong.")
    addCounts(
      .local, to: &text, "deskbell_local_notifications_total", "Local notifications that fell due.")
    addCounts(
      .completions, to: &text, "deskbell_completions_total", "Pushes that apps were given, by what they made of them.",
      label: "result")
    addCounts(.calls, to: &text, "deskbell_calls_total", "Calls to receivers that ended.", label: "result")
    text.family("deskbell_sounds_total", .counter, "Sounds that were played, by how they ended.")
    for (result, count) in counts.sounds.counters.sorted(by: { $0.label < $1.label }) {
      text.add(count, .init(["result": result]))
    }
  }

  private func addCounts(
    _ metric: MetricsSink.Counted.Metric, to text: inout PrometheusText, _ name: String, _ help: String,
    label: String? = nil, reason: String? = nil
  ) {
    text.family(name, .counter, help)
    var samples: [(labels: PrometheusText.Labels, count: Int)] = []
    for (app, counted) in counts.apps {
      for (kind, count) in counted.counters where kind.metric == metric {
        var labels = PrometheusText.Labels(["app": app.text])
        if let label { labels.append(label, kind.value) }
        if let reason { labels.append(reason, kind.reason) }
        samples.append((labels, count))
      }
    }
    for sample in samples.sorted(by: { $0.labels < $1.labels }) { text.add(sample.count, sample.labels) }
  }

  // MARK: Handsets

  private func addHandsets(to text: inout PrometheusText) {
    let labels = names.map { PrometheusText.Labels(["handset": $0]) }
    func add(_ name: String, _ help: String, _ value: (OfHandset) -> Int) {
      text.family(name, .gauge, help)
      for index in handsets.indices { text.add(value(handsets[index]), labels[index]) }
    }
    add("deskbell_badge", "The number that the display shows, or would.", \.badge)
    add("deskbell_apps", "Installed apps.", \.tally.apps)
    add("deskbell_notifications", "Notifications in Notification Center.", \.tally.notifications)
    text.single(
      "deskbell_notifications_limit", .gauge, "How many it can have on one handset.", Policy.centerLimit)
    add("deskbell_notification_bytes", "Texts and payloads of notifications.", \.tally.notificationBytes)
    text.single(
      "deskbell_notification_bytes_limit", .gauge, "How many there can be on one handset.", Policy.centerSizeLimit)
    add("deskbell_unseen_notifications", "Unseen notifications.", \.tally.unseen)
    add("deskbell_alerts", "Alerts that are up.", \.tally.alerts)
    add("deskbell_repeating_notifications", "Unseen notifications that sound again.", \.tally.repeating)
    add("deskbell_held_updates", "Background updates that wait for their budget, power or fetch time.", \.tally.held)
    add("deskbell_deferred_pushes", "Pushes that wait for the end of low power or the summary.", \.tally.deferred)
    add("deskbell_offered_pushes", "Pushes that apps were given and have not completed.", \.tally.offered)
    add("deskbell_kept_pushes", "Pushes that wait in the service.", \.tally.kept)
    add("deskbell_scheduled_notifications", "Local notifications that are not due yet.", \.tally.scheduled)
    add("deskbell_waiting_calls", "Calls to receivers that were not made yet.", \.tally.calls)
    add("deskbell_events", "Events in the journal, refusals apart.", \.events)
    text.single("deskbell_events_limit", .gauge, "How many it can have for one handset.", Policy.eventLimit)
    text.family("deskbell_condition", .gauge, "1 while the condition is set.")
    for (bit, condition) in Condition.allCases.enumerated() {
      let name = PrometheusText.Labels(["condition": condition.rawValue])
      for index in handsets.indices {
        text.add(Int(handsets[index].conditions >> UInt8(bit) & 1), labels[index], and: name)
      }
    }
  }

  // MARK: Push port

  private func addPort(to text: inout PrometheusText) {
    text.family(
      "deskbell_connections", .gauge,
      "Open connections of the push port, of the one without TLS and of the one for channels.")
    for (name, count) in port.connections { text.add(count, .init(["port": name])) }
    text.single("deskbell_connections_limit", .gauge, "How many one port can have.", port.connectionLimit)
    text.family(
      "deskbell_refused_requests_total", .counter, "Requests that were refused, by the HTTP status of their reason.")
    for (status, count) in port.refusedRequests.sorted(by: { $0.key < $1.key }) {
      text.add(count, .init(["status": "\(status)"]))
    }
    let providers = port.providers.sorted { $0.provider < $1.provider }
    let labels = providers.map { PrometheusText.Labels(["provider": $0.provider]) }
    func add(_ name: String, _ kind: PrometheusText.Kind, _ help: String, _ value: (UsageReport.Provider) -> Int) {
      text.family(name, kind, help)
      for (provider, labels) in zip(providers, labels) { text.add(value(provider), labels) }
    }
    add("deskbell_provider_requests_total", .counter, "Requests of a provider within its quota.", \.requests)
    add(
      "deskbell_provider_throttled_requests_total", .counter, "Requests of a provider beyond its quota, answered 429.",
      \.refusedRequests)
    add(
      "deskbell_provider_requests_per_second_limit", .gauge, "The quota of a provider; 0 is no limit.",
      \.requestsPerSecondLimit)
    add("deskbell_provider_connections", .gauge, "Open connections of a provider.", \.connections.used)
    add("deskbell_provider_connections_limit", .gauge, "How many it can have.", \.connections.limit)
  }

  private func addChannels(to text: inout PrometheusText) {
    let labels = channels.map { PrometheusText.Labels(["app": $0.app.text]) }
    func add(_ name: String, _ kind: PrometheusText.Kind, _ help: String, _ value: (OfChannels) -> Int) {
      text.family(name, kind, help)
      for (figures, labels) in zip(channels, labels) { text.add(value(figures), labels) }
    }
    add("deskbell_channels", .gauge, "Channels of the app.", \.channels)
    add("deskbell_broadcasts_published_total", .counter, "Broadcasts on the app's channels.", \.use.published)
    add(
      "deskbell_broadcasts_delivered_total", .counter,
      "Handsets on which broadcasts changed a Live Activity, summed over the broadcasts.", \.use.delivered)
    add(
      "deskbell_channel_subscriptions", .gauge, "Live Activities that are subscribed to a channel.", \.subscriptions)
    add("deskbell_channel_subscribers", .gauge, "Handsets with such a Live Activity.", \.subscribers)
  }

  // MARK: Host

  private func addHost(to text: inout PrometheusText) {
    text.family("deskbell_commit_seconds", .histogram, "Time of commits that waited for the disk.")
    text.add(counts.commits)
    text.single(
      "deskbell_failed_commits_total", .counter, "Commits that failed; their pushes were answered 503.", failedCommits)
    text.single("deskbell_inputs_total", .counter, "Inputs of handsets that were stored.", counts.inputs)
    text.single("deskbell_waiting_inputs", .gauge, "Inputs that wait for a commit.", waitingInputs)
    text.single("deskbell_waiting_inputs_limit", .gauge, "How many can wait.", InputQueue.Limits.waiting)
    text.single("deskbell_waiting_input_bytes", .gauge, "Bytes of inputs that wait for a commit.", waitingBytes)
    text.single("deskbell_waiting_input_bytes_limit", .gauge, "How many can wait.", InputQueue.Limits.waitingBytes)
    text.single("deskbell_database_bytes", .gauge, "The database, without its write-ahead log.", databaseBytes)
    text.single("deskbell_database_bytes_limit", .gauge, "How large it can get.", StoreLimits.databaseBytes)
    text.family("deskbell_device_works", .gauge, "1 if the device works, 0 if not.")
    for device in devices { text.add(device.works ? 1 : 0, .init(["device": device.name])) }
    text.single("deskbell_device_failures_total", .counter, "How often a device stopped working.", counts.deviceLosses)
  }

  // MARK: Process

  private func addProcess(to text: inout PrometheusText) {
    text.family("deskbell_build_info", .gauge, "1, with the version.")
    text.add(1, .init(["version": Daemon.version]))
    text.single(
      "process_cpu_seconds_total", .counter, "Processor time of the daemon, without apps' programs.",
      process.processorSeconds)
    text.single("process_start_time_seconds", .gauge, "Start of the daemon, in seconds since 1970.", started)
    text.single("process_resident_memory_bytes", .gauge, "Resident memory.", process.residentBytes)
    text.single("process_open_fds", .gauge, "Open file descriptors.", process.openDescriptors)
    text.single("process_max_fds", .gauge, "How many file descriptors can be open.", process.descriptorLimit)
  }
}

/// The resources that the process uses, under the names of Prometheus' client libraries; nil if the kernel does not
/// report them.
struct ProcessFigures {
  var residentBytes: Int?
  var processorSeconds: Double
  var openDescriptors: Int?
  var descriptorLimit: Int?

  init() {
    // The second word is the number of resident pages [proc(5)].
    let pages = String(decoding: (try? readFile("/proc/self/statm", atMost: 128)) ?? [], as: UTF8.self)
    residentBytes = pages.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map {
      $0 * sysconf(CInt(_SC_PAGESIZE))
    }
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    processorSeconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    // Without the descriptor of the folder itself.
    openDescriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { $0.count - 1 }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 {
      descriptorLimit = Int(clamping: limit.rlim_cur)
    }
  }
}
