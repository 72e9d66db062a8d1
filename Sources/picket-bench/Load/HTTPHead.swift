import Foundation

/// The parts of HTTP/1.1 that a load generator has to parse.
enum HTTPHead {
    /// The status of an answer and its total length in bytes; nil while the answer is incomplete.
    static func completeAnswer(_ bytes: [UInt8]) -> (status: Int, length: Int)? {
        guard let (status, head, length) = bytes.withUnsafeBufferPointer(parse), bytes.count >= head + length else { return nil }
        return (status, head + length)
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> (status: Int, head: Int, length: Int)? {
        guard bytes.count > 12, let end = find("\r\n\r\n", in: bytes[...]) else { return nil }
        let status = number(bytes[9..<12])
        let name: StaticString = "Content-Length: "
        guard let field = find(name, in: bytes[..<(end + 2)]) else { return (status, end + 4, 0) }
        return (status, end + 4, number(bytes[(field + name.utf8CodeUnitCount)...]))
    }

    /// The index at which a text begins in a slice of bytes; nil if it is not contained.
    static func find(_ text: StaticString, in bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let length = text.utf8CodeUnitCount
        guard let start = bytes.base.baseAddress, length > 0 else { return nil }
        var place = bytes.startIndex
        while place + length <= bytes.endIndex,
            let found = memchr(start + place, Int32(text.utf8Start[0]), bytes.endIndex - length + 1 - place)
        {
            place = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - start
            if memcmp(found, text.utf8Start, length) == 0 { return place }
            place += 1
        }
        return nil
    }

    /// The decimal number at the beginning of a slice; 0 if there is none.
    static func number(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        var value = 0
        for byte in text {
            guard case 48...57 = byte else { break }
            value = value * 10 + Int(byte - 48)
        }
        return value
    }
}
