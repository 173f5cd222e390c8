// Windows of streams that have ended, frames that have begun, and a client that closes.

import NIOCore
import NIOHTTP2
import Testing

@testable import PushGateway

extension FrameGateTests {
  @Test("A window that was opened before we ended the stream counts, and what was sent into it")
  func windowsBeforeTheEnd() {
    func opened(_ increment: UInt32) -> FrameGate.StateMachine {
      var machine = greeted()
      _ = steps(&machine, headers(1, ends: false))
      machine.streamOpened(1)
      #expect(forwarded(steps(&machine, windowUpdate(1, increment))) == windowUpdate(1, increment))
      return machine
    }
    var machine = opened(0x7FFF_FFFF)
    answer(&machine, 1)
    #expect(steps(&machine, windowUpdate(1, 1)) == [.reset(1, .flowControlError)])
    machine = opened(0x7FFF_FFFF)
    answer(&machine, 1, body: 30)
    #expect(steps(&machine, windowUpdate(1, 30)) == [])
    #expect(steps(&machine, windowUpdate(1, 1)) == [.reset(1, .flowControlError)])
    // Once the client has ended it too, the stream has no window any more.
    machine = opened(0x7FFF_FFFF)
    answer(&machine, 1)
    _ = steps(&machine, frame(FrameHeader.Kind.data, flags: 1, stream: 1))
    machine.streamClosed(1)
    #expect(steps(&machine, windowUpdate(1, 0x7FFF_FFFF) + windowUpdate(1, 0x7FFF_FFFF)) == [])
    #expect(steps(&machine, windowUpdate(1, 0)) == [.reset(1, .protocolError)])
  }

  @Test("A frame that has begun and not ended, and a header block, are known; quick frames are told apart")
  func withinFrames() {
    var machine = greeted()
    #expect(!machine.isWithinFrame)
    _ = steps(&machine, [0, 0])
    #expect(machine.isWithinFrame)
    _ = steps(&machine, [8, 6, 0, 0, 0, 0, 0])
    let count = machine.frameCount
    _ = steps(&machine, [1, 2, 3])
    #expect(machine.isWithinFrame && machine.frameCount == count)
    _ = steps(&machine, [4, 5, 6, 7, 8])
    #expect(!machine.isWithinFrame)
    _ = steps(&machine, frame(FrameHeader.Kind.headers, flags: 1, stream: 1, [0x82]))
    let block = machine.frameCount
    #expect(machine.isWithinFrame && block == count + 1)
    _ = steps(&machine, frame(FrameHeader.Kind.continuation, stream: 1, [0x84]))
    #expect(machine.isWithinFrame && machine.frameCount == block)
    _ = steps(&machine, frame(FrameHeader.Kind.continuation, flags: 4, stream: 1, [0x87]))
    #expect(!machine.isWithinFrame)
  }

  @Test("A client that says goodbye is let go when it has its answers")
  func goodbye() {
    var machine = greeted()
    machine.streamOpened(1)
    let goAway = frame(FrameHeader.Kind.goAway, Array(repeating: 0, count: 8))
    let result = steps(&machine, goAway)
    #expect(forwarded(result) == goAway && result.last == .clientGoesAway)
    machine.clientWentAway()
    #expect(!machine.isOver)
    machine.streamClosed(1)
    #expect(machine.isOver)
  }
}
