import Model

/// Limits repeated lines in a log: in each time window, the first lines of each kind pass, and the others are summarized in one line. The
/// limiter has no clock; the time is passed to every call.
struct RepeatLimiter<Line> {
    /// The maximum number of lines of one kind that pass in one window.
    let most: Int
    /// The length of a window in seconds. A window begins with the first line of its kind.
    let window: Double
    /// The maximum number of kinds that are limited separately. Lines of further kinds always pass.
    let capacity: Int

    /// The lines of one kind that were held back in a window.
    struct Summary {
        var kind: String
        /// The first line that was held back.
        var line: Line
        var count: Int
    }

    private struct Window {
        var start: Instant
        var passed: Int
        var held = 0
        var line: Line?
    }

    private var windows: [String: Window] = [:]
    private var nextSweep = Instant.earliest

    init(most: Int = 10, window: Double = 60, capacity: Int = 1000) {
        self.most = most
        self.window = window
        self.capacity = capacity
    }

    /// Whether a line of this kind passes now. The window counts the line.
    mutating func admits(_ kind: String, at now: Instant, line: @autoclosure () -> Line) -> Bool {
        guard var current = windows[kind] else {
            if windows.count < capacity { windows[kind] = Window(start: now, passed: 1) }
            return true
        }
        defer { windows[kind] = current }
        if current.passed < most {
            current.passed += 1
            return true
        }
        if current.line == nil { current.line = line() }
        current.held += 1
        return false
    }

    /// Whether a line passes now if only the first line of its kind passes in each window; nil if there are too many kinds to limit this
    /// one separately.
    mutating func admitsFirst(_ kind: String, at now: Instant, line: @autoclosure () -> Line) -> Bool? {
        guard var current = windows[kind] else {
            guard windows.count < capacity else { return nil }
            windows[kind] = Window(start: now, passed: most)
            return true
        }
        if current.line == nil { current.line = line() }
        current.held += 1
        windows[kind] = current
        return false
    }

    /// Ends the windows that are over, and returns summaries of the lines that they held back. A clock that was set back also ends a
    /// window.
    mutating func takeDueSummaries(at now: Instant, all: Bool = false) -> [Summary] {
        if !all, now < nextSweep, now + window >= nextSweep { return [] }
        var summaries: [Summary] = []
        var next = now + window
        for (kind, current) in windows {
            if !all, now >= current.start, now - current.start < window {
                next = min(next, current.start + window)
                continue
            }
            windows[kind] = nil
            if let line = current.line { summaries.append(Summary(kind: kind, line: line, count: current.held)) }
        }
        nextSweep = next
        return summaries.sorted { $0.kind < $1.kind }
    }
}
