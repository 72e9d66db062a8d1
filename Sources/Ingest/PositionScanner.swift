/// Scans a flat JSON object with a position directly from its bytes.
///
/// It handles the usual form of positions, and reports when an object has another form (escapes, nested values, a repeated field, a value
/// of the wrong type), so that `JSONParser` parses it instead. It accepts nothing that `JSONParser` refuses, and gives the same values.
struct PositionScanner {
    /// The result of the last `scan`.
    private(set) var reading = PositionReading()
    /// The range of the device's name in the object's bytes; empty if there is none.
    private(set) var device = 0..<0

    /// The meaning of a member's name.
    private struct MemberMeaning {
        /// The field; nil for other members.
        var field: FixField?
        var divisor = 1.0
        /// Whether the name is `id`, which names the device only if no other member does.
        var isID = false
        /// Whether a member of this name makes the object something other than a plain position.
        var isForeign = false
    }

    /// The packed names of the last object's members in order. The next object usually has the same.
    private var names: [UInt128] = []
    /// The meaning of each name in `names`.
    private var meanings: [MemberMeaning] = []

    /// The meaning of each known name, keyed by its packed bytes.
    private static let meaningsByName: [UInt128: MemberMeaning] = {
        var known: [UInt128: MemberMeaning] = [:]
        for key in JSONKeys.own.keys {
            let name = key.name.withBytes { packed($0, 0..<$0.count) }
            known[name] = MemberMeaning(field: key.field, divisor: key.divisor, isID: key.name == "id")
        }
        // These change the meaning of the position and are rare, so they are left to `JSONReading`.
        for name in ["_type", "hdop", "valid", "alarm", "extras", "latitudeE7", "timestampMs"] {
            known[name.withBytes { packed($0, 0..<$0.count) }] = MemberMeaning(isForeign: true)
        }
        return known
    }()

    /// Scans an object, and adds unknown members to `attributes`. False if the object has to be parsed in general.
    mutating func scan(_ bytes: Bytes, attributes: inout AttributeWriter) -> Bool {
        reading = PositionReading()
        device = 0..<0
        let end = bytes.count
        var seen: UInt16 = 0
        var place = 0
        var index = Self.skipSpace(bytes, 0)
        guard index < end, bytes[index] == UInt8(ascii: "{") else { return false }
        repeat {
            index = Self.skipSpace(bytes, index + 1)
            guard index < end, bytes[index] == UInt8(ascii: "\"") else { return false }
            let name = index
            guard let (nameEnd, isASCII) = Self.string(bytes, index), isASCII else { return false }
            index = Self.skipSpace(bytes, nameEnd)
            guard index < end, bytes[index] == UInt8(ascii: ":") else { return false }
            index = Self.skipSpace(bytes, index + 1)
            guard index < end else { return false }
            var slot = meaning(bytes: bytes, range: (name + 1)..<(nameEnd - 1), place: place)
            if slot.isForeign { return false }
            place += 1
            if let field = slot.field {
                let bit: UInt16 = 1 << field.rawValue
                if seen & bit != 0 {
                    guard slot.isID else { return false }
                    slot.field = nil
                } else {
                    seen |= bit
                }
            }
            guard let next = readValue(bytes: bytes, start: index, slot: slot, name: name..<nameEnd, attributes: &attributes)
            else { return false }
            index = Self.skipSpace(bytes, next)
        } while index < end && bytes[index] == UInt8(ascii: ",")
        guard index < end, bytes[index] == UInt8(ascii: "}") else { return false }
        return Self.skipSpace(bytes, index + 1) == end && reading.time != nil
    }

    // MARK: - Names

    /// Up to sixteen bytes packed into one number; 0 for longer names.
    @inline(__always)
    private static func packed(_ bytes: Bytes, _ range: Range<Int>) -> UInt128 {
        if range.count > 16 { return 0 }
        var low: UInt64 = 0
        var high: UInt64 = 0
        for index in range {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(bytes[index])
        }
        return UInt128(high) << 64 | UInt128(low)
    }

    @inline(__always)
    private mutating func meaning(bytes: Bytes, range: Range<Int>, place: Int) -> MemberMeaning {
        let name = Self.packed(bytes, range)
        if place < names.count, names[place] == name { return meanings[place] }
        return lookUp(name, place)
    }

    @inline(never)
    private mutating func lookUp(_ name: UInt128, _ place: Int) -> MemberMeaning {
        let slot = Self.meaningsByName[name] ?? MemberMeaning()
        if place < names.count {
            names[place] = name
            meanings[place] = slot
        } else if place < 32 {
            names.append(name)
            meanings.append(slot)
        }
        return slot
    }

    // MARK: - Values

    /// Reads the value at `start`, and returns the index after it; nil if the value is not supported here.
    @inline(__always)
    private mutating func readValue(
        bytes: Bytes, start: Int, slot: MemberMeaning, name: Range<Int>, attributes: inout AttributeWriter
    ) -> Int? {
        switch bytes[start] {
        case UInt8(ascii: "\""):
            guard let (end, isASCII) = Self.string(bytes, start) else { return nil }
            switch slot.field {
            case nil:
                guard isASCII else { return nil }
                attributes.add(bytes, quotedName: name, json: start..<end)
            case .device:
                if end == start + 2 { return nil }
                device = (start + 1)..<(end - 1)
            case .time: reading.readTime(bytes, (start + 1)..<(end - 1))
            case let field?:
                guard let number = DecimalNumber.parse(bytes, (start + 1)..<(end - 1)) else { return nil }
                storeNumber(number, field: field, divisor: slot.divisor)
            }
            return end
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let scan = DecimalNumber.scan(bytes, start..<bytes.count)
            guard scan.isJSON, let number = scan.value else { return nil }
            switch slot.field {
            case nil: attributes.add(bytes, quotedName: name, json: start..<scan.end)
            case .device: device = start..<scan.end
            case .time: reading.readTime(unix: number)
            case let field?: storeNumber(number, field: field, divisor: slot.divisor)
            }
            return scan.end
        case UInt8(ascii: "n") where bytes.starts(with: "null", at: start):
            // A known field that is null counts as absent, and another member may give its value.
            guard slot.field == nil, !slot.isID else { return nil }
            attributes.add(bytes, quotedName: name, json: start..<(start + 4))
            return start + 4
        case UInt8(ascii: "t") where slot.field == nil && bytes.starts(with: "true", at: start):
            attributes.add(bytes, quotedName: name, json: start..<(start + 4))
            return start + 4
        case UInt8(ascii: "f") where slot.field == nil && bytes.starts(with: "false", at: start):
            attributes.add(bytes, quotedName: name, json: start..<(start + 5))
            return start + 5
        default:
            return nil
        }
    }

    @inline(__always)
    private mutating func storeNumber(_ number: Double, field: FixField, divisor: Double) {
        switch field {
        case .latitude: reading.latitude = number
        case .longitude: reading.longitude = number
        case .accuracy: reading.accuracy = number
        default: reading.setOptional(number, field, divisor: divisor)
        }
    }

    // MARK: - Tokens

    @inline(__always)
    private static func skipSpace(_ bytes: Bytes, _ start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index].isSpace { index += 1 }
        return index
    }

    /// The index after the string that starts at `start`; nil if the string has an escape or a control character, or does not end.
    @inline(__always)
    private static func string(_ bytes: Bytes, _ start: Int) -> (end: Int, isASCII: Bool)? {
        var index = start + 1
        var all: UInt8 = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") { return (index + 1, all < 0x80) }
            if byte < 0x20 || byte == UInt8(ascii: "\\") { return nil }
            all |= byte
            index += 1
        }
        return nil
    }
}
