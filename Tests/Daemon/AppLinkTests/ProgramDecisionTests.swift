// Decisions about programs, without a process: when one is ended, the meaning of its end, and when one may start.

import Glibc
import HandsetCore
import Testing

@testable import AppLink

private typealias Machine = ProgramProcess.StateMachine

@Suite struct ProgramStateMachineTests {
  private func machine(time: Duration? = .seconds(30)) -> Machine {
    Machine(startedAt: .seconds(100), time: time, grace: .seconds(2))
  }

  @Test("U8: at 30 s and not before it gets SIGTERM, 2 s later SIGKILL")
  func time() {
    var machine = machine()
    #expect(machine.deadline == .seconds(130))
    #expect(machine.timePassed(at: .milliseconds(129_999)) == [])
    #expect(machine.timePassed(at: .milliseconds(130_001)) == [.report(.timedOut), .signal(SIGTERM)])
    #expect(!machine.isRunning)
    #expect(machine.deadline == .milliseconds(132_001))
    #expect(machine.timePassed(at: .milliseconds(132_000)) == [])
    #expect(machine.timePassed(at: .milliseconds(132_001)) == [.signal(SIGKILL)])
    #expect(machine.deadline == nil)
    #expect(machine.timePassed(at: .seconds(1_000)) == [])
    // The result was reported before the end.
    #expect(machine.ended(.signalled(SIGKILL), result: nil) == [.signal(SIGKILL)])
  }

  @Test("Without a time limit it is never stopped")
  func noTime() {
    var machine = machine(time: nil)
    #expect(machine.deadline == nil)
    #expect(machine.timePassed(at: .seconds(1_000_000)) == [])
    #expect(machine.stop(at: .seconds(5)) == [.report(.stopped), .signal(SIGTERM)])
    #expect(machine.deadline == .seconds(7))
  }

  @Test(
    "The meaning of its end",
    arguments: [
      (ProgramProcess.StateMachine.Ending.exited(0), DeliveryResult?.none, ProgramEnding.completed(.newData)),
      (.exited(0), .failed, .completed(.failed)), (.exited(0), .noData, .completed(.noData)),
      (.exited(1), .newData, .failed("ended with exit status 1")),
      (.signalled(SIGTERM), .newData, .died("signal 15 (Terminated)")),
      (.signalled(SIGKILL), nil, .died("signal 9 (Killed)")),
    ])
  func ends(_ ending: ProgramProcess.StateMachine.Ending, _ result: DeliveryResult?, _ report: ProgramEnding) {
    var machine = machine()
    #expect(machine.ended(ending, result: result) == [.signal(SIGKILL), .report(report)])
  }

  @Test("A second reason to end it changes nothing")
  func twice() {
    var machine = machine()
    _ = machine.timePassed(at: .seconds(130))
    #expect(machine.stop(at: .seconds(131)) == [])
    #expect(machine.deadline == .seconds(132))
  }
}

@Suite struct ProgramScheduleTests {
  private func schedule(waiting: Int = 2, background: Int = 2, slow: Int = 1, launch: Int = 1) -> ProgramSchedule {
    var limits = AppLinkLimits()
    limits.waitingDeliveries = waiting
    limits.backgroundPrograms = background
    limits.slowPrograms = slow
    limits.programPatience = .seconds(1)
    limits.launchPrograms = launch
    return ProgramSchedule(limits: limits)
  }

  private func job(_ app: String, _ number: UInt64, _ occasion: ProgramOccasion = .background) -> ProgramJob {
    ProgramJob(app: AppAddress(AppID(app)!, on: .first), occasion: occasion, push: push(number), line: [])
  }

  @Test("One at a time for each app, in order; others in turn, as many as the limit")
  func turns() {
    var schedule = schedule()
    for job in [job("a", 1), job("a", 2), job("b", 3), job("c", 4)] { #expect(schedule.add(job) == nil) }
    #expect(schedule.next(at: .zero) == job("a", 1))
    #expect(schedule.next(at: .zero) == job("b", 3))
    #expect(schedule.next(at: .zero) == nil)
    schedule.free(job("a", 1).slot, at: .zero)
    // c came before a's second job.
    #expect(schedule.next(at: .zero) == job("c", 4))
    #expect(schedule.next(at: .zero) == nil)
    schedule.free(job("b", 3).slot, at: .zero)
    #expect(schedule.next(at: .zero) == job("a", 2))
    #expect(!schedule.isIdle)
    schedule.free(job("a", 2).slot, at: .zero)
    schedule.free(job("c", 4).slot, at: .zero)
    #expect(schedule.next(at: .zero) == nil)
    #expect(schedule.isIdle)
  }

  @Test("One job more than the limit drops the oldest waiting one; the running one is not counted")
  func newest() {
    var schedule = schedule()
    _ = schedule.add(job("a", 1))
    #expect(schedule.next(at: .zero) == job("a", 1))
    #expect(schedule.add(job("a", 2)) == nil)
    #expect(schedule.add(job("a", 3)) == nil)
    #expect(schedule.add(job("a", 4)) == job("a", 2))
    schedule.free(job("a", 1).slot, at: .zero)
    #expect(schedule.next(at: .zero) == job("a", 3))
  }

  @Test("The same app on two handsets has two slots")
  func twoHandsetsOfOneApp() {
    var schedule = schedule()
    let jobs = [mail, mailOnTwo].map { ProgramJob(app: $0, occasion: .background, push: push(1), line: []) }
    for job in jobs { _ = schedule.add(job) }
    #expect([schedule.next(at: .zero), schedule.next(at: .zero)] == jobs)
    schedule.forget(mail)
    #expect(schedule.isTaken(jobs[1].slot))
  }

  @Test("Launches have places of their own and delay no push")
  func launches() {
    var schedule = schedule(background: 1, launch: 1)
    for job in [job("a", 1, .launch), job("b", 2, .launch), job("a", 3)] { _ = schedule.add(job) }
    #expect(schedule.next(at: .zero) == job("a", 1, .launch))
    #expect(schedule.next(at: .zero) == job("a", 3))
    #expect(schedule.next(at: .zero) == nil)
    schedule.free(job("a", 3).slot, at: .zero)
    #expect(schedule.isIdle)
    #expect(schedule.hasWaiting(job("b", 2, .launch).slot))
    schedule.free(job("a", 1, .launch).slot, at: .zero)
    #expect(schedule.next(at: .zero) == job("b", 2, .launch))
  }

  @Test("Forgotten jobs do not start, and the app's next one takes its turn once")
  func forgotten() {
    var schedule = schedule(background: 3)
    _ = schedule.add(job("a", 1))
    schedule.forget(job("a", 1).app)
    #expect(schedule.isIdle)
    _ = schedule.add(job("a", 2))
    _ = schedule.add(job("a", 3))
    #expect(schedule.next(at: .zero) == job("a", 2))
    #expect(schedule.next(at: .zero) == nil)
    schedule.free(job("a", 2).slot, at: .zero)
    #expect(schedule.next(at: .zero) == job("a", 3))
    schedule.free(job("a", 3).slot, at: .zero)
    schedule.free(job("a", 3).slot, at: .zero)
    #expect(schedule.isIdle)
  }

  @Test("Programs that do not end delay each other, and other apps' only for the patience of the schedule")
  func slow() {
    var schedule = schedule(slow: 1)
    for (number, app) in ["a", "b", "c", "d"].enumerated() { _ = schedule.add(job(app, UInt64(number))) }
    #expect(schedule.next(at: .zero) == job("a", 0))
    #expect(schedule.next(at: .milliseconds(500)) == job("b", 1))
    #expect(schedule.deadline == .seconds(1))
    #expect(schedule.next(at: .milliseconds(999)) == nil)
    #expect(schedule.next(at: .seconds(1)) == job("c", 2))
    // All places of both kinds are taken.
    #expect(schedule.next(at: .seconds(10)) == nil)
    #expect(schedule.deadline == nil)
    schedule.free(job("a", 0).slot, at: .seconds(10))
    #expect(schedule.next(at: .seconds(10)) == job("d", 3))
    // Two slow programs still run: a's next job waits for them, another app's does not.
    for job in [job("a", 4), job("e", 5)] { _ = schedule.add(job) }
    #expect(schedule.next(at: .seconds(10)) == nil)
    schedule.free(job("b", 1).slot, at: .seconds(10))
    #expect(schedule.next(at: .seconds(10)) == job("e", 5))
    schedule.free(job("d", 3).slot, at: .seconds(10))
    schedule.free(job("e", 5).slot, at: .seconds(10))
    #expect(schedule.next(at: .seconds(10)) == nil)
    schedule.free(job("c", 2).slot, at: .seconds(10))
    #expect(schedule.next(at: .seconds(10)) == job("a", 4))
    // The program was quick this time.
    schedule.free(job("a", 4).slot, at: .seconds(10.5))
    for job in [job("b", 6), job("c", 7), job("a", 8)] { _ = schedule.add(job) }
    #expect(schedule.next(at: .seconds(11)) == job("a", 8))
    #expect(schedule.next(at: .seconds(11)) == job("b", 6))
    #expect(schedule.next(at: .seconds(11)) == nil)
    #expect(schedule.deadline == .seconds(12))
  }

  @Test("Many turns keep their order")
  func manyTurns() {
    var schedule = schedule(background: 1)
    var started: [ProgramJob] = []
    var expected: [ProgramJob] = []
    for number in 0..<500 as Range<UInt64> {
      expected.append(job("app\(number)", number))
      _ = schedule.add(job("app\(number)", number))
      if number % 3 == 0, let job = schedule.next(at: .zero) {
        started.append(job)
        schedule.free(job.slot, at: .zero)
      }
    }
    while let job = schedule.next(at: .zero) {
      started.append(job)
      schedule.free(job.slot, at: .zero)
    }
    #expect(started == expected)
  }
}
