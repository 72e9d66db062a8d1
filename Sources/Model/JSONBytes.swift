/// Writes JSON directly as bytes, for values that are written very often. `JSONValue` builds a tree instead.
public struct JSONBytes: Sendable {
    /// The JSON that was written so far, in UTF-8.
    public private(set) var bytes: [UInt8] = []
    /// Whether the next member or element is the first in its object or array.
    private var isFirst = true

    /// Begins an empty text.
    public init() {}

    /// Writes `{`.
    public mutating func beginObject() { open(0x7B) }
    /// Writes `}`.
    public mutating func endObject() { close(0x7D) }
    /// Writes `[`.
    public mutating func beginArray() { open(0x5B) }
    /// Writes `]`.
    public mutating func endArray() { close(0x5D) }

    private mutating func open(_ bracket: UInt8) {
        bytes.append(bracket)
        isFirst = true
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        isFirst = false
    }

    /// Writes the comma before an element of an array, unless it is the first.
    public mutating func element() {
        if !isFirst { bytes.append(0x2C) }
        isFirst = false
    }

    /// Writes the name of a member, with a comma before it unless it is the first. The name must not contain characters that need escaping.
    public mutating func name(_ name: StaticString) {
        element()
        bytes.append(0x22)
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(0x22)
        bytes.append(0x3A)
    }

    /// Writes a value.
    public mutating func write(_ value: Bool) {
        let literal: StaticString = value ? "true" : "false"
        literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Writes a whole number.
    public mutating func write(_ value: Int64) {
        if (0..<10).contains(value) { return bytes.append(48 + UInt8(value)) }
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes a number. NaN and infinite values become `null`.
    public mutating func write(_ value: Double) {
        if value == value.rounded(), abs(value) < 1e15 { return write(Int64(value)) }
        bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
    }

    /// Writes a string with its quotation marks, escaped where necessary.
    public mutating func write(_ value: String) {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) else {
            return bytes.append(contentsOf: JSONValue.string(value).description.utf8)
        }
        bytes.append(0x22)
        bytes.append(contentsOf: value.utf8)
        bytes.append(0x22)
    }

    /// Writes a moment as a string in RFC 3339 with milliseconds, in UTC.
    public mutating func write(_ moment: Instant) {
        bytes.append(0x22)
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: 24))
        _ = bytes.withUnsafeMutableBufferPointer { moment.write(to: UnsafeMutableBufferPointer(rebasing: $0[start...])) }
        bytes.append(0x22)
    }

    /// Writes a value.
    public mutating func write(_ value: JSONValue) { bytes.append(contentsOf: value.description.utf8) }
}

extension Event {
    /// Writes the same as `json`.
    public func write(into text: inout JSONBytes) {
        text.beginObject()
        text.member("type", type.rawValue)
        text.member("id", id)
        text.name("sequence")
        text.write(sequence)
        text.member("deviceId", deviceId)
        if let geofenceId { text.member("geofenceId", geofenceId) }
        if let geofenceName { text.member("geofenceName", geofenceName) }
        text.member("occurredAt", occurredAt)
        text.member("recordedAt", recordedAt)
        text.member("confirmedAt", confirmedAt)
        if let crossedAt { text.member("crossedAt", crossedAt) }
        text.member("cause", cause.rawValue)
        text.name("inferred")
        text.write(inferred)
        if urgency != .normal { text.member("urgency", urgency.rawValue) }
        if let alarm { text.member("alarm", alarm.json) }
        if let rule { text.member("rule", rule.json) }
        if hasPosition {
            text.name("fix")
            fix.writeShort(into: &text)
        }
        if inferred { text.member("lastSeen", fix.time) }
        if let enteredAt { text.member("enteredAt", enteredAt) }
        if let duration { text.member("duration", duration) }
        if let lastHeard { text.member("lastHeard", lastHeard) }
        if let retracts { text.member("retracts", retracts) }
        if !properties.isEmpty { text.member("properties", .object(properties)) }
        text.endObject()
    }
}

extension Fix {
    /// Writes the same as `shape`.
    fileprivate func writeShort(into text: inout JSONBytes) {
        text.beginObject()
        text.member("latitude", coordinate.latitude)
        text.member("longitude", coordinate.longitude)
        if let accuracy { text.member("accuracy", accuracy) }
        text.member("timestamp", time)
        text.endObject()
    }
}

extension JSONBytes {
    /// Writes a member with its name; see `name(_:)`.
    public mutating func member(_ name: StaticString, _ value: String) {
        self.name(name)
        write(value)
    }

    /// Writes a member with its name; see `name(_:)`.
    public mutating func member(_ name: StaticString, _ value: Instant) {
        self.name(name)
        write(value)
    }

    /// Writes a member with its name; see `name(_:)`.
    public mutating func member(_ name: StaticString, _ value: Double) {
        self.name(name)
        write(value)
    }

    /// Writes a member with its name; see `name(_:)`.
    public mutating func member(_ name: StaticString, _ value: Int) {
        self.name(name)
        write(Int64(value))
    }

    /// Writes a member with its name; see `name(_:)`.
    public mutating func member(_ name: StaticString, _ value: JSONValue) {
        self.name(name)
        write(value)
    }
}
