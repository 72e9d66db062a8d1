import Model

/// Decodes the bytes of one input into fixes and refusals, piece by piece. Its memory does not grow with the input.
///
/// The format is recognized from the content of the first pieces. A KMZ archive is held in memory until its end, up to
/// `ZipArchive.maxBytes`. An invalid record is refused, and decoding continues. An error that makes the whole input unreadable,
/// such as a truncated GPX file, is thrown by `decode` or `finish` after everything before it was delivered. The decoder then
/// ignores further input. The result does not depend on how the input is cut into pieces.
///
/// `Row.device` is −1 if the input names no device and is not the file of one device (JSON).
///
/// `line` counts lines from 1; for JSON it counts objects, so that it is the position in an array. Pieces of about 64 kB are recommended,
/// and the batch should be emptied after each, because two bytes can cause a refusal of two hundred.
package struct FixDecoder {
    /// The format of the input; nil until it has been recognized. XML counts as GPX until its root element has been read.
    package private(set) var format: FixFormat?

    /// Whether a position belongs to the device of the file; see `DecodingOptions.fileDevice`.
    package var usesFileDevice: Bool { sink.usesFileDevice }

    private var sink: FixSink
    private var recognizer = FormatRecognizer()
    private var state = State.recognizing
    /// Skips a byte order mark when the format is given. Otherwise the recognizer skips it.
    private var byteOrderMark: ByteOrderMark?

    private enum State {
        case recognizing
        case csv(CSVFixDecoder)
        case xml(XMLFixDecoder)
        case kmz(KMZFixDecoder)
        case nmea(NMEAFixDecoder)
        case geoJSON(GeoJSONFixDecoder)
        case json(JSONFixDecoder)
        case jsonLines(JSONLinesFixDecoder)
        case done
    }

    /// - Parameter source: The name of the input for messages, and for the device's name if nothing else names one.
    package init(source: ProblemSubject, options: DecodingOptions = DecodingOptions()) {
        sink = FixSink(source: source, options: options)
    }

    /// - Parameter format: The format of the input, which is not checked.
    package init(source: ProblemSubject, format: FixFormat, options: DecodingOptions = DecodingOptions()) {
        self.init(source: source, options: options)
        begin(format)
        byteOrderMark = ByteOrderMark()
    }

    /// - Parameter contentType: The value of a `Content-Type` header. If it does not determine the format, the content does.
    package init(source: ProblemSubject, contentType: String, options: DecodingOptions = DecodingOptions()) {
        if let format = FixFormat(contentType: contentType) {
            self.init(source: source, format: format, options: options)
        } else {
            self.init(source: source, options: options)
        }
    }

    /// Decodes the next piece and appends to `batch`.
    ///
    /// - Throws: `Problem.unsupportedFormat`, `.decodingFailed`, `.tooLarge`, or `.validationFailed` for options that do not fit.
    package mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, into batch: inout FixBatch) throws(Problem) {
        sink.begin(batch)
        defer { sink.end(batch) }
        var chunk = unsafe bytes.span
        if byteOrderMark != nil { chunk = chunk.extracting(try skipByteOrderMark(chunk, into: &batch)) }
        guard case .recognizing = state else { return try decode(chunk, into: &batch) }
        try recognize(chunk, isWhole: false, into: &batch)
    }

    /// Marks the end of the input, and appends what was held back.
    ///
    /// - Throws: The same problems as `decode`.
    package mutating func finish(into batch: inout FixBatch) throws(Problem) {
        sink.begin(batch)
        defer { sink.end(batch) }
        if case .recognizing = state {
            let nothing: [UInt8] = []
            try recognize(nothing.span, isWhole: true, into: &batch)
        }
        if let start = byteOrderMark?.held, !start.isEmpty {
            byteOrderMark = nil
            try decode(start.span, into: &batch)
        }
        switch takeState() {
        case .csv(var decoder): try decoder.finish(&sink, into: &batch)
        case .xml(var decoder):
            defer { format = decoder.format ?? format }
            try decoder.finish(&sink, into: &batch)
        case .kmz(let decoder): try decoder.finish(&sink, into: &batch)
        case .nmea(var decoder): decoder.finish(&sink, into: &batch)
        case .geoJSON(var decoder): try decoder.finish(&sink, into: &batch)
        case .json(var decoder): try decoder.finish(sink, into: &batch)
        case .jsonLines(var decoder): decoder.finish(&sink, into: &batch)
        case .recognizing, .done: break
        }
    }

    /// Moves the state out, and leaves `.done` until the caller stores it again. Therefore an error ends the decoding, and the
    /// decoder's buffers have only one owner and are not copied.
    private mutating func takeState() -> State {
        var taken = State.done
        swap(&taken, &state)
        return taken
    }

    private mutating func decode(_ chunk: Bytes, into batch: inout FixBatch) throws(Problem) {
        switch takeState() {
        case .csv(var decoder):
            try decoder.decode(chunk, &sink, into: &batch)
            state = .csv(decoder)
        case .xml(var decoder):
            // Also when an error follows the root element in the same piece.
            defer { format = decoder.format ?? format }
            try decoder.decode(chunk, &sink, into: &batch)
            state = .xml(decoder)
        case .kmz(var decoder):
            try decoder.add(chunk, sink)
            state = .kmz(decoder)
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
        guard let recognized = recognizer.examine(chunk, isWhole: isWhole) else { return }
        let head = recognizer.takeBytes()
        switch recognized {
        case .unsupported(let found):
            state = .done
            throw .unsupportedFormat(source: sink.source, found: found, supported: FixFormat.supported)
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
            case .gpx, .kml, .tcx: .xml(XMLFixDecoder())
            case .kmz: .kmz(KMZFixDecoder())
            case .nmea: .nmea(NMEAFixDecoder())
            case .geoJSON: .geoJSON(GeoJSONFixDecoder(source: sink.source))
            case .json: .json(JSONFixDecoder(source: sink.source))
            case .ndjson: .jsonLines(JSONLinesFixDecoder(.plain))
            case .ownTracksRec: .jsonLines(JSONLinesFixDecoder(.recorded))
            }
    }

    /// The range of the piece after a byte order mark. Bytes that looked like the start of a mark and were none are decoded.
    private mutating func skipByteOrderMark(_ chunk: Bytes, into batch: inout FixBatch) throws(Problem) -> Range<Int> {
        guard let (rest, isOver) = byteOrderMark?.skip(chunk) else { return 0..<chunk.count }
        if isOver {
            let start = byteOrderMark?.held ?? []
            byteOrderMark = nil
            if !start.isEmpty { try decode(start.span, into: &batch) }
        }
        return rest
    }
}

/// Recognizes the UTF-8 byte order mark (U+FEFF, three bytes), which some programs write, across pieces of an input.
private struct ByteOrderMark {
    private static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
    private var count = 0

    /// The bytes of an incomplete mark, which belong to the content.
    var held: [UInt8] { count < Self.bytes.count ? Array(Self.bytes.prefix(count)) : [] }

    /// The range of the piece after the mark, and whether the mark is complete or ruled out.
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
