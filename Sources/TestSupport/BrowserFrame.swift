import Model

/// What the page's main thread did for one frame: script, style, layout and paint since the frame before.
public struct BrowserFrame: Sendable {
    /// Milliseconds from the beginning to the end of each task, added up.
    public var wallTime: Double
    /// Milliseconds of a processor. Less than the wall time while other programs keep the processors busy.
    public var processorTime: Double
}

extension [BrowserFrame] {
    /// The smallest value that so many percent of the frames do not exceed (nearest rank); 0 without frames.
    public func percentile(_ percent: Double, of value: KeyPath<BrowserFrame, Double> = \.wallTime) -> Double {
        let values = map { $0[keyPath: value] }.sorted()
        guard !values.isEmpty else { return 0 }
        let rank = (percent / 100 * Double(values.count)).rounded(.up)
        return values[Swift.min(Swift.max(Int(rank), 1), values.count) - 1]
    }
}

extension Browser {
    /// The frames that the page makes while a test does something with it.
    public func frames(during action: () throws -> Void) throws -> [BrowserFrame] {
        let categories: JSONValue = [
            "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame", "blink.user_timing",
        ]
        try devTools(
            "Tracing.start",
            [
                "transferMode": "ReturnAsStream",
                "traceConfig": [
                    "recordMode": "recordAsMuchAsPossible", "includedCategories": categories, "excludedCategories": ["*"],
                ],
            ])
        traces += 1
        let result = Result { try action() }
        // Tells which thread is the page's.
        try evaluate("performance.mark('\(PageTrace.mark)')")
        try devTools("Tracing.end")
        let trace = try readTrace()
        try result.get()
        return PageTrace(trace).frames
    }

    /// The trace that was recorded last.
    private func readTrace() throws -> JSONValue {
        // The event that names the stream does not come through the driver, but a browser numbers its streams from 1
        // (content/browser/devtools/devtools_io_context.cc), and only traces make any here.
        let handle: JSONValue = ["handle": .string("\(traces)")]
        let end = ContinuousClock.now + .seconds(120)
        var text = ""
        while true {
            do {
                let piece = try devTools("IO.read", handle)
                text += piece["data"]?.string ?? ""
                guard piece["eof"]?.bool == true else { continue }
                let trace = try JSONParser.parse(text)
                try devTools("IO.close", handle)
                return trace
            } catch {
                // The browser is still gathering the trace from its processes: the stream is missing, or empty, or not complete.
                guard ContinuousClock.now < end, Self.isIncomplete(error) else { throw error }
                try evaluate("await new Promise(requestAnimationFrame)")
            }
        }
    }

    private static func isIncomplete(_ error: any Error) -> Bool {
        guard let failure = error as? Failure else { return error is JSONParser.Failure }
        return ["Invalid stream handle", "Read failed"].contains { failure.message.contains($0) }
    }
}

/// A recording in Chromium's trace event format, of the thread that runs the page.
private struct PageTrace {
    static let mark = "picket-frames"

    let frames: [BrowserFrame]

    init(_ json: JSONValue) {
        let events = json["traceEvents"]?.array ?? []
        func thread(_ event: JSONValue) -> [JSONValue?] { [event["pid"], event["tid"]] }
        let page = events.last { $0["name"]?.string == Self.mark }.map(thread)
        let own = events.filter { thread($0) == page }
        // Times are microseconds.
        func times(of name: String) -> [(start: Double, event: JSONValue)] {
            own.filter { $0["name"]?.string == name }.map { ($0["ts"]?.double ?? 0, $0) }.sorted { $0.start < $1.start }
        }
        let tasks = times(of: "RunTask")
        var next = 0
        frames = times(of: "BeginMainThreadFrame").map(\.start).map { begin in
            var frame = BrowserFrame(wallTime: 0, processorTime: 0)
            // A frame begins within a task, which is the last one that counts for it.
            while next < tasks.count, tasks[next].start <= begin {
                frame.wallTime += (tasks[next].event["dur"]?.double ?? 0) / 1000
                frame.processorTime += (tasks[next].event["tdur"]?.double ?? 0) / 1000
                next += 1
            }
            return frame
        }
    }
}
