import Model

/// What a file does not say of itself.
public struct DecodingOptions: Sendable {
    /// The device of all fixes, whatever the input says. Without it a fix belongs to the device that it names, or else to the one
    /// that the file is named after.
    public var device: String?
    /// Which column of a CSV file holds what, as "timestamp=Zeit,latitude=y".
    public var columns: [String: String] = [:]
    /// Times for points that carry none: the first, and the seconds from one to the next.
    public var start: Instant?
    public var interval: Double?
    /// Take (0, 0), which mostly means "no fix", as a position.
    public var allowsNullIsland = false

    public init(device: String? = nil) { self.device = device }
}

/// Turns the bytes of one input into fixes and named refusals, piece by piece: memory does not grow with the input.
///
/// The format is recognised from the first pieces' content. Nothing is thrown for a bad record: it is refused, and the rest
/// goes on. What makes the whole input unreadable (a GPX file cut off, say) is thrown by `decode` or `finish`, after all that
/// came before it has been delivered; after that the decoder takes nothing more. The fixes and refusals are the same for every
/// way to cut the input into pieces.
///
/// Where an input does not name a device and is not one device's file (JSON), `Row.device` is −1.
///
/// `line` counts lines from 1, or in JSON the objects, so that it is the place in an array. Pieces of some 64 kB are right, with the
/// batch emptied after each: two bytes can be a refusal of two hundred.
public struct FixDecoder {
    /// How it was recognised; nil until enough of the input was seen.
    public private(set) var format: FixFormat?

    private var sink: FixSink
    private var recognizer = FormatRecognizer()
    private var state = State.recognizing
    /// What may come before an input whose format is given; else the recogniser takes it away.
    private var mark: ByteOrderMark?

    private enum State {
        case recognizing
        case csv(CSVFixDecoder)
        case gpx(GPXFixDecoder)
        case nmea(NMEAFixDecoder)
        case geoJSON(GeoJSONFixDecoder)
        case json(JSONFixDecoder)
        case jsonLines(JSONLinesFixDecoder)
        case done
    }

    /// - Parameter source: The name of the input, for messages, and for a device's name where nothing else gives one.
    public init(source: String, options: DecodingOptions = DecodingOptions()) {
        sink = FixSink(source: source, options: options)
    }

    /// - Parameter format: What the input is, whatever it looks like.
    public init(source: String, format: FixFormat, options: DecodingOptions = DecodingOptions()) {
        self.init(source: source, options: options)
        begin(format)
        mark = ByteOrderMark()
    }

    /// - Parameter contentType: The value of a header `Content-Type`. Where it names no format for certain, the content tells.
    public init(source: String, contentType: String, options: DecodingOptions = DecodingOptions()) {
        if let format = FixFormat(contentType: contentType) {
            self.init(source: source, format: format, options: options)
        } else {
            self.init(source: source, options: options)
        }
    }

    /// Decodes the next piece. Appends to `batch`.
    ///
    /// - Throws: `Problem.unsupportedFormat`, `.decodingFailed`, `.tooLarge`, or `.validationFailed` for options that do not fit.
    public mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, into batch: inout FixBatch) throws(Problem) {
        sink.begin(batch)
        defer { sink.end(batch) }
        var chunk = unsafe bytes.span
        if mark != nil { chunk = chunk.extracting(try skipMark(chunk, into: &batch)) }
        guard case .recognizing = state else { return try decode(chunk, into: &batch) }
        try recognize(chunk, isWhole: false, into: &batch)
    }

    /// Says that the input has ended. Appends what was still held back.
    ///
    /// - Throws: As `decode`.
    public mutating func finish(into batch: inout FixBatch) throws(Problem) {
        sink.begin(batch)
        defer { sink.end(batch) }
        if case .recognizing = state {
            let nothing: [UInt8] = []
            try recognize(nothing.span, isWhole: true, into: &batch)
        }
        if let start = mark?.held, !start.isEmpty {
            mark = nil
            try decode(start.span, into: &batch)
        }
        switch take() {
        case .csv(var decoder): try decoder.finish(&sink, into: &batch)
        case .gpx(var decoder): try decoder.finish(&sink, into: &batch)
        case .nmea(var decoder): decoder.finish(&sink, into: &batch)
        case .geoJSON(var decoder): try decoder.finish(&sink, into: &batch)
        case .json(var decoder): try decoder.finish()
        case .jsonLines(var decoder): decoder.finish(&sink, into: &batch)
        case .recognizing, .done: break
        }
    }

    /// The state, leaving `.done` in its place until it is put back: an error ends the decoding, and a decoder that is the only
    /// owner of its buffers does not copy them.
    private mutating func take() -> State {
        var taken = State.done
        swap(&taken, &state)
        return taken
    }

    private mutating func decode(_ chunk: Bytes, into batch: inout FixBatch) throws(Problem) {
        switch take() {
        case .csv(var decoder):
            try decoder.decode(chunk, &sink, into: &batch)
            state = .csv(decoder)
        case .gpx(var decoder):
            try decoder.decode(chunk, &sink, into: &batch)
            state = .gpx(decoder)
        case .nmea(var decoder):
            decoder.decode(chunk, &sink, into: &batch)
            state = .nmea(decoder)
        case .geoJSON(var decoder):
            try decoder.decode(chunk, &sink, into: &batch)
            state = .geoJSON(decoder)
        case .json(var decoder):
            try decoder.decode(chunk, &sink, into: &batch)
            state = .json(decoder)
        case .jsonLines(var decoder):
            decoder.decode(chunk, &sink, into: &batch)
            state = .jsonLines(decoder)
        case .recognizing, .done: break
        }
    }

    private mutating func recognize(_ chunk: Bytes, isWhole: Bool, into batch: inout FixBatch) throws(Problem) {
        guard let recognized = recognizer.take(chunk, isWhole: isWhole) else { return }
        let head = recognizer.giveUp()
        switch recognized {
        case .unsupported(let found):
            state = .done
            throw .unsupportedFormat(source: sink.source, found: found, supported: FixFormat.list)
        case .format(let format):
            begin(format)
        }
        try decode(head.span, into: &batch)
    }

    private mutating func begin(_ format: FixFormat) {
        self.format = format
        state =
            switch format {
            case .csv: .csv(CSVFixDecoder())
            case .gpx: .gpx(GPXFixDecoder())
            case .nmea: .nmea(NMEAFixDecoder())
            case .geoJSON: .geoJSON(GeoJSONFixDecoder(source: sink.source))
            case .json: .json(JSONFixDecoder(source: sink.source))
            case .ndjson: .jsonLines(JSONLinesFixDecoder(.plain))
            case .ownTracksRec: .jsonLines(JSONLinesFixDecoder(.recorded))
            }
    }

    /// What follows the mark, in this piece. What was taken for its start and is none goes to the decoder.
    private mutating func skipMark(_ chunk: Bytes, into batch: inout FixBatch) throws(Problem) -> Range<Int> {
        guard let (rest, isOver) = mark?.skip(chunk) else { return 0..<chunk.count }
        if isOver {
            let start = mark?.held ?? []
            mark = nil
            if !start.isEmpty { try decode(start.span, into: &batch) }
        }
        return rest
    }
}

/// The mark that some programs put before UTF-8 (U+FEFF, three bytes), followed over pieces of an input.
private struct ByteOrderMark {
    private static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
    private var count = 0

    /// What was seen of it, when the whole did not come.
    var held: [UInt8] { count < Self.bytes.count ? Array(Self.bytes.prefix(count)) : [] }

    /// Where the piece goes on after the mark, and whether nothing of the mark can follow.
    mutating func skip(_ chunk: Bytes) -> (rest: Range<Int>, isOver: Bool) {
        var index = 0
        while index < chunk.count, count < Self.bytes.count {
            guard chunk[index] == Self.bytes[count] else { return (index..<chunk.count, true) }
            index += 1
            count += 1
        }
        return (index..<chunk.count, count == Self.bytes.count)
    }
}
