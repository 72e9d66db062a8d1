import Model

/// Keeps lines that say the same again and again from filling a log: of each kind the first few of a minute pass, and the rest
/// is told in one line. It has no clock: every call brings the time.
struct RepeatLimiter<Line> {
    /// So many of a kind pass in one window.
    let most: Int
    /// How long a window is, in seconds. It begins with the first line.
    let window: Double
    /// So many kinds are told apart; further ones pass.
    let capacity: Int

    /// What was held back of one kind.
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

    /// Whether a line of that kind passes now.
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

    /// Whether a line of that kind passes now, of which only the first of a window does; nil when there are too many kinds to tell
    /// it from others.
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

    /// What was held back in windows that are over, which then begin anew. A clock that was set back ends a window too.
    mutating func due(at now: Instant, all: Bool = false) -> [Summary] {
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
