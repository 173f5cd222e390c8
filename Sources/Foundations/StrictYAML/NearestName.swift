/// Returns the name nearest to a mistyped word; nil if none is near.
///
/// Near means a Damerau–Levenshtein distance (insertions, deletions, substitutions, and swaps of two neighbours; case
/// is ignored) of at most one third of the longer word's letters, at least 1 and at most 3. Of equally near names the
/// first one wins. Words longer than `YAMLLimits.comparedScalars` are never near, nor are words with different part
/// numbers: `tm1638` is not near to `tm1637`.
public func nearest(_ word: String, among names: some Sequence<String>) -> String? {
  let typed = Array(word.lowercased().unicodeScalars)
  guard typed.count <= YAMLLimits.comparedScalars else { return nil }
  let number = partNumber(in: typed)
  var best: (name: String, distance: Int)?
  for name in names {
    let letters = Array(name.lowercased().unicodeScalars)
    guard partNumber(in: letters) == number else { continue }
    guard letters.count <= YAMLLimits.comparedScalars else { continue }
    let tolerance = max(1, min(3, max(typed.count, letters.count) / 3))
    guard abs(letters.count - typed.count) <= tolerance else { continue }
    let distance = editDistance(typed, letters)
    // Replacing the only letter of a word makes another word.
    guard distance <= tolerance, distance < max(typed.count, letters.count) else { continue }
    if distance < best?.distance ?? .max { best = (name, distance) }
  }
  return best?.name
}

/// Returns the numbers of a word that contains one of three digits or more, as chip names do, each with its digits
/// sorted, because two exchanged digits are a typo. Empty for any other word.
private func partNumber(in word: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
  let numbers = word.split { !("0"..."9").contains($0) }
  return numbers.contains { $0.count >= 3 } ? numbers.map { $0.sorted() } : []
}

/// Returns the optimal-string-alignment form of the distance: no part of a word is edited twice.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
  var beforePrevious = [Int](repeating: 0, count: right.count + 1)
  var previous = Array(0...right.count)
  for i in left.indices {
    var current = [i + 1]
    for j in right.indices {
      let substitution = previous[j] + (left[i] == right[j] ? 0 : 1)
      var distance = min(previous[j + 1] + 1, current[j] + 1, substitution)
      if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
        distance = min(distance, beforePrevious[j - 1] + 1)
      }
      current.append(distance)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[right.count]
}
