/// The last lines of a log, for a report.
struct RecentLines: Sendable {
    /// So many are kept.
    static let most = 300
    /// So many characters of a line are kept.
    static let longest = 1000

    private var kept: [String] = []
    /// Where the oldest line stands, once as many are kept as may be.
    private var oldest = 0

    /// The lines, the oldest first.
    var lines: [String] { Array(kept[oldest...] + kept[..<oldest]) }

    /// Keeps a line, without its place.
    mutating func add(_ line: LogLine) {
        var line = line
        line.place = nil
        let text = String(line.text(.text).dropLast().prefix(Self.longest))
        if kept.count < Self.most { return kept.append(text) }
        kept[oldest] = text
        oldest = (oldest + 1) % Self.most
    }
}
