// The keys of apps' calls: each belongs to one app, and ends with it.

import HandsetCore
import Testing

@testable import HandsetStore

@Suite("Keys of apps") struct AppKeyTests {
  @Test func `A key is its app's on its handset, replaced by a new one, and gone with the app`() throws {
    try withMail { rig, _ in
      let mail = AppAddress(Rig.mail, on: 1)
      #expect(try rig.store.key(of: mail) == nil)
      try rig.store.setKey([1, 2], of: mail)
      try rig.store.setKey([9], of: AppAddress(Rig.mail, on: 2))
      #expect(try rig.store.key(of: mail) == [1, 2])
      try rig.store.setKey([3], of: mail)
      #expect(try rig.store.key(of: mail) == [3])
      try rig.commit(.uninstall(Rig.mail))
      #expect(try rig.store.key(of: mail) == nil)
      #expect(try rig.store.key(of: AppAddress(Rig.mail, on: 2)) == [9])
    }
  }
}
