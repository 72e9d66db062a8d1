import Model

/// Decodes one JSON object with a position, an array of them, or an object with a list of them (`PositionList`). `line` counts the objects
/// from 1.
struct JSONFixDecoder {
    private var elements: JSONElementSplitter
    private var reader = JSONPositionReader(defaultNaming: .unknown)
    private var count = 0
    /// Whether the outermost object has a list of positions.
    private var isInList = false

    init(source: ProblemSubject) {
        elements = JSONElementSplitter(source: source, elementsOf: PositionList.names, most: LineSplitter.maxBytes)
    }

    /// - Throws: `Problem.decodingFailed` for text that is not JSON, or an object of more than 1 MB without a list of positions, and
    ///   `.tooLarge` for an element of more than 1 MB.
    mutating func decode(_ chunk: Bytes, _ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        var elements = elements.takeSplitter()
        defer { self.elements = elements }
        do throws(Problem) {
            try elements.feed(chunk) { (part, bytes, line) throws(Problem) in
                try read(part, bytes, line, &sink, into: &batch)
            }
        } catch {
            guard case .tooLarge = error, elements.isInOutermostObject, !isInList else { throw error }
            throw .decodingFailed(
                source: sink.source, line: 1, reason: .expecting(.objectsWithoutPosition(elements.memberNames), .positionsInJSON))
        }
    }

    private mutating func read(
        _ part: JSONElementSplitter.Part, _ bytes: Bytes, _ line: Int, _ sink: inout FixSink, into batch: inout FixBatch
    ) throws(Problem) {
        switch part {
        case .opening:
            isInList = true
            reader.enclosing = try members(bytes, line, sink.source)
        case .object where isInList:
            _ = try members(bytes, line, sink.source)
            isInList = false
            reader.enclosing = []
        case .element, .object:
            count += 1
            reader.read(bytes, line: count, &sink, into: &batch)
        }
    }

    /// The members of the outermost object that apply to each element of its lists.
    private func members(_ bytes: Bytes, _ line: Int, _ source: ProblemSubject) throws(Problem) -> [JSONValue.Member] {
        do throws(JSONParser.Failure) {
            return PositionList.enclosing(try JSONParser.parse(bytes).members ?? [])
        } catch {
            throw .decodingFailed(source: source, line: line + error.line - 1, reason: .notJSON(error.reason))
        }
    }

    /// - Throws: `Problem.decodingFailed` if the input ends inside a value.
    mutating func finish(_ sink: FixSink, into batch: inout FixBatch) throws(Problem) {
        reader.finish(sink, into: &batch)
        try elements.finish()
    }
}
