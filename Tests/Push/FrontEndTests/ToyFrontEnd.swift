// A front end in one file, made of public interfaces only: PUT /toy/… with the text of a push as its body.

import HTTP
import HandsetCore
import PushPort

struct ToyFrontEnd: FrontEnd {
  static let app = AppID("com.example.toy")
  let receiver: any PushReceiver

  func claims(_ head: RequestHead) -> Bool { head.path.hasPrefix("/toy/") }

  func makeSession(for client: Client) -> any FrontEndSession { Session(receiver: receiver) }

  struct Session: FrontEndSession {
    let receiver: any PushReceiver

    func open(_ head: RequestHead, from client: Client) -> HTTPOpening {
      guard head.method == "PUT" else { return .answer(.plainText(405, "PUT a text")) }
      return .read(Text(receiver: receiver))
    }
  }

  struct Text: HTTPExchange {
    let bodyLimit = 16
    let receiver: any PushReceiver

    func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (HTTPResponse) -> Void) {
      guard let app = ToyFrontEnd.app, let token = DeviceToken(bytes: Array(repeating: 7, count: 32)) else {
        return respond(.plainText(500, "no app"))
      }
      let message = Message(body: .literal(String(decoding: body, as: UTF8.self)))
      receiver.receive(Push(id: .random(), token: token, topic: app, message: message)) { outcome in
        respond(outcome == .stored(.accepted) ? .plainText(200, "it rings") : .plainText(503, "try again"))
      }
    }
  }
}
