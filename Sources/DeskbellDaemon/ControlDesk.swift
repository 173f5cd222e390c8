// What the control API asks for, answered from the one handset and its store.

import AppLink
import Board
import ControlAPI
import FoundationEssentials
import HandsetCore
import HandsetStore
import PushGateway
import Speaker
import Synchronization

/// The daemon, as the control API sees it.
final class ControlDesk: ControlBackend {
  enum Limits {
    /// Events read from the journal at a time, for a reader that takes them as it can.
    static let eventPage = 256
    /// Events that are searched for one push at a time.
    static let searchedEvents = 1_024
    static let providers = 1_000
  }

  private let host: Host
  private let queue: InputQueue
  private let handset: StoredHandset
  let library: SoundLibrary
  private let speaker: SpeakerSink
  private let boardSink: BoardSink
  private let folders: AppFolders
  private let link: AppLink
  private let devices: DeviceTable
  private let directory: ProviderDirectory
  private let eventStream: EventStreamSink
  private let clockDesk: ClockDesk
  private let language: String
  private let board: BoardSetup
  let panelDesk: PanelDesk
  let testProvider: TestProvider
  /// Those whose password in the 2008 service is this run's.
  let testPasswordApps = Mutex<Set<String>>([])
  /// Apps whose installation is under way.
  private let installing = Mutex<Set<AppID>>([])
  /// Knows the push port's certificate.
  let door: TLSDoor
  private let gateway: GatewayService
  /// The CA's certificate as PEM; nil where the user's own certificate is used.
  private let authority: Mutex<String?>

  init(
    host: Host, queue: InputQueue, handset: StoredHandset, library: SoundLibrary, speaker: SpeakerSink,
    board: BoardSetup, boardSink: BoardSink, folders: AppFolders, link: AppLink, runtime: Runtime,
    directory: ProviderDirectory, eventStream: EventStreamSink, clockDesk: ClockDesk, panelDesk: PanelDesk,
    testProvider: TestProvider, door: TLSDoor, gateway: GatewayService
  ) {
    self.host = host
    self.queue = queue
    self.handset = handset
    self.library = library
    self.speaker = speaker
    self.board = board
    self.boardSink = boardSink
    self.folders = folders
    self.link = link
    self.devices = runtime.devices
    self.language = runtime.configuration.language
    self.directory = directory
    self.eventStream = eventStream
    self.clockDesk = clockDesk
    self.panelDesk = panelDesk
    self.testProvider = testProvider
    self.door = door
    self.gateway = gateway
    authority = Mutex(gateway.authority)
  }

  // MARK: Inputs

  func submit(_ input: Input) async throws(ControlError) -> Verdict {
    switch await queue.submit(input, to: handset.id) {
    case .failed(let why):
      throw ControlError(503, "nothing has changed, it could not be stored: \(why)", hint: "try again")
    case .stored(let verdict):
      if case .uninstall(let app) = input, verdict == .accepted {
        link.uninstall(app)
        folders.remove(app)
        library.removeSounds(of: app)
      }
      return verdict
    }
  }

  func freshToken() -> DeviceToken { .random() }

  func freshPush() -> PushID { .random() }

  func install(_ upload: BundleUpload) async throws(ControlError) -> InstallReport {
    let files = upload.files.mapValues { Array($0) }
    let bundle: AppBundle
    do {
      bundle = try AppBundle(files: files, folder: "bundle", language: language)
    } catch {
      throw ControlError(400, error.description)
    }
    let id = bundle.manifest.id
    guard installing.withLock({ $0.insert(id).inserted }) else {
      throw ControlError(409, "\(id) is being installed by another command", hint: "wait until it is done")
    }
    defer { installing.withLock { _ = $0.remove(id) } }
    let (sounds, staged) = try stage(bundle, files)
    do throws(ControlError) {
      let verdict = try await submit(.install(bundle.manifest, token: freshToken()))
      if case .refused(let refusal) = verdict { throw ControlError(409, refusal.explanation) }
    } catch {
      library.forget(sounds)
      folders.forget(staged)
      throw error
    }
    library.adopt(sounds)
    do {
      link.install(id, hooks: try folders.adopt(staged))
    } catch {
      throw ControlError(
        507, "\(id) is installed with the hooks it had: \(error.description)", hint: "install it again")
    }
    return InstallReport(app: try await app(id), notes: bundle.notes)
  }

  /// Writes what an app brings beside what it has; nothing is left behind where that fails.
  private func stage(
    _ bundle: AppBundle, _ files: [String: [UInt8]]
  ) throws(ControlError) -> (StagedSounds, StagedBundle) {
    do {
      let sounds = try library.stage(bundle.sounds, of: bundle.manifest.id)
      do {
        return (sounds, try folders.stage(bundle.manifest.id, hooks: bundle.hooks, files: files))
      } catch {
        library.forget(sounds)
        throw error
      }
    } catch {
      throw ControlError(507, "\(error)", hint: "make room in the state directory")
    }
  }

  // MARK: Reading

  func state() async throws(ControlError) -> StateReport {
    let address = gateway.address
    let devices = devices.all
    let display = board.description?.display
    let device = handset.device.hex
    let boardSink = boardSink
    let scan = board.panel?.scanReport.map {
      StateReport.Scan(frames: $0.frames, lateFrames: $0.lateFrames, isRealTime: $0.isRealTime)
    }
    return try await read { handset, store, number, now in
      let presentation = handset.presentation(at: now)
      let report = { (id: NotificationID, place: NotificationContent.Place) in
        try handset.notification(id).map {
          try NotificationReport(
            $0, in: place, isLocked: handset.record.conditions.contains(.locked), store: store, number: number)
        }
      }
      let text = display.map { SegmentText(badge: presentation.badge, on: $0) }
      let settings = handset.record.settings
      return StateReport(
        version: Daemon.version, handset: number.number, deviceID: device, uptimeMicroseconds: now.uptime.inMicroseconds,
        wallMicroseconds: now.wall.microseconds, pushAddress: address,
        presentation: PresentationReport(
          badge: Int(clamping: presentation.badge), digits: text?.characters, segments: text?.digits.map(Int.init),
          segmentsBlink: text?.blinks ?? false, dimmed: presentation.isDimmed,
          lamp: presentation.lamp.map(PresentationReport.Lamp.init),
          motor: boardSink.vibration(at: SystemClock().now().uptime).map { .init($0.pattern, after: $0.elapsed) },
          banner: try presentation.banner.flatMap { try report($0.notification, .banner) },
          bannerUntilUptimeMicroseconds: presentation.banner?.until.inMicroseconds,
          alert: try presentation.alert.flatMap { try report($0.notification, .alert) },
          alertsBelow: presentation.alert?.below ?? 0),
        unseen: handset.unseenCount, apps: handset.apps.count, devices: devices,
        lastEvent: handset.record.nextEvent - 1,
        quietHours: settings.quietHours?.contains(secondOfDay: handset.timeZone.secondOfDay(at: now.wall)) ?? false,
        utcOffsetSeconds: handset.timeZone.offset(at: now.wall), scan: scan)
    }
  }

  func apps() async throws(ControlError) -> [AppReport] {
    try await read { handset, _, _, _ in
      handset.apps.values.sorted { $0.id < $1.id }.map { AppReport($0, of: handset) }
    }
  }

  func app(_ id: AppID) async throws(ControlError) -> AppReport {
    let report = try await read { handset, _, _, _ in handset.apps[id].map { AppReport($0, of: handset) } }
    guard let report else { throw ControlError(404, Refusal.unknownApp(id).explanation) }
    return report
  }

  func conditions() async throws(ControlError) -> [SettingReport] {
    try await read { handset, _, _, _ in
      Condition.allCases.map {
        SettingReport(key: $0.rawValue, value: handset.record.conditions.contains($0) ? "on" : "off")
      }
    }
  }

  func handsetSettings() async throws(ControlError) -> [SettingReport] {
    try await read { handset, _, _, _ in
      HandsetSettings.Key.allCases.map { SettingReport(key: $0.rawValue, value: handset.record.settings[$0]) }
    }
  }

  func center(of app: AppID?, limit: Int) async throws(ControlError) -> [NotificationReport] {
    try await read { handset, store, number, _ in
      try handset.listed(of: app).suffix(max(limit, 1)).reversed().map {
        try NotificationReport(
          $0, in: .center, isLocked: handset.record.conditions.contains(.locked), store: store, number: number)
      }
    }
  }

  func scheduled(of app: AppID?) async throws(ControlError) -> [LocalNotificationReport] {
    try await read { handset, _, _, now in
      let apps = app.map { [$0] } ?? handset.apps.keys.sorted()
      let reports = apps.flatMap { handset.pending(of: $0, at: now) }.map(LocalNotificationReport.init)
      return app != nil ? reports : reports.sorted { ($0.dueWallMicroseconds ?? 0) < ($1.dueWallMicroseconds ?? 0) }
    }
  }

  // MARK: Providers

  func providers() async throws(ControlError) -> [ProviderReport] {
    try await write { store in try store.providers().providers }.map(ProviderReport.init)
  }

  func setProvider(_ name: String, _ request: ProviderRequest) async throws(ControlError) -> ProviderReport {
    let record = try ProviderRecord(name, request)
    let directory = directory
    try await write { store in
      var records = try store.providers().providers
      records.removeAll { $0.name == record.name }
      guard records.count < Limits.providers else {
        throw ControlError(409, "there are \(Limits.providers) providers, which is the most there can be")
      }
      let providers = try records.compactMap { try? Provider($0) } + [Provider(record)]
      // Refuses two of the same key before anything is stored.
      _ = try ProviderDirectory(providers)
      try store.setProvider(record)
      try directory.replace(with: providers)
    }
    return ProviderReport(record)
  }

  func removeProvider(_ name: String) async throws(ControlError) {
    let directory = directory
    try await write { store in
      guard try store.removeProvider(named: name) else {
        throw ControlError(404, "there is no provider '\(name)'", hint: "deskbell provider list shows them")
      }
      try directory.replace(with: store.providers().providers.compactMap { try? Provider($0) })
    }
  }

  func certificateAuthority() async throws(ControlError) -> String {
    guard let authority = authority.withLock(\.self) else {
      throw ControlDesk.noAuthority
    }
    return authority
  }

  func renewCertificateAuthority() async throws(ControlError) -> AuthorityReport {
    guard let renewal = gateway.renewal else { throw ControlDesk.noAuthority }
    do {
      let renewed = try renewal.renewAuthority()
      authority.withLock { $0 = renewed.certificatePEM }
      return AuthorityReport(certificate: renewed.certificatePEM, replaced: renewed.replaced)
    } catch {
      throw ControlError(507, "there is no new certificate authority: \(error)")
    }
  }

  private static let noAuthority = ControlError(
    404, "the push gateway uses a certificate of your own, or is not running",
    hint: "deskbell state shows what is wrong")

  func certificate() async throws(ControlError) -> CertificateReport {
    guard let certificate = door.certificate else {
      throw ControlError(404, "the push gateway does not run", hint: "deskbell state shows what is wrong")
    }
    return CertificateReport(
      certificate: certificate.pem, names: certificate.names, host: certificate.host, file: certificate.file)
  }

  // MARK: Sound

  func play(_ subject: SoundSubject) async throws(ControlError) -> SoundPlayReport {
    let sound: Sound
    var volume = Volume.full
    switch subject {
    case .system: sound = library.sound(for: .system)
    case .app(let id, let name):
      let found = try await read { handset, _, _, _ in
        handset.apps[id].map { (names: $0.manifest.sounds.sorted(), percent: $0.state.settings.volume) }
      }
      guard let found else { throw ControlError(404, Refusal.unknownApp(id).explanation) }
      guard found.names.contains(name) else { throw .noSound(name, of: id, sounds: found.names) }
      sound = library.sound(for: .bundle(id, name: name))
      volume = Volume(Double(found.percent) / 100)
    case .file(let name, let bytes):
      do {
        sound = try library.preview(SoundFile(decoding: bytes, named: name))
      } catch let error as SoundFileError {
        throw ControlError(400, error.description)
      } catch {
        throw ControlError(507, "\(error)", hint: "make room in the state directory")
      }
    }
    if let problem = await speaker.play(sound, at: volume) {
      throw ControlError(409, "'\(sound.name)' is not heard: \(problem)")
    }
    return SoundPlayReport(sound: sound.name)
  }

  // MARK: Time

  func clock() async throws(ControlError) -> ClockReport { clockDesk.report }

  func advanceClock(by duration: Duration) async throws(ControlError) -> ClockReport {
    try await clockDesk.advance(by: duration)
  }

  // MARK: Events

  func events(after sequence: UInt64, follow: Bool) async throws(ControlError) -> AsyncStream<String> {
    let host = host
    let eventStream = eventStream
    let handset = handset.id
    // A producer that waits for its reader: one page is read when the one before is taken.
    let pager = EventPager(
      host: host, handset: handset, bell: follow ? eventStream.listen(to: handset) : nil, after: sequence)
    return AsyncStream(unfolding: { await pager.next() })
  }

  func explanation(of push: PushID) async throws(ControlError) -> ExplanationReport? {
    var explanation = Explanation(of: push)
    var searched: UInt64 = 0
    // In short spans: pushes come in between.
    while true {
      let after = searched
      let span = try await read { _, store, number, _ -> (last: UInt64, events: [StoredEvent])? in
        let last = try store.lastEvent(of: number, after: after, within: Limits.searchedEvents)
        return try last.map { ($0, try store.events(of: number, naming: push, in: after + 1...$0)) }
      }
      guard let span else { break }
      searched = span.last
      for event in span.events { explanation.read(event.line, rulings: event.rulings) }
    }
    let gathered = explanation
    return try await read { handset, _, _, now in gathered.report(handset, at: now) }
  }

  // MARK: The host's thread

  func read<Answer: Sendable>(
    _ body: @escaping @Sendable (Handset, HandsetStore, HandsetID, Moment) throws -> Answer
  ) async throws(ControlError) -> Answer {
    do {
      return try await host.read(handset.id, body)
    } catch {
      throw ControlDesk.controlError(error)
    }
  }

  func write<Answer: Sendable>(
    _ body: @escaping @Sendable (HandsetStore) throws -> Answer
  ) async throws(ControlError) -> Answer {
    do {
      return try await host.write(body)
    } catch {
      throw ControlDesk.controlError(error)
    }
  }

  private static func controlError(_ error: any Error) -> ControlError {
    switch error {
    case let error as ControlError: error
    case let error as ProviderError: ControlError(400, error.description)
    default: ControlError(503, "\(error)")
    }
  }
}

/// Reads the journal page by page for one reader.
private actor EventPager {
  private let host: Host
  private let handset: HandsetID
  private var bell: AsyncStream<Void>.AsyncIterator?
  private var last: UInt64
  private var lines: [String] = []

  init(host: Host, handset: HandsetID, bell: AsyncStream<Void>?, after sequence: UInt64) {
    self.host = host
    self.handset = handset
    self.bell = bell?.makeAsyncIterator()
    self.last = sequence
  }

  func next() async -> String? {
    while lines.isEmpty {
      let after = last
      let page = try? await host.read(handset) { _, store, number, _ in
        try store.events(of: number, after: after, limit: ControlDesk.Limits.eventPage)
      }
      guard let page else { return nil }
      if let newest = page.last {
        last = newest.sequence
        lines = page.map(\.line).reversed()
      } else {
        guard var waiting = bell else { return nil }
        guard await waiting.next(isolation: self) != nil, !Task.isCancelled else { return nil }
        bell = waiting
      }
    }
    return lines.popLast()
  }
}
