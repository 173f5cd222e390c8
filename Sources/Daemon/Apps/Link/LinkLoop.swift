// The link's only thread: it owns every process and every connection, so none of them needs a lock. It sleeps in `poll`
// until one of them, a deadline or a request needs it.

import Glibc
import HandsetCore
import SystemThreads
import UnixSockets

final class LinkLoop {
  private let link: AppLink
  private let handsets: HandsetNames
  private let limits: AppLinkLimits
  private let emit: (Input, AppAddress) -> Void
  private let log: (String) -> Void

  private var apps: [AppAddress: AppPrograms] = [:]
  private var socket: AppSocket?
  private var schedule: ProgramSchedule
  private var processes: [ProgramSlot: ProgramProcess] = [:]
  private var services: [ProgramSlot: ProgramSocket] = [:]
  private var orphans = ProgramOrphans()
  /// The deliveries for launched apps that have not connected, kept until they do or their time is over. The handset
  /// measures no time for them, because the apps did not listen.
  private var parked: [AppAddress: [(push: PushID, line: [UInt8], until: Duration)]] = [:]
  /// Those who wait until no push is in a program, and until the link has ended.
  var waiting: [CheckedContinuation<Void, Never>] = []
  private var ending: [CheckedContinuation<Void, Never>] = []
  private(set) var isEnding = false

  init(_ link: AppLink, file: ListeningUnixSocket, emit: @escaping (Input, AppAddress) -> Void) {
    self.link = link
    handsets = link.handsets
    limits = link.limits
    log = link.log
    self.emit = emit
    schedule = ProgramSchedule(limits: limits)
    socket = AppSocket(file: file, handsets: handsets, limits: limits, log: log) { [unowned self] in handle($0, of: $1)
    }
  }

  /// Runs the thread until the link was shut down and all its processes have ended.
  func run() {
    while !(isEnding && processes.isEmpty) {
      wait()
      let now = monotonicTime()
      timePassed(at: now)
      sweep(at: now)
      startPrograms(at: now)
      if schedule.isIdle { resume(&waiting) }
    }
    link.close()
    resume(&waiting)
    resume(&ending)
  }

  // MARK: Waiting

  private func wait() {
    var interests = [pollfd(fd: link.bell.descriptor, events: Int16(POLLIN), revents: 0)]
    var handlers = [{ [unowned self] (_: CInt) in for request in link.takeRequests() { request(self) } }]
    func add(_ more: [pollfd], _ handler: @escaping (CInt) -> Void) {
      interests += more
      handlers += repeatElement(handler, count: more.count)
    }
    if let socket {
      // A request may have closed the socket.
      add(socket.interests) { [unowned self] in self.socket?.ready($0, at: monotonicTime()) { apps[$0] != nil } }
    }
    for process in processes.values { add(process.interests, process.ready) }
    for service in services.values { add(service.interests) { _ in service.ready() } }
    // An interruption only ends the wait early: the next turn waits again.
    guard poll(&interests, nfds_t(interests.count), milliseconds(to: deadline)) > 0 else { return }
    for (interest, handle) in zip(interests, handlers) where interest.revents != 0 { handle(interest.fd) }
  }

  private var deadline: Duration? {
    var deadlines = processes.values.compactMap(\.deadline) + services.values.compactMap(\.deadline)
    deadlines += parked.values.compactMap { $0.first?.until }
    if let deadline = socket?.deadline { deadlines.append(deadline) }
    deadlines += [schedule.deadline, orphans.deadline].compactMap(\.self)
    return deadlines.min()
  }

  private func milliseconds(to deadline: Duration?) -> CInt {
    guard let deadline else { return -1 }
    let left = deadline - monotonicTime()
    guard left > .zero else { return 0 }
    // Rounded up: waking a moment early would mean waking twice.
    return CInt(clamping: left.inMicroseconds / 1_000 + 1)
  }

  private func timePassed(at now: Duration) {
    for process in processes.values { process.timePassed(at: now) }
    for service in services.values { service.timePassed(at: now) }
    socket?.timePassed(at: now)
    for (app, deliveries) in parked where deliveries.first.map({ $0.until <= now }) == true {
      let over = deliveries.prefix { $0.until <= now }
      parked[app] = over.count == deliveries.count ? nil : Array(deliveries.dropFirst(over.count))
      for delivery in over { emit(.timedOut(app.app, delivery.push), app) }
    }
  }

  private func resume(_ continuations: inout [CheckedContinuation<Void, Never>]) {
    for continuation in exchange(&continuations, with: []) { continuation.resume() }
  }

  // MARK: Requests

  func install(_ app: AppAddress, _ programs: AppPrograms) { apps[app] = programs }

  func uninstall(_ app: AppAddress) {
    stop(app)
    let slot = ProgramSlot(app: app, occasion: .serviceExtension)
    _ = schedule.takeWaiting(slot)
    processes[slot]?.stop(at: monotonicTime())
    services[slot]?.stop()
    apps[app] = nil
  }

  func send(_ line: [UInt8], to app: AppAddress) { socket?.emit(line, to: app) }

  func deliver(_ delivery: Delivery, _ payload: [UInt8], to app: AppAddress) {
    let push = delivery.push
    guard let programs = apps[app] else { return fail(app, push, "is not installed") }
    guard payload.count <= limits.payloadBytes,
      let line = PushLine.delivery(delivery, payload: payload, handset: nameInLine(of: app))
    else {
      return fail(app, push, "cannot be given a payload that is no JSON object of \(limits.payloadBytes) bytes at most")
    }
    let launchSlot = ProgramSlot(app: app, occasion: .launch)
    if let socket, socket.isListening(app) {
      socket.deliver(push, line, to: app)
    } else if let occasion = programs.occasion(of: delivery) {
      add(
        ProgramJob(
          app: app, occasion: occasion, push: push, line: line, time: min(limits.delivery, time(for: delivery))))
    } else if schedule.isTaken(launchSlot) || schedule.hasWaiting(launchSlot) {
      var own = parked[app] ?? []
      own.append((push, line, monotonicTime() + min(limits.delivery, time(for: delivery))))
      if own.count > limits.waitingDeliveries { drop(own.removeFirst().push, of: app) }
      parked[app] = own
    } else {
      fail(app, push, "has no background program and does not listen")
    }
  }

  private func time(for delivery: Delivery) -> Duration { delivery.occasion?.time ?? Policy.completionTime }

  func extend(_ push: Push, attempt: Int, of app: AppAddress) {
    guard apps[app]?.serviceExtension != nil,
      let line = PushLine.extension(push, attempt: attempt, handset: nameInLine(of: app))
    else { return emit(.extended(app.app, push.id, .failed("there is no service extension, or no JSON object")), app) }
    add(
      ProgramJob(
        app: app, occasion: .serviceExtension, push: push.id, line: line, time: limits.extensionTime))
  }

  private func add(_ job: ProgramJob) {
    guard let dropped = schedule.add(job), let push = dropped.push else { return }
    if dropped.occasion == .serviceExtension {
      emit(.extended(dropped.app.app, push, .failed("more than \(limits.waitingDeliveries) wait for it")), dropped.app)
    } else {
      drop(push, of: dropped.app)
    }
  }

  private func drop(_ push: PushID, of app: AppAddress) {
    fail(app, push, "has more than \(limits.waitingDeliveries) deliveries waiting: the oldest is dropped")
  }

  private func nameInLine(of app: AppAddress) -> String? {
    app.handset == handsets.board ? nil : handsets.name(of: app.handset)
  }

  func launch(_ app: AppAddress, by response: NotificationResponse?, _ payload: [UInt8]?) {
    let opening = response.map { PushLine.opening($0, payload: payload, payloadBytes: limits.payloadBytes) }
    if let socket, socket.isListening(app) { return socket.emit(PushLine.opened(by: opening), to: app) }
    guard apps[app]?.launch != nil else { return }
    let slot = ProgramSlot(app: app, occasion: .launch)
    // An app that is open, or is being opened, is not opened twice.
    if schedule.hasWaiting(slot) || processes[slot]?.isRunning == true || services[slot] != nil {
      if opening != nil {
        log(
          "\(handsets.label(app)): it is open without a connection, so it does not learn which notification was opened")
      }
      return
    }
    let line = PushLine.launch(app.app, handset: nameInLine(of: app), by: opening)
    add(ProgramJob(app: app, occasion: .launch, push: nil, line: line))
  }

  func stop(_ app: AppAddress) {
    let now = monotonicTime()
    schedule.forget(app)
    parked[app] = nil
    socket?.stop(app)
    for occasion in [ProgramOccasion.launch, .background] {
      let slot = ProgramSlot(app: app, occasion: occasion)
      processes[slot]?.stop(at: now)
      services[slot]?.stop()
    }
  }

  func shutDown(_ continuation: CheckedContinuation<Void, Never>) {
    ending.append(continuation)
    guard !isEnding else { return }
    isEnding = true
    let now = monotonicTime()
    schedule = ProgramSchedule(limits: limits)
    parked = [:]
    for process in processes.values { process.stop(at: now) }
    for service in services.values { service.stop() }
    services = [:]
    socket?.close()
    socket = nil
  }

  // MARK: Programs

  private func startPrograms(at now: Duration) {
    while !isEnding, let job = schedule.next(at: now) {
      guard let programs = apps[job.app], let program = programs.program(for: job.occasion) else {
        // The bundle was replaced by one without the program.
        schedule.free(job.slot, at: now)
        finish(job, .failed("the app has no \(job.occasion) program any more"))
        continue
      }
      do throws(AppLinkError) {
        try start(job, program, programs, at: now)
      } catch {
        schedule.free(job.slot, at: now)
        finish(job, .failed(error.description))
      }
    }
  }

  private func start(_ job: ProgramJob, _ program: AppPrograms.Program, _ programs: AppPrograms, at now: Duration)
    throws(AppLinkError)
  {
    let report = { [unowned self] (ending: ProgramEnding) in finish(job, ending) }
    switch program {
    case .command(let words):
      let (log, name) = (log, handsets.label(job.app))
      if let bundle = programs.bundle { try WorkingFolder.prepare(programs.folder, bundle: bundle) }
      // An app that the person opened runs until it ends or is stopped.
      let isLaunch = job.occasion == .launch
      let process = try ProgramProcess.start(
        words, in: programs.folder, environment: environment(of: job), keepsOrphans: !isLaunch)
      processes[job.slot] = ProgramProcess(
        process, input: job.line, time: isLaunch ? nil : job.time ?? limits.delivery,
        answers: job.occasion == .serviceExtension, limits: limits, now: now,
        log: { log("\(name): \(job.occasion) program: \($0)") }, report: report)
    case .socket(let path):
      // A service need not answer a launch, and may keep the connection open.
      let report = job.push == nil ? { _ in } : report
      services[job.slot] = try ProgramSocket(
        path: path, input: job.line, time: job.time ?? limits.delivery, answers: job.occasion == .serviceExtension,
        limits: limits, now: now, report: report)
    }
  }

  /// Returns the environment of a program. It inherits nothing from the daemon's own environment.
  private func environment(of job: ProgramJob) -> [String] {
    [
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
      "DESKBELL_APP=\(job.app.app)", "DESKBELL_HANDSET=\(handsets.name(of: job.app.handset))",
      "DESKBELL_HOOK=\(job.occasion)", "DESKBELL_APPS_SOCKET=\(link.path)",
    ]
  }

  private func sweep(at now: Duration) {
    var areOrphansDue = orphans.deadline.map { $0 <= now } ?? processes.keys.contains { $0.occasion == .launch }
    for (slot, process) in processes where process.hasEnded {
      areOrphansDue = true
      processes[slot] = nil
      schedule.free(slot, at: now)
    }
    for (slot, service) in services where service.hasEnded {
      services[slot] = nil
      schedule.free(slot, at: now)
    }
    guard areOrphansDue else { return }
    let launches = processes.keys.filter { $0.occasion == .launch }.map {
      ProgramOrphans.Mark(app: $0.app.app.text, handset: handsets.name(of: $0.app.handset))
    }
    orphans.end(sparing: Set(launches), at: now)
  }

  private func finish(_ job: ProgramJob, _ ending: ProgramEnding) {
    let name = "\(handsets.label(job.app)): \(job.occasion) program"
    if job.occasion == .serviceExtension, let push = job.push { return finish(push, of: job.app, name, ending) }
    switch ending {
    case .completed(let result):
      if let push = job.push { emit(.completed(job.app.app, push, result), job.app) }
    case .failed(let reason):
      log("\(name): \(reason)")
      if let push = job.push { emit(.completed(job.app.app, push, .failed, reason: reason), job.app) }
    case .timedOut:
      log("\(name): its \(job.time ?? limits.delivery) are over, it is stopped (U8)")
      if let push = job.push { emit(.timedOut(job.app.app, push), job.app) }
    case .died(let how):
      log("\(name): \(how)")
      log("\(handsets.label(job.app)): its process ended by \(how)")
      emit(.died(job.app.app), job.app)
    // Only a service extension answers.
    case .stopped, .answered: break
    }
  }

  /// Reports the end of a service extension, which ends nothing else of its app.
  private func finish(_ push: PushID, of app: AppAddress, _ name: String, _ ending: ProgramEnding) {
    let answer: ExtensionAnswer
    switch ending {
    case .answered(let line): answer = .changed(Push(id: push, token: nil, topic: app.app, payload: line))
    case .timedOut: answer = .timedOut
    case .failed(let reason), .died(let reason): answer = .failed(reason)
    case .completed: answer = .failed("it printed no answer of \(limits.extensionLineBytes) bytes at most")
    case .stopped: return
    }
    switch answer {
    case .changed: break
    case .timedOut: log("\(name): its \(limits.extensionTime) are over, it is stopped (X1)")
    case .failed(let reason): log("\(name): \(reason)")
    }
    emit(.extended(app.app, push, answer), app)
  }

  private func fail(_ app: AppAddress, _ push: PushID, _ reason: String) {
    log("\(handsets.label(app)): \(reason)")
    emit(.completed(app.app, push, .failed, reason: reason), app)
  }

  // MARK: Listening apps

  private func handle(_ input: Input, of app: AppAddress) {
    if case .disconnected = input { parked[app] = nil }
    emit(input, app)
    if case .listening = input { giveWaiting(to: app) }
  }

  /// Delivers the pushes that came before the app connected; from now on the handset measures their time.
  private func giveWaiting(to app: AppAddress) {
    let lines = (parked.removeValue(forKey: app) ?? []).map { ($0.push, $0.line) }
    let jobs = schedule.takeWaiting(ProgramSlot(app: app, occasion: .background)).compactMap { job in
      job.push.map { ($0, job.line) }
    }
    // An app that does not read loses its connection here, and with it all pushes that wait for it.
    for (push, line) in lines + jobs { socket?.deliver(push, line, to: app) }
  }
}
