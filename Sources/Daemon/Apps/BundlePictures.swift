// The pictures of an app's bundle: its icon, and the images that show while a notification opens the app. They are stored
// and served as they are. The daemon reads the beginning of each; browsers decode them.

import HandsetCore
import Installation
import SystemThreads

/// The pictures that are installed with an app.
struct BundlePictures: Equatable, Sendable {
  enum Limits {
    static let bytes = 512 * 1024
    /// Pixels of a side.
    static let side = 4_096
  }

  static let icon = "icon.png"
  static let launchImages = "launch-images"

  var hasIcon = false
  /// The names of the launch images, without extension, in order.
  var launchImages: [String] = []

  /// Finds the pictures in the folder of a stored bundle.
  init(in folder: String) {
    hasIcon = SharedFiles.isFile("\(folder)/\(BundlePictures.icon)")
    launchImages = SharedFiles.files(in: "\(folder)/\(BundlePictures.launchImages)").compactMap { file in
      BundlePictures.launchImage(at: "\(BundlePictures.launchImages)/\(file)")
    }.sorted()
  }

  /// Returns true if the path within a bundle is that of a picture.
  static func isPicture(_ path: String) -> Bool { path == icon || launchImage(at: path) != nil }

  /// Returns the name of the launch image with that path within a bundle; nil if it is none.
  private static func launchImage(at path: String) -> String? {
    guard path.hasPrefix("\(launchImages)/"), path.hasSuffix(".png") else { return nil }
    let name = path.dropFirst(launchImages.count + 1).dropLast(4)
    let isName = name.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
    return isName && (1...Policy.launchImageNameLimit).contains(name.utf8.count) ? String(name) : nil
  }

  /// Returns what is wrong with a picture, and the remedy; nil if it is a PNG within the limits.
  static func problem(of bytes: [UInt8]) -> String? {
    guard bytes.count <= Limits.bytes else {
      return "it has \(bytes.count) bytes: at most \(Limits.bytes) are allowed"
    }
    // The signature, then the chunk IHDR, which begins with width and height.
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let header = Array("\0\0\0\u{D}IHDR".utf8)
    guard bytes.starts(with: signature), bytes.count >= 33, bytes[8..<16].elementsEqual(header) else {
      return "it is no PNG file; convert it to one"
    }
    let (width, height) = (number(bytes[16..<20]), number(bytes[20..<24]))
    guard (1...Limits.side).contains(width), (1...Limits.side).contains(height) else {
      return "it has \(width) × \(height) pixels: 1 to \(Limits.side) are allowed for a side"
    }
    return nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}

extension AppFolders {
  /// Returns the pictures of an app; none if it has no bundle.
  func pictures(of app: AppAddress) -> BundlePictures? { folder(of: app).map { BundlePictures(in: $0) } }

  /// Returns a picture's bytes; nil if the app has no such picture, or it cannot be read.
  /// - Parameter path: the picture's path within the bundle.
  func picture(_ path: String, of app: AppAddress) -> [UInt8]? {
    guard BundlePictures.isPicture(path), let folder = folder(of: app),
      let bytes = try? readFile("\(folder)/\(path)", atMost: BundlePictures.Limits.bytes),
      BundlePictures.problem(of: bytes) == nil
    else { return nil }
    return bytes
  }
}
