/// The last lines of a log, for the support report.
struct RecentLines: Sendable {
    /// The maximum number of lines.
    static let most = 300
    /// The maximum number of characters of a line; longer lines are cut.
    static let longest = 1000

    private var kept: [String] = []
    /// The index of the oldest line in `kept`; 0 until the maximum number is reached.
    private var oldest = 0

    /// The lines, oldest first.
    var lines: [String] { Array(kept[oldest...] + kept[..<oldest]) }

    /// Adds a line without its value of refused input, and drops the oldest line if necessary.
    mutating func add(_ line: LogLine) {
        var line = line
        line.input = nil
        let text = String(line.text(.text).dropLast().prefix(Self.longest))
        if kept.count < Self.most { return kept.append(text) }
        kept[oldest] = text
        oldest = (oldest + 1) % Self.most
    }
}
