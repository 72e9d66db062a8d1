import Model

/// The work of the page's main thread for one frame: script, style, layout and paint since the previous frame.
package struct BrowserFrame: Sendable {
    /// The sum of the durations of the frame's tasks, in milliseconds.
    package var wallTime: Double
    /// The sum of the processor times of the frame's tasks, in milliseconds. It is less than the wall time when other programs use the
    /// processors.
    package var processorTime: Double
}

extension [BrowserFrame] {
    /// The smallest value that is not exceeded by this percentage of the frames (nearest rank); 0 without frames.
    package func percentile(_ percent: Double, of value: KeyPath<BrowserFrame, Double> = \.wallTime) -> Double {
        let values = map { $0[keyPath: value] }.sorted()
        guard !values.isEmpty else { return 0 }
        let rank = (percent / 100 * Double(values.count)).rounded(.up)
        return values[Swift.min(Swift.max(Int(rank), 1), values.count) - 1]
    }
}

extension Browser {
    /// Records the frames of the page while `action` runs.
    package func frames(during action: () throws -> Void) throws -> [BrowserFrame] {
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
        // The mark identifies the page's thread in the trace.
        try evaluate("performance.mark('\(PageTrace.mark)')")
        try devTools("Tracing.end")
        let trace = try readTrace()
        try result.get()
        return PageTrace(trace).frames
    }

    /// Reads the last recorded trace.
    private func readTrace() throws -> JSONValue {
        // The driver does not pass on the event that names the stream. A browser numbers its streams from 1
        // (content/browser/devtools/devtools_io_context.cc), and here only traces create streams.
        let handle: JSONValue = ["handle": .string("\(traces)")]
        let end = ContinuousClock.now + .seconds(Watchdog.seconds)
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
                // The browser is still collecting the trace from its processes: the stream is missing, empty or incomplete.
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

/// A recording in Chromium's trace event format, reduced to the thread of the page.
private struct PageTrace {
    static let mark = "picket-frames"

    let frames: [BrowserFrame]

    init(_ json: JSONValue) {
        let events = json["traceEvents"]?.array ?? []
        func thread(_ event: JSONValue) -> [JSONValue?] { [event["pid"], event["tid"]] }
        let page = events.last { $0["name"]?.string == Self.mark }.map(thread)
        let own = events.filter { thread($0) == page }
        // Times in a trace are in microseconds.
        func times(of name: String) -> [(start: Double, event: JSONValue)] {
            own.filter { $0["name"]?.string == name }.map { ($0["ts"]?.double ?? 0, $0) }.sorted { $0.start < $1.start }
        }
        let tasks = times(of: "RunTask")
        var next = 0
        frames = times(of: "BeginMainThreadFrame").map(\.start).map { begin in
            var frame = BrowserFrame(wallTime: 0, processorTime: 0)
            // A frame begins within a task, which is the last one counted for the frame.
            while next < tasks.count, tasks[next].start <= begin {
                frame.wallTime += (tasks[next].event["dur"]?.double ?? 0) / 1000
                frame.processorTime += (tasks[next].event["tdur"]?.double ?? 0) / 1000
                next += 1
            }
            return frame
        }
    }
}
