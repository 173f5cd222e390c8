// Findings of fuzzing and their seeds, run again without a sanitizer, so that earlier findings stay fixed.

import Foundation
import FuzzTargets
import Testing

@Suite(.serialized) struct CorpusTests {
  private static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fuzz/Corpus")

  @Test(arguments: FuzzTarget.allCases)
  func everyInputIsTaken(target: FuzzTarget) throws {
    let folder = Self.corpus.appending(path: target.rawValue)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names.count >= 2, "\(folder.path) has no seeds")
    for name in names {
      let bytes = try Data(contentsOf: folder.appending(path: name))
      #expect(throws: Never.self, "\(target.rawValue)/\(name)") { try target.run(Array(bytes)) }
    }
  }

  /// A folder of a renamed target would never be read again.
  @Test func everyFolderIsATargets() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path).sorted()
    #expect(folders == FuzzTarget.allCases.map(\.rawValue).sorted())
  }

  /// Small enough to be read through in review, and to be cloned.
  @Test func theCorpusIsSmall() throws {
    let files = FileManager.default.enumerator(at: Self.corpus, includingPropertiesForKeys: [.fileSizeKey])
    var bytes = 0
    for case let file as URL in files ?? FileManager.DirectoryEnumerator() {
      bytes += try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    }
    #expect(bytes < 500_000)
  }
}
