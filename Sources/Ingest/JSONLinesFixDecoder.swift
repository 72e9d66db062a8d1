import Model

/// Decodes one JSON object per line: Picket's own positions or OwnTracks messages (NDJSON), or files of the OwnTracks recorder.
struct JSONLinesFixDecoder {
    /// Where the object is in its line.
    enum LineForm {
        /// The object is the whole line.
        case plain
        /// The object follows the time of arrival, a tab, a kind padded with spaces, and a tab (OwnTracks Recorder, "Storage"). Lines
        /// without an object are other messages.
        case recorded
    }

    private let form: LineForm
    private var lines = LineSplitter()
    private var reader: JSONPositionReader

    init(_ form: LineForm) {
        self.form = form
        reader = JSONPositionReader(defaultNaming: form == .recorded ? .file : .unknown)
    }

    mutating func decode(_ chunk: Bytes, _ sink: inout FixSink, into batch: inout FixBatch) {
        var lines = lines.takeSplitter()
        defer { self.lines = lines }
        lines.feed(chunk) { line, number, isWhole in read(line, number, isWhole, &sink, into: &batch) }
    }

    mutating func finish(_ sink: inout FixSink, into batch: inout FixBatch) {
        var lines = lines.takeSplitter()
        lines.finish { line, number, isWhole in read(line, number, isWhole, &sink, into: &batch) }
        reader.finish(sink, into: &batch)
    }

    @inline(__always)
    private mutating func read(
        _ line: Bytes, _ number: Int, _ isWhole: Bool, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        guard isWhole else { return sink.refuseOverlong(line, number, into: &batch) }
        switch form {
        case .plain:
            if line.trimmed(0..<line.count).isEmpty { return }
            reader.read(line, line: number, &sink, into: &batch)
        case .recorded:
            guard let brace = line.firstIndex(of: UInt8(ascii: "{"), from: 0) else { return }
            reader.read(line.extracting(brace..<line.count), line: number, &sink, into: &batch)
        }
    }
}
