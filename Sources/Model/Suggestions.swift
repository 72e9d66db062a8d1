/// Finds existing names that a misspelled word may mean.
package enum Suggestions {
    /// Up to three names that are similar to `word`: equal but for case, a few letters different, or beginning with it.
    package static func similar(to word: String, among names: [String]) -> [String] {
        let wanted = Array(word.lowercased().utf8)
        guard !wanted.isEmpty else { return [] }
        let allowed = max(1, wanted.count / 3)
        var found: [(distance: Int, name: String)] = []
        for name in names {
            let letters = Array(name.lowercased().utf8)
            if letters.starts(with: wanted), wanted.count >= 3 {
                found.append((1, name))
            } else if abs(letters.count - wanted.count) <= allowed {
                let distance = distance(wanted, letters)
                if distance <= allowed { found.append((distance, name)) }
            }
        }
        return found.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
    }

    /// The number of insertions, deletions, substitutions and swaps of adjacent letters between two words (optimal string alignment
    /// distance).
    static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var before: [Int] = []
        var row = Array(0...b.count)
        for i in a.indices {
            var next = [i + 1]
            for j in b.indices {
                var best = min(row[j] + (a[i] == b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
                next.append(best)
            }
            before = row
            row = next
        }
        return row[b.count]
    }
}
