import Model

/// Decodes one JSON object with a position, or an array of them. `line` counts the objects from 1.
struct JSONFixDecoder {
    private var elements: JSONElementSplitter
    private var reader = JSONPositionReader(defaultNaming: .unknown)
    private var count = 0

    init(source: ProblemSubject) { elements = JSONElementSplitter(source: source, most: LineSplitter.maxBytes) }

    mutating func decode(_ chunk: Bytes, _ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        var elements = elements.takeSplitter()
        defer { self.elements = elements }
        try elements.feed(chunk) { (_, element, _) throws(Problem) in
            count += 1
            reader.read(element, line: count, &sink, into: &batch)
        }
    }

    /// - Throws: `Problem.decodingFailed` if the input ends inside a value.
    mutating func finish() throws(Problem) { try elements.finish() }
}
