// libFuzzer's program: it has the main function and calls these two. `$DESKBELL_FUZZ_TARGET` names the target.

import FuzzTargets
import Glibc

// Set before the first input, and read from one thread.
nonisolated(unsafe) private var chosen = FuzzTarget.push

@_cdecl("LLVMFuzzerInitialize")
func initialize(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
  guard let name = getenv("DESKBELL_FUZZ_TARGET"), let target = FuzzTarget(rawValue: String(cString: name)) else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
    print("DESKBELL_FUZZ_TARGET is one of \(names)")
    exit(2)
  }
  chosen = target
  // Goes before the others, so that one that is given counts.
  let old = Int(count.pointee)
  let own = strdup("-max_len=\(target.longestInput)")
  let longer = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: old + 2)
  longer[0] = arguments.pointee[0]
  longer[1] = own
  for index in 1..<max(1, old) { longer[index + 1] = arguments.pointee[index] }
  longer[old + 1] = nil
  arguments.pointee = longer
  count.pointee += 1
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  do {
    try chosen.run(Array(UnsafeBufferPointer(start: data, count: size)))
  } catch {
    fatalError("\(chosen.rawValue): \(error)")
  }
  return 0
}
