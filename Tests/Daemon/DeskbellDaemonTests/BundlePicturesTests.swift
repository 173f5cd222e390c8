// The icon and the launch images of a bundle: checked when it is installed, stored and served as they are.

import FoundationEssentials
import HandsetCore
import Testing

@testable import DeskbellDaemon

@Suite struct BundlePicturesTests {
  /// Returns the beginning of a PNG of that size, with the signature and the chunk IHDR, and more bytes.
  static func png(_ width: UInt32 = 60, _ height: UInt32 = 60, more: Int = 0) -> [UInt8] {
    func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    return signature + big(13) + Array("IHDR".utf8) + big(width) + big(height) + [8, 2, 0, 0, 0] + big(0)
      + [UInt8](repeating: 0, count: more)
  }

  private func bundle(_ files: [String: [UInt8]]) throws -> AppBundle {
    let all = files.merging(["app.yaml": Array("id: com.example.mail\nname: Mail\n".utf8)]) { own, _ in own }
    return try AppBundle(files: all, folder: "mail", language: "en", decoder: .inThisProcess)
  }

  @Test("A bundle has an icon and launch images; their names are the files' without extension")
  func read() throws {
    let bundle = try bundle(["icon.png": Self.png(), "launch-images/A_b-1.png": Self.png(4_096, 1)])
    #expect(bundle.notes == [])
    #expect(bundle.pictures == ["icon.png", "launch-images/A_b-1.png"])
  }

  @Test(
    "A file that is no PNG, or beyond a limit, is not used, and a note says why",
    arguments: [
      (Array("GIF89a".utf8), "it is no PNG file; convert it to one"),
      (Array(png().prefix(32)), "it is no PNG file; convert it to one"),
      (Array("\u{89}PNG".utf8) + png(), "it is no PNG file; convert it to one"),
      (png(0, 60), "it has 0 × 60 pixels: 1 to 4096 are allowed for a side"),
      (png(60, 4_097), "it has 60 × 4097 pixels: 1 to 4096 are allowed for a side"),
      (png(more: 524_288 - 32), "it has 524289 bytes: at most 524288 are allowed"),
    ] as [([UInt8], String)])
  func problems(bytes: [UInt8], problem: String) throws {
    #expect(try bundle(["icon.png": bytes]).notes == ["icon.png: not used; \(problem)"])
    #expect(try bundle(["icon.png": bytes]).pictures == [])
    #expect(BundlePictures.problem(of: Self.png(more: 524_288 - 33)) == nil)
  }

  @Test("A launch image that cannot be named by a push is not used")
  func names() throws {
    let long = String(repeating: "x", count: Policy.launchImageNameLimit)
    let good = "launch-images/\(long).png"
    let bad = ["launch-images/\(long)x.png", "launch-images/a b.png", "launch-images/a.jpg", "launch-images/x/a.png"]
    let files = Dictionary(uniqueKeysWithValues: (bad + [good]).map { ($0, Self.png()) })
    let bundle = try bundle(files)
    #expect(bundle.pictures == [good])
    let note =
      "not used; a launch image is NAME.png in launch-images/ itself, and its name is 1 to 64 letters, digits, dashes "
      + "and underscores"
    #expect(bundle.notes == bad.sorted().map { "\($0): \(note)" })
    #expect(
      !["launch-images/../icon.png", "launch-images/.png", "sounds/a.png"].contains(where: BundlePictures.isPicture))
  }

  @Test("An app has at most 32 launch images, and its icon")
  func count() throws {
    let names = (10...42).map { "launch-images/a\($0).png" }
    let bundle = try bundle(Dictionary(uniqueKeysWithValues: (names + ["icon.png"]).map { ($0, Self.png()) }))
    #expect(bundle.pictures == ["icon.png"] + names.dropLast())
    #expect(bundle.notes == ["launch-images/a42.png: not used; an app has at most 32 launch images"])
  }

  @Test("Pictures are stored once for all handsets, found after a restart, and go with the last app")
  func stored() throws {
    let rig = try FoldersRig()
    let files = [
      "app.yaml": Array("id: com.example.mail\nname: Mail\n".utf8), "icon.png": Self.png(),
      "launch-images/b.png": Self.png(1, 2), "launch-images/a.png": Self.png(2, 1),
    ]
    try rig.install(files)
    try rig.install(files, as: FoldersRig.mailOnTwo)
    rig.restart()
    let pictures = try #require(rig.folders.pictures(of: FoldersRig.mailOnTwo))
    #expect(pictures.hasIcon && pictures.launchImages == ["a", "b"])
    #expect(rig.folders.picture("icon.png", of: FoldersRig.mail) == Self.png())
    #expect(rig.folders.picture("launch-images/b.png", of: FoldersRig.mail) == Self.png(1, 2))
    for path in ["launch-images/c.png", "hooks.json", "../../deskbell.sqlite", "launch-images/../icon.png"] {
      #expect(rig.folders.picture(path, of: FoldersRig.mail) == nil, "\(path)")
    }
    #expect(rig.folders.pictures(of: FoldersRig.news) == nil)
    rig.folders.remove(FoldersRig.mail)
    rig.folders.remove(FoldersRig.mailOnTwo)
    #expect(rig.names("bundles") == [])
  }

  @Test("A bundle that an earlier version stored without pictures has them once it is installed again")
  func later() throws {
    let rig = try FoldersRig()
    let files = FoldersRig.bundle(["icon.png": Self.png()])
    try rig.install(files)
    let folder = try #require(rig.folders.folder(of: FoldersRig.mail))
    try FileManager.default.removeItem(atPath: "\(folder)/icon.png")
    #expect(rig.folders.pictures(of: FoldersRig.mail)?.hasIcon == false)
    try rig.install(files)
    #expect(rig.folders.pictures(of: FoldersRig.mail)?.hasIcon == true)
  }
}
