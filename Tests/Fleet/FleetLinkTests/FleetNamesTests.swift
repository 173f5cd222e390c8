import HandsetCore
import NATSClient
import Testing

@testable import FleetLink

@Suite struct FleetNamesTests {
  @Test func subjectsHaveOneWordForEachPart() throws {
    let app = try #require(AppID("com.example.mail-room"))
    let kitchen = HandsetAddress(desk: "kitchen", handset: "2")
    #expect(FleetNames.push(to: kitchen, app: app, isStored: true) == "bell.push.kitchen.2.com_example_mail-room")
    #expect(FleetNames.push(to: kitchen, app: app, isStored: false) == "bell.now.kitchen.2.com_example_mail-room")
    // Each app has a different word.
    let other = try #require(AppID("com.example_mail-room"))
    #expect(FleetNames.push(to: kitchen, app: other, isStored: true) == "bell.push.kitchen.2.com_example=mail-room")
    let board = HandsetAddress(desk: "kitchen", handset: nil)
    #expect(FleetNames.push(to: board, app: app, isStored: true) == "bell.push.kitchen._.com_example_mail-room")
    #expect(FleetNames.provider("My shop", of: "kitchen") == "$KV.BELL_PROVIDERS.kitchen.4d792073686f70")
  }

  @Test func channelsHaveSubjectsFromWhichTheyAreRead() throws {
    let app = try #require(AppID("com.example.mail_room"))
    let channel = try #require(ChannelID("dH+/=="))
    let subject = FleetNames.channel(channel, of: app)
    #expect(subject == "$KV.BELL_CHANNELS.com_example_mail=room.64482b2f3d3d")
    let words = subject.split(separator: ".")
    #expect(FleetNames.app(in: words[2]) == app && FleetNames.channel(in: words[3]) == channel)
    #expect(FleetNames.channel(in: "00") == nil && FleetNames.channel(in: "x") == nil)
    #expect(FleetNames.apps(of: "kitchen") == "$KV.BELL_TOKENS.kitchen._apps")
    let stored = FleetNames.broadcasts(to: "kitchen", on: channel, isStored: true)
    #expect(stored == "bell.push.kitchen._channels.64482b2f3d3d")
    #expect(
      FleetNames.broadcasts(to: "kitchen", on: channel, isStored: false) == "bell.now.kitchen._channels.64482b2f3d3d")
  }

  @Test func namesAreWordsOfSubjects() {
    for good in ["a", "kitchen-2", String(repeating: "a", count: 32)] { #expect(FleetNames.isName(good)) }
    for bad in ["", "Kitchen", "a.b", "a_b", "a b", "*", ">", "ä", String(repeating: "a", count: 33)] {
      #expect(!FleetNames.isName(bad), "\(bad)")
    }
  }

  @Test func addressesAreADeskAndAHandset() {
    #expect(HandsetAddress("hall") == HandsetAddress(desk: "hall", handset: nil))
    #expect(HandsetAddress("hall/2") == HandsetAddress(desk: "hall", handset: "2"))
    #expect(HandsetAddress("hall/2")?.description == "hall/2")
    for bad in ["", "/", "hall/", "/2", "hall/2/3", "Hall"] { #expect(HandsetAddress(bad) == nil, "\(bad)") }
  }

  /// The digest is the output of `printf '\x01\x02\x03' | sha256sum`.
  @Test func aTokenIsKnownByHalfOfItsDigest() throws {
    let token = try #require(DeviceToken(bytes: [1, 2, 3]))
    let key = TokenKey(token)
    #expect(key.description == "039058c6f2c0cb492c533b0a4d14ef77")
    #expect(TokenKey(hex: key.description) == key)
    #expect(TokenKey(hex: "0" + String(repeating: "F", count: 31)) == nil)
    #expect(TokenKey(hex: String(repeating: "0", count: 31)) == nil)
    #expect(TokenKey(hex: String(repeating: "0", count: 32))?.description == String(repeating: "0", count: 32))
  }

  @Test func aClaimNamesItsDeskAndAKey() throws {
    let key = try #require(TokenKey(hex: "039058c6f2c0cb492c533b0a4d14ef77"))
    let claim = FleetNames.claim(of: key, by: "kitchen")
    #expect(claim == "$KV.BELL_TOKENS.kitchen._own-039058c6f2c0cb492c533b0a4d14ef77")
    #expect(
      FleetNames.claim(ofAccessKey: key, by: "kitchen")
        == "$KV.BELL_PROVIDERS.kitchen._own-039058c6f2c0cb492c533b0a4d14ef77")
    #expect(FleetNames.claimedKey(in: "_own-039058c6f2c0cb492c533b0a4d14ef77") == key)
    for other in ["039058c6f2c0cb492c533b0a4d14ef77", "_own-", "_own-039058C6", "_desk"] {
      #expect(FleetNames.claimedKey(in: Substring(other)) == nil, "\(other)")
    }
  }

  @Test(arguments: [
    "$JS.ACK.BELL_PUSH.kitchen.2.17.5.1763900000000000000.3",
    "$JS.ACK.hub.ACCOUNT.BELL_PUSH.kitchen.2.17.5.1763900000000000000.3.RANDOM",
  ])
  func aMessageOfAStreamSaysItsPlace(reply: String) throws {
    let message = try #require(StreamMessage(NATSMessage(subject: "bell.push.kitchen.1.a", reply: reply)))
    #expect(message.sequence == 17)
    #expect(message.delivery == 5)
    #expect(message.pending == 3)
  }

  @Test(arguments: [
    nil, "", "_INBOX.x", "$JS.ACK.BELL_PUSH.kitchen.1.17.5.0", "$JS.ACK.BELL_PUSH.kitchen.1.x.5.0.3",
    "$JS.ACK.BELL_PUSH.kitchen.1.-1.5.0.3",
  ])
  func whatHasNoPlaceIsNoMessageOfAStream(reply: String?) {
    #expect(StreamMessage(NATSMessage(subject: "bell.push.kitchen.1.a", reply: reply)) == nil)
  }

  @Test func anAnswerIsReadOrSaysWhyNot() throws {
    func read(_ text: String) throws { try JetStream.stored(NATSMessage(subject: "x", payload: Array(text.utf8))) }
    try read(#"{"stream":"BELL_PUSH","seq":7,"duplicate":true}"#)
    let refusals: [(String, NATSError)] = [
      (
        #"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#,
        NATSError("stream not found", code: NATSError.noStream, isTransient: false)
      ),
      (
        #"{"error":{"code":503,"err_code":10008,"description":"JetStream system temporarily unavailable"}}"#,
        NATSError("JetStream system temporarily unavailable", code: 10_008)
      ),
      // Directly after a start, the servers do not know each other yet.
      (
        #"{"error":{"code":400,"err_code":10005,"description":"no suitable peers for placement, peer offline"}}"#,
        NATSError("no suitable peers for placement, peer offline", code: 10_005)
      ),
      (
        #"{"error":{"code":503,"err_code":10023,"description":"insufficient resources"}}"#,
        NATSError("insufficient resources", code: 10_023)
      ),
      (#"{"error":{"code":500}}"#, NATSError("error 500", code: 500)),
      // A repeated message whose first copy is not stored yet.
      (
        #"{"stream":"BELL_PUSH","seq":0,"duplicate":true}"#,
        NATSError("it is not stored by a majority yet", code: NATSError.duplicateInProcess)
      ),
    ]
    for (text, expected) in refusals { #expect(throws: expected) { try read(text) } }
  }
}
