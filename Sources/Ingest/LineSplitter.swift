/// Splits an input that arrives in chunks into lines, or into CSV records whose quoted fields may contain newlines.
///
/// A line within one chunk is passed on in place; only lines across chunks are copied. The result does not depend on how the input is cut
/// into chunks. At most `longest` bytes are held in memory.
struct LineSplitter {
    /// The maximum size of a line in bytes. A longer line is passed on truncated, with `isWhole` false.
    static let maxBytes = 1 << 20

    /// Whether a newline inside quotation marks belongs to the field (RFC 4180 §2.6). A quotation mark opens a quotation only at the start
    /// of a field. If a quoted field does not end within `longest` bytes, the mark was not a quotation, and from there on every newline
    /// ends a record.
    private var isQuoting: Bool

    private var held: [UInt8] = []
    private var line = 1
    private var newlinesInside = 0
    private var isSkipping = false
    private var isInsideQuotes = false
    private var isFieldStart = true

    init(isQuoting: Bool = false) { self.isQuoting = isQuoting }

    /// Moves the splitter out while its owner receives lines, and leaves a fresh one in its place.
    mutating func takeSplitter() -> LineSplitter {
        var taken = LineSplitter()
        swap(&taken, &self)
        return taken
    }

    /// Calls `body` with each line that the chunk completes, without its line break, and the line's number from 1.
    mutating func feed<Failure: Error>(
        _ chunk: Bytes, _ body: (_ line: Bytes, _ number: Int, _ isWhole: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        var start = 0
        var searched = 0
        if isSkipping {
            guard let newline = chunk.firstIndex(of: 0x0A, from: 0) else { return }
            isSkipping = false
            line += 1
            start = newline + 1
            searched = start
        }
        while let newline = chunk.firstIndex(of: 0x0A, from: searched) {
            if held.count + newline - start > Self.maxBytes {
                if newlinesInside > 0 {
                    try stopQuoting(body)
                    searched = start
                    continue
                }
                try deliverLine(chunk, start..<newline, isWhole: false, body)
            } else if isQuoting, trackQuotes(chunk, searched..<newline) {
                newlinesInside += 1
                searched = newline + 1
                continue
            } else {
                try deliverLine(chunk, start..<newline, isWhole: true, body)
            }
            start = newline + 1
            searched = start
        }
        guard held.count + chunk.count - start > Self.maxBytes else {
            if isQuoting { _ = trackQuotes(chunk, searched..<chunk.count) }
            return chunk.append(start..<chunk.count, to: &held)
        }
        if newlinesInside > 0 {
            try stopQuoting(body)
            return try feed(chunk.extracting(start..<chunk.count), body)
        }
        try deliverLine(chunk, start..<chunk.count, isWhole: false, body)
        line -= 1  // the line's newline is still to come
        isSkipping = true
    }

    /// Passes on a last line without a newline.
    mutating func finish<Failure: Error>(
        _ body: (_ line: Bytes, _ number: Int, _ isWhole: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        if newlinesInside > 0, isInsideQuotes { try stopQuoting(body) }
        let nothing: [UInt8] = []
        if !held.isEmpty { try deliverLine(nothing.span, 0..<0, isWhole: true, body) }
    }

    /// Passes on the held bytes followed by `range` of the chunk.
    @inline(__always)
    private mutating func deliverLine<Failure: Error>(
        _ chunk: Bytes, _ range: Range<Int>, isWhole: Bool,
        _ body: (_ line: Bytes, _ number: Int, _ isWhole: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        let number = line
        line += 1 + newlinesInside
        newlinesInside = 0
        isInsideQuotes = false
        isFieldStart = true
        if held.isEmpty {
            try body(chunk.extracting(Self.content(of: chunk, range, isWhole)), number, isWhole)
        } else {
            var record: [UInt8] = []
            swap(&record, &held)
            chunk.append(range, to: &record)
            try body(record.span.extracting(Self.content(of: record.span, 0..<record.count, isWhole)), number, isWhole)
            record.removeAll(keepingCapacity: true)
            swap(&record, &held)
        }
    }

    /// A line without its carriage return, or the first `longest` bytes of a line that is too long.
    @inline(__always)
    private static func content(of bytes: Bytes, _ range: Range<Int>, _ isWhole: Bool) -> Range<Int> {
        if !isWhole { return range.prefix(maxBytes) }
        if let last = range.last, bytes[last] == 0x0D { return range.lowerBound..<last }
        return range
    }

    /// Tracks quotation marks in a part of a record. Returns whether the part ends inside quotation marks.
    private mutating func trackQuotes(_ chunk: Bytes, _ range: Range<Int>) -> Bool {
        if !isInsideQuotes, chunk.firstIndex(of: UInt8(ascii: "\""), in: range) == nil {
            if let last = range.last { isFieldStart = separates(chunk[last]) }
            return false
        }
        for index in range {
            let byte = chunk[index]
            if byte == UInt8(ascii: "\"") {
                if isInsideQuotes {
                    isInsideQuotes = false
                    isFieldStart = true  // a second mark right after this one is a literal mark in the field
                } else if isFieldStart {
                    isInsideQuotes = true
                }
            } else {
                isFieldStart = separates(byte)
            }
        }
        return isInsideQuotes
    }

    /// Whether a quotation may open after a byte: one of the separators of CSV.
    private func separates(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "|")
    }

    /// Treats the held bytes and all further input as plain lines.
    private mutating func stopQuoting<Failure: Error>(
        _ body: (_ line: Bytes, _ number: Int, _ isWhole: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        isQuoting = false
        isInsideQuotes = false
        newlinesInside = 0
        var again: [UInt8] = []
        swap(&again, &held)
        try feed(again.span, body)
    }
}
