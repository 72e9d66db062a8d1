/// Determines the encoding of a CSV file, which states none: UTF-8, or else Windows-1252, the encoding of Excel's plain CSV.
///
/// The first byte that is not ASCII decides: the file is UTF-8 if it starts a valid sequence of UTF-8, else Windows-1252. So no text is read
/// again, and the result does not depend on how the input is cut into pieces.
struct CSVEncoding {
    /// How a record is to be read.
    enum Outcome {
        /// The record is valid UTF-8.
        case valid
        /// The record was converted to UTF-8. It is in `converted`.
        case windows1252
        /// The file is UTF-8, and the record is not.
        case invalid
    }

    private enum Encoding {
        case undetermined, utf8, windows1252
    }

    private var encoding = Encoding.undetermined
    /// The last record that was converted.
    private(set) var converted: [UInt8] = []

    /// Whether the file is Windows-1252.
    var isWindows1252: Bool { encoding == .windows1252 }

    /// Examines a record, and converts it if the file is Windows-1252.
    mutating func examine(_ record: Bytes) -> Outcome {
        guard let first = record.firstIndexBeyondASCII else { return .valid }
        if encoding == .undetermined { encoding = record.startsUTF8Sequence(at: first) ? .utf8 : .windows1252 }
        if encoding == .utf8 { return record.isUTF8 ? .valid : .invalid }
        converted.removeAll(keepingCapacity: true)
        for index in 0..<record.count {
            converted.append(contentsOf: String(Unicode.Scalar(Windows1252.scalar(of: record[index])) ?? "\u{FFFD}").utf8)
        }
        return .windows1252
    }
}

/// The encoding Windows-1252. The five bytes without a character stand for control characters, as in the WHATWG's Encoding Standard.
enum Windows1252 {
    /// The Unicode scalar of a byte.
    static func scalar(of byte: UInt8) -> UInt32 {
        (0x80..<0xA0).contains(byte) ? UInt32(special[Int(byte - 0x80)]) : UInt32(byte)
    }

    private static let special: [UInt16] = [
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D,
        0x008F,
        0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E,
        0x0178,
    ]
}

extension Span where Element == UInt8 {
    /// Whether all bytes are ASCII.
    var isASCII: Bool {
        unsafe withUnsafeBufferPointer { bytes in
            var all: UInt8 = 0
            for index in 0..<count { unsafe all |= bytes[index] }
            return all < 0x80
        }
    }

    /// The index of the first byte that is not ASCII; nil if there is none.
    fileprivate var firstIndexBeyondASCII: Int? {
        if isASCII { return nil }
        return (0..<count).first { self[$0] >= 0x80 }
    }

    /// Whether a valid sequence of several bytes of UTF-8 starts at an index.
    fileprivate func startsUTF8Sequence(at start: Int) -> Bool {
        let length =
            switch self[start] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        return length > 0 && start + length <= count && extracting(start..<(start + length)).isUTF8
    }

    fileprivate var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }
}
