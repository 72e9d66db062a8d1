/// Parses JSON (RFC 8259) from UTF-8 bytes.
///
/// It replaces Foundation's parser because the targets that decode positions do not depend on Foundation, and because several hundred
/// thousand positions may arrive each second. Tests compare it with `JSONSerialization`.
public struct JSONParser {
    /// Why and where a text is not JSON.
    public struct Failure: Error, Hashable, Sendable {
        /// The offset of the error in bytes.
        public var offset: Int
        /// The line of the error, from 1.
        public var line: Int
        /// What is wrong there.
        public var reason: JSONFlaw
    }

    /// The largest depth of nested arrays and objects.
    public static let maximumDepth = 128

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Parses bytes that hold one value, surrounded by white space only. A byte order mark at the start is skipped.
    public static func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(Failure) -> JSONValue {
        var parser = JSONParser(bytes)
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { parser.index = 3 }
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.index == bytes.count else { throw parser.failure(.textAfterValue) }
        return value
    }

    /// Parses bytes in the same way.
    public static func parse(_ bytes: [UInt8]) throws(Failure) -> JSONValue {
        let result: Result<JSONValue, Failure> = bytes.withUnsafeBufferPointer { bytes in
            do throws(Failure) {
                return .success(try parse(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Parses a text that holds one value.
    public static func parse(_ text: String) throws(Failure) -> JSONValue {
        var text = text
        let result: Result<JSONValue, Failure> = text.withUTF8 { bytes in
            do throws(Failure) {
                return .success(try parse(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func failure(_ reason: JSONFlaw) -> Failure {
        let end = min(index, bytes.count)
        return Failure(offset: end, line: 1 + bytes[..<end].reduce(0) { $1 == 0x0A ? $0 + 1 : $0 }, reason: reason)
    }

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func value(depth: Int) throws(Failure) -> JSONValue {
        skipSpace()
        guard index < bytes.count else { throw failure(.endsBeforeValue) }
        switch bytes[index] {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default: throw failure(.noStartOfValue(bytes[index]))
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(Failure) -> JSONValue {
        let count = text.utf8CodeUnitCount
        guard index + count <= bytes.count else { throw failure(.cutOffWord) }
        for offset in 0..<count where bytes[index + offset] != text.utf8Start[offset] {
            throw failure(.unknownWord)
        }
        index += count
        return value
    }

    private mutating func digits() -> Bool {
        let start = index
        while index < bytes.count, bytes[index] &- 48 <= 9 { index += 1 }
        return index > start
    }

    private mutating func number() throws(Failure) -> String {
        let start = index
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        if index < bytes.count, bytes[index] == UInt8(ascii: "0") {
            index += 1
        } else if !digits() {
            throw failure(.noDigits)
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            if !digits() { throw failure(.noDigitsAfterPoint) }
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index += 1 }
            if !digits() { throw failure(.noDigitsInExponent) }
        }
        if index < bytes.count, bytes[index] &- 48 <= 9 { throw failure(.startsWithZero) }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func array(depth: Int) throws(Failure) -> JSONValue {
        guard depth <= Self.maximumDepth else { throw failure(.tooDeep(Self.maximumDepth)) }
        index += 1
        var elements: [JSONValue] = []
        skipSpace()
        if index < bytes.count, bytes[index] == UInt8(ascii: "]") {
            index += 1
            return .array([])
        }
        while true {
            elements.append(try value(depth: depth))
            skipSpace()
            guard index < bytes.count else { throw failure(.endsInArray) }
            switch bytes[index] {
            case UInt8(ascii: ","): index += 1
            case UInt8(ascii: "]"):
                index += 1
                return .array(elements)
            default: throw failure(.noCommaOrBracket(bytes[index]))
            }
        }
    }

    private mutating func object(depth: Int) throws(Failure) -> JSONValue {
        guard depth <= Self.maximumDepth else { throw failure(.tooDeep(Self.maximumDepth)) }
        index += 1
        var members: [JSONValue.Member] = []
        skipSpace()
        if index < bytes.count, bytes[index] == UInt8(ascii: "}") {
            index += 1
            return .object([])
        }
        while true {
            skipSpace()
            guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
                throw failure(.noName)
            }
            let name = try string()
            skipSpace()
            guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { throw failure(.noColon) }
            index += 1
            members.append(JSONValue.Member(name, try value(depth: depth)))
            skipSpace()
            guard index < bytes.count else { throw failure(.endsInObject) }
            switch bytes[index] {
            case UInt8(ascii: ","): index += 1
            case UInt8(ascii: "}"):
                index += 1
                return .object(members)
            default: throw failure(.noCommaOrBrace(bytes[index]))
            }
        }
    }

    private mutating func string() throws(Failure) -> String {
        index += 1
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\") {
            guard bytes[index] >= 0x20 else { throw failure(.controlCharacter) }
            index += 1
        }
        guard index < bytes.count else { throw failure(.endsInString) }
        guard var text = String(validUTF8: bytes[start..<index]) else {
            throw failure(.notUTF8)
        }
        while bytes[index] == UInt8(ascii: "\\") {
            text.unicodeScalars.append(try escape())
            let start = index
            while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\") {
                guard bytes[index] >= 0x20 else { throw failure(.controlCharacter) }
                index += 1
            }
            guard index < bytes.count else { throw failure(.endsInString) }
            guard let part = String(validUTF8: bytes[start..<index]) else {
                throw failure(.notUTF8)
            }
            text += part
        }
        index += 1
        return text
    }

    /// Reads the escape at the index, which is that of its backslash.
    private mutating func escape() throws(Failure) -> UnicodeScalar {
        guard index + 1 < bytes.count else { throw failure(.endsInString) }
        index += 2
        switch bytes[index - 1] {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var value = try hex()
            if (0xD800...0xDBFF).contains(value) {
                guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else {
                    throw failure(.halfSurrogate)
                }
                index += 2
                let low = try hex()
                guard (0xDC00...0xDFFF).contains(low) else { throw failure(.halfSurrogate) }
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = UnicodeScalar(value) else { throw failure(.halfSurrogate) }
            return scalar
        default: throw failure(.unknownEscape)
        }
    }

    private mutating func hex() throws(Failure) -> UInt32 {
        guard index + 4 <= bytes.count else { throw failure(.cutOffEscape) }
        var value: UInt32 = 0
        for _ in 0..<4 {
            let byte = bytes[index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - 48
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - 87
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - 55
            default: throw failure(.escapeNotHexadecimal)
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }
}
