// Rule N13: the number of waiting calls and the limits of a call; each limit and one past it.

import Testing

@testable import HandsetCore

@Suite struct CallLimitTests {
  private static let now = Moment(uptime: .seconds(100), wall: WallTime(seconds: 1_800_000_000))
  private static let call = WebCall(method: "PUT", url: "https://a.example/")

  private func app(_ number: Int) -> AppID { AppID("com.example.a\(number)")! }

  private func handset(apps: Int) -> Handset {
    var handset = Handset()
    for number in 0..<apps {
      let manifest = AppManifest(id: app(number), name: "A")
      _ = handset.handle(.install(manifest, token: Label.token(number + 1)), at: Self.now)
    }
    return handset
  }

  @discardableResult
  private func queue(_ count: Int, of number: Int, on handset: inout Handset) -> [Event.Kind] {
    (0..<count).flatMap { push in
      handset.handle(.call(app(number), Label.push(push), Self.call), at: Self.now).events.map(\.kind)
    }
  }

  @Test func theOldestOfAnAppGoesBeyondAHundred() {
    var handset = handset(apps: 2)
    queue(1, of: 1, on: &handset)
    #expect(queue(Policy.callLimitPerApp, of: 0, on: &handset).allSatisfy { $0 == .callQueued(.action) })
    #expect(queue(1, of: 0, on: &handset).last == .callEnded(.callLimit, count: 1))
    let own = handset.queuedCalls.filter { $0.app == app(0) }
    #expect(own.count == Policy.callLimitPerApp && own.first?.push == Label.push(1))
    #expect(handset.queuedCalls.first?.app == app(1))
  }

  @Test func theAppThatHasMostLosesItsOldestBeyondAThousand() {
    var handset = handset(apps: 12)
    queue(100, of: 0, on: &handset)
    for number in 1...10 { queue(90, of: number, on: &handset) }
    #expect(handset.queuedCalls.count == Policy.callLimit)
    let turn = handset.handle(.call(app(11), Label.push(0), Self.call), at: Self.now)
    #expect(turn.events.map(\.app) == [app(11), app(0)])
    #expect(turn.events.map(\.kind) == [.callQueued(.action), .callEnded(.callLimit, count: 1)])
    #expect(handset.queuedCalls.count == Policy.callLimit)
    #expect(handset.queuedCalls.first?.push == Label.push(1))
  }

  @Test func moreAnswersThanCanWaitAreQueuedAsFarAsTheyCan() {
    var handset = Handset()
    var manifest = AppManifest(id: app(0), name: "A")
    manifest.acknowledge = "https://a.example/"
    _ = handset.handle(.install(manifest, token: Label.token(1)), at: Self.now)
    _ = handset.handle(.register(app(0), .all, token: Label.token(2)), at: Self.now)
    for number in 0...Policy.callLimitPerApp {
      let push = Push(
        id: Label.push(number), token: Label.token(1), topic: app(0), message: Message(body: .literal("\(number)")))
      _ = handset.handle(.push(push), at: Self.now)
    }
    let turn = handset.handle(.clearCenter, at: Self.now)
    #expect(turn.events.last?.kind == .callEnded(.callLimit, count: 1))
    #expect(handset.queuedCalls.map(\.push) == (1...Policy.callLimitPerApp).map(Label.push))
    #expect(handset.queuedCalls.allSatisfy { $0.answer == .dismissed })
  }

  @Test func aCallIsWithinItsLimits() {
    func isValid(_ change: (inout WebCall) -> Void) -> Bool {
      var call = Self.call
      change(&call)
      return call.isValid
    }
    func url(_ bytes: Int) -> String { "https://a.example/" + String(repeating: "x", count: bytes - 18) }
    func headers(_ count: Int) -> [String: String] {
      Dictionary(uniqueKeysWithValues: (0..<count).map { ("X-\($0)", "y") })
    }
    #expect(isValid { $0.url = url(Policy.callURLLimit) } && !isValid { $0.url = url(Policy.callURLLimit + 1) })
    #expect(!isValid { $0.url = "" })
    #expect(isValid { $0.headers = headers(Policy.callHeaderLimit) })
    #expect(!isValid { $0.headers = headers(Policy.callHeaderLimit + 1) })
    let long = String(repeating: "v", count: Policy.callBytesLimit - 1)
    #expect(isValid { $0.headers = ["X": long] } && !isValid { $0.headers = ["XY": long] })
    #expect(isValid { $0.body = Array(repeating: 1, count: Policy.callBytesLimit) })
    #expect(!isValid { $0.body = Array(repeating: 1, count: Policy.callBytesLimit + 1) })
  }

  @Test(
    "A call cannot say more than one request",
    arguments: ["", "put", "PUT / HTTP/1.1\r\nX:", "P T", "PUTPUTPUTPUTPUTPU"])
  func method(text: String) {
    var call = Self.call
    call.method = text
    #expect(!call.isValid)
    var handset = handset(apps: 1)
    let turn = handset.handle(.call(app(0), Label.push(1), call), at: Self.now)
    #expect(turn.verdict == .refused(.badCall) && turn.changes.isEmpty)
  }

  @Test(
    "Fields of HTTP itself are the daemon's, and a field is one line",
    arguments: [
      ("Host", "b.example"), ("content-length", "1"), ("Transfer-Encoding", "chunked"), ("Connection", "upgrade"),
      ("X\r\nY", "z"), ("X", "y\r\nZ: z"), ("X", "\0"), ("", "y"), ("X Y", "z"),
    ])
  func header(name: String, value: String) {
    var call = Self.call
    call.headers = [name: value]
    #expect(!call.isValid)
  }
}
