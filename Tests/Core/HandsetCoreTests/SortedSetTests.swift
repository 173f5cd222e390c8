// The set against an array that is kept sorted.

import TestSupport
import Testing

@testable import HandsetCore

@Suite struct SortedSetTests {
  @Test(arguments: [(1, 40), (2, 600), (3, 3_000)] as [(UInt64, Int)])
  func itIsWhatASortedArrayIs(seed: UInt64, range: Int) throws {
    var random = SplitMix64(state: seed)
    var set = SortedSet<Int>()
    var array: [Int] = []
    for step in 0..<6_000 {
      let element = Int.random(in: 0..<range, using: &random)
      let wasThere = array.contains(element)
      var isSame = set.contains(element) == wasThere
      // First it grows, then it shrinks.
      if Int.random(in: 0..<6_000, using: &random) > step {
        isSame = isSame && set.insert(element) == !wasThere
        if !wasThere { array.insert(element, at: array.firstIndex { $0 > element } ?? array.endIndex) }
      } else {
        isSame = isSame && set.remove(element) == wasThere
        array.removeAll { $0 == element }
      }
      isSame = isSame && set.count == array.count && set.isEmpty == array.isEmpty
      try #require(isSame && set.first == array.first && set.last == array.last, "step \(step)")
      if step % 100 == 0 { #expect(Array(set) == array) }
    }
    #expect(Array(set) == array)
    for element in array { set.remove(element) }
    #expect(set == SortedSet())
    #expect(Array(set) == [])
  }

  @Test func setsAreEqualHoweverTheyCameAbout() {
    let ascending = SortedSet(ascending: 0..<1_000)
    var other = SortedSet<Int>()
    for element in (0..<1_000).reversed() { other.insert(element) }
    other.insert(1_000)
    #expect(ascending != other)
    other.remove(1_000)
    #expect(ascending == other)
    #expect(Array(other) == Array(0..<1_000))
  }
}
