import Model

/// Recognizes the format of an input from its beginning.
///
/// It reads strictly forward and decides at the first byte that determines the format, so that the result does not depend on how the input
/// is cut into pieces. It keeps the bytes for the decoder.
struct FormatRecognizer {
    /// The result of recognition.
    enum Recognition: Hashable {
        /// A format. XML is `.gpx` until its root element is read.
        case format(FixFormat)
        /// No supported format. The value says what the input seems to be, as the end of a sentence.
        case unsupported(Phrase)
    }

    /// The maximum number of bytes to examine.
    static let maxBytes = 1 << 16

    private var head: [UInt8] = []
    /// The size of the head at which it is examined again, so that tiny pieces do not cost quadratic time.
    private var nextSize = 1

    /// Examines one more piece. Nil if the format cannot be determined yet.
    mutating func examine(_ chunk: Bytes, isWhole: Bool) -> Recognition? {
        chunk.append(0..<chunk.count, to: &head)
        guard isWhole || head.count >= nextSize else { return nil }
        nextSize = head.count + max(1, head.count / 8)
        let isEnough = head.count >= Self.maxBytes
        return Self.recognize(head.span.extracting(0..<min(head.count, Self.maxBytes)), isWhole: isWhole || isEnough)
    }

    /// All bytes received, without a byte order mark.
    mutating func takeBytes() -> [UInt8] {
        defer { head = [] }
        return head.span.starts(with: "\u{FEFF}") ? Array(head.dropFirst(3)) : head
    }

    // MARK: - Rules

    private static func recognize(_ head: Bytes, isWhole: Bool) -> Recognition? {
        var start = head.starts(with: "\u{FEFF}") ? 3 : 0
        while start < head.count, head[start].isSpace { start += 1 }
        guard start < head.count else { return isWhole ? .unsupported(.empty) : nil }
        if start + 16 > head.count, !isWhole { return nil }
        if head.starts(with: "PK\u{3}\u{4}", at: start) { return .format(.kmz) }
        if let signature = signatures.first(where: { head.starts(with: $0.bytes, at: start + $0.offset) }) {
            return .unsupported(signature.found)
        }
        switch head[start] {
        case UInt8(ascii: "<"): return .format(.gpx)
        case 0xFF, 0xFE:
            let isXML = head.starts(with: "<", at: start + 2) || head.starts(with: "<", at: start + 3)
            return isXML ? .format(.gpx) : .unsupported(Phrase("it is UTF-16 text; save it as UTF-8"))
        case UInt8(ascii: "{"):
            var outline = JSONOutline()
            return outline.recognize(head, from: start, isWhole: isWhole)
        case UInt8(ascii: "["): return .format(.json)
        default: return text(head, start, isWhole)
        }
    }

    private struct Signature {
        var offset = 0
        var bytes: StaticString
        var found: Phrase
    }

    /// Signatures of common binary files, and of web pages saved by mistake.
    private static let signatures = [
        Signature(bytes: "BZh", found: .compressed("bzip2")),
        Signature(offset: 1, bytes: "7zXZ", found: .compressed("xz")),
        Signature(offset: 8, bytes: ".FIT", found: Phrase("it is a Garmin FIT file; export it as GPX")),
        Signature(bytes: "SQLite format 3", found: Phrase("it is an SQLite database")),
        Signature(bytes: "%PDF", found: .pdf),
        Signature(offset: 1, bytes: "PNG", found: Phrase("it is a picture")),
        Signature(bytes: "<!DOCTYPE html", found: .webPage),
        Signature(bytes: "<!doctype html", found: .webPage),
        Signature(bytes: "<html", found: .webPage),
        Signature(bytes: "<HTML", found: .webPage),
    ]

    /// Examines lines until one determines the format.
    private static func text(_ head: Bytes, _ first: Int, _ isWhole: Bool) -> Recognition? {
        if head.starts(with: "\u{1F}", at: first), first + 1 < head.count, head[first + 1] == 0x8B {
            return .unsupported(.compressed("gzip"))
        }
        var start = first
        while start < head.count {
            let newline = head.firstIndex(of: 0x0A, from: start)
            if newline == nil, !isWhole { break }
            let line = start..<(newline ?? head.count)
            if line.contains(where: { head[$0] < 0x20 && !head[$0].isSpace && head[$0] != 0x0C }) {
                return .unsupported(.notText)
            }
            if let format = format(ofLine: head, head.trimmed(line)) { return .format(format) }
            start = line.upperBound + 1
        }
        return isWhole ? .unsupported(Phrase("it is text without positions in a supported format")) : nil
    }

    private static func format(ofLine head: Bytes, _ line: Range<Int>) -> FixFormat? {
        guard let first = line.first, head[first] != UInt8(ascii: "#") else { return nil }
        if NMEASentence.starts(in: head, line) { return .nmea }
        if let tab = head.firstIndex(of: 0x09, in: line), isTime(head, head.trimmed(first..<tab)),
            head.firstIndex(of: UInt8(ascii: "{"), in: line) != nil || head.firstIndex(of: UInt8(ascii: "*"), in: line) != nil
        {
            return .ownTracksRec
        }
        func isTime(_ bytes: Bytes, _ range: Range<Int>) -> Bool {
            if case .unusable = WrittenTime(bytes, range) { false } else { true }
        }
        return CSVHeader.separators.contains { head.firstIndex(of: $0, in: line) != nil } ? .csv : nil
    }
}

/// Distinguishes GeoJSON, JSON and NDJSON by the outermost structure of an input that begins with `{`.
private struct JSONOutline {
    private var depth = 0
    private var key: Range<Int>?

    mutating func recognize(_ head: Bytes, from start: Int, isWhole: Bool) -> FormatRecognizer.Recognition? {
        var index = start
        var hasNewline = false
        while index < head.count {
            switch head[index] {
            case UInt8(ascii: "\""):
                guard let end = Self.endOfString(head, index) else { return isWhole ? .format(.json) : nil }
                if depth == 1 {
                    if let key, head.starts(with: "\"type\"", at: key.lowerBound), Self.isGeoJSON(head, index..<end) {
                        return .format(.geoJSON)
                    }
                    key = index..<end
                }
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if depth == 1, let key,
                    ["\"features\"", "\"geometry\""].contains(where: { head.starts(with: $0, at: key.lowerBound) })
                {
                    return .format(.geoJSON)
                }
                if depth == 1, head[index] == UInt8(ascii: "["), let key,
                    PositionList.names.contains(where: { $0.utf8.elementsEqual(Self.content(head, key)) })
                {
                    return .format(.json)
                }
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth <= 0 { return Self.afterFirst(head, index + 1, hasNewline, isWhole) }
            case UInt8(ascii: ","): if depth == 1 { key = nil }
            case 0x0A:
                hasNewline = true
                // If a line starts with a brace before the first value has ended, the first line is a broken value of NDJSON.
                if index + 1 < head.count, head[index + 1] == UInt8(ascii: "{") { return .format(.ndjson) }
            default: break
            }
            index += 1
        }
        return isWhole ? .format(.json) : nil
    }

    /// Decides after the end of the first value. A value on a single line that a newline or another value follows is NDJSON; every other
    /// value is JSON.
    private static func afterFirst(
        _ head: Bytes, _ start: Int, _ hasNewline: Bool, _ isWhole: Bool
    ) -> FormatRecognizer.Recognition? {
        if hasNewline { return .format(.json) }
        for index in start..<head.count where head[index] == 0x0A || !head[index].isSpace { return .format(.ndjson) }
        return isWhole ? .format(.json) : nil
    }

    /// The index after the string that starts at `start`; nil if it does not end.
    private static func endOfString(_ head: Bytes, _ start: Int) -> Int? {
        var index = start + 1
        while index < head.count {
            if head[index] == UInt8(ascii: "\"") { return index + 1 }
            index += head[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    /// The bytes of a string without its quotation marks.
    private static func content(_ head: Bytes, _ string: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        head.append((string.lowerBound + 1)..<(string.upperBound - 1), to: &bytes)
        return bytes
    }

    private static func isGeoJSON(_ head: Bytes, _ string: Range<Int>) -> Bool {
        let types: [StaticString] = [
            "\"FeatureCollection\"", "\"Feature\"", "\"Point\"", "\"MultiPoint\"", "\"LineString\"", "\"MultiLineString\"",
            "\"Polygon\"", "\"MultiPolygon\"", "\"GeometryCollection\"",
        ]
        return types.contains { head.starts(with: $0, at: string.lowerBound) }
    }
}
