import CStandardLibrary
import Model

/// Bytes of an input, read in place.
typealias Bytes = Span<UInt8>

extension Span where Element == UInt8 {
    /// The index of the first such byte at or after `start`.
    @inline(__always)
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        firstIndex(of: byte, in: start..<count)
    }

    /// The index of the first such byte in `range`, which must lie inside the span.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        unsafe withUnsafeBufferPointer { bytes in
            guard !range.isEmpty, let base = bytes.baseAddress,
                let hit = unsafe memchr(base + range.lowerBound, Int32(byte), range.count)
            else { return nil }
            return unsafe UnsafeRawPointer(hit) - UnsafeRawPointer(base)
        }
    }

    /// The bytes of `range` as text. Invalid UTF-8 is replaced.
    func text(_ range: Range<Int>) -> String {
        unsafe extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// All bytes as text. Invalid UTF-8 is replaced.
    var text: String { text(0..<count) }

    /// The bytes of `range` as text; nil if they are not valid UTF-8.
    func validText(_ range: Range<Int>) -> String? {
        unsafe extracting(range).withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
    }

    /// The beginning of a range as text, at most 320 bytes, for messages. Text that is not UTF-8 shows its bytes, such as `J%F6rg`.
    func excerpt(_ range: Range<Int>) -> String {
        var end = Swift.min(range.upperBound, range.lowerBound + 320)
        // Whole characters only.
        while end > range.lowerBound, end < range.upperBound, self[end] & 0xC0 == 0x80 { end -= 1 }
        let part = range.lowerBound..<end
        if let text = validText(part) { return text }
        var bytes: [UInt8] = []
        append(part, to: &bytes)
        return PercentEncoding.showing(bytes)
    }

    /// `range` without white space at both ends.
    @inline(__always)
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, self[start].isSpace { start += 1 }
        while start < end, self[end - 1].isSpace { end -= 1 }
        return start..<end
    }

    /// Whether the bytes at `start` equal an ASCII text.
    func starts(with text: StaticString, at start: Int = 0) -> Bool {
        let length = text.utf8CodeUnitCount
        guard start >= 0, start + length <= count else { return false }
        for offset in 0..<length where unsafe self[start + offset] != text.utf8Start[offset] { return false }
        return true
    }

    /// Appends the bytes of `range` to an array.
    @inline(__always)
    func append(_ range: Range<Int>, to array: inout [UInt8]) {
        unsafe extracting(range).withUnsafeBufferPointer { unsafe array.append(contentsOf: $0) }
    }
}

extension UInt8 {
    /// Space, tab, carriage return or newline.
    @inline(__always)
    var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

    /// `0` … `9`.
    @inline(__always)
    var isDigit: Bool { self &- 0x30 <= 9 }

    /// `A` … `Z` or `a` … `z`.
    var isLetter: Bool { (self | 0x20) &- 0x61 <= 25 }
}

extension String {
    /// Calls `body` with the UTF-8 bytes of the text.
    func withBytes<Result, Failure: Error>(_ body: (Bytes) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(utf8.span)
    }

    /// The text without white space at both ends.
    var trimmed: String { withBytes { $0.text($0.trimmed(0..<$0.count)) } }
}
