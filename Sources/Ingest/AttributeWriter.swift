/// Writes the values of an input that have no field in a fix as one JSON object, such as `{"sat":"14"}`.
///
/// It works on bytes, because most attributes are copied directly from the input.
struct AttributeWriter {
    /// The maximum size of an object in bytes. A member with which it would be larger is left out.
    static let maxBytes = 16_384

    private var bytes: [UInt8] = []
    /// The bytes of the members of the current object that were left out.
    private var omittedBytes = 0
    /// The name of the first member that was left out of any object; nil for none.
    private(set) var omitted: String?

    /// Whether no member was added to the current object.
    var isEmpty: Bool { bytes.isEmpty }

    /// The size in bytes of the current object, with the members that were left out.
    var size: Int { bytes.count + omittedBytes }

    /// Adds a member with a string value.
    mutating func add(name: String, text: Bytes, _ range: Range<Int>) {
        let before = bytes.count
        start(name)
        Self.quote(text, range, into: &bytes)
        if bytes.count > Self.maxBytes { omit(name, after: before) }
    }

    /// Adds a member with a string value.
    mutating func add(name: String, text: String) {
        text.withBytes { add(name: name, text: $0, 0..<$0.count) }
    }

    /// Adds a member with a value that is already JSON.
    mutating func add(name: String, json: String) {
        let before = bytes.count
        start(name)
        bytes.append(contentsOf: json.utf8)
        if bytes.count > Self.maxBytes { omit(name, after: before) }
    }

    /// Adds a member whose name and value are already JSON in the input, such as `"name"` and `12`.
    mutating func add(_ input: Bytes, quotedName: Range<Int>, json: Range<Int>) {
        let before = bytes.count
        bytes.append(bytes.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
        input.append(quotedName, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        input.append(json, to: &bytes)
        if bytes.count > Self.maxBytes {
            omit(input.excerpt(quotedName.lowerBound + 1..<quotedName.upperBound - 1), after: before)
        }
    }

    /// Removes the member that was added last.
    ///
    /// - Parameter count: The number of bytes before it.
    @inline(never)
    private mutating func omit(_ name: String, after count: Int) {
        omittedBytes += bytes.count - count
        bytes.removeLast(bytes.count - count)
        omitted = omitted ?? (name.count > 40 ? name.prefix(39) + "…" : name)
    }

    /// Takes the name of the first member that was left out since this was last called.
    mutating func takeOmitted() -> String? { omitted.take() }

    /// Discards the current object.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        omittedBytes = 0
    }

    /// Returns the object, and starts a new one.
    mutating func finish() -> String {
        bytes.append(UInt8(ascii: "}"))
        defer { clear() }
        return bytes.span.text
    }

    private mutating func start(_ name: String) {
        bytes.append(bytes.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
        name.withBytes { Self.quote($0, 0..<$0.count, into: &bytes) }
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes bytes as a JSON string (RFC 8259 §7).
    private static func quote(_ text: Bytes, _ range: Range<Int>, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for index in range {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x00..<0x20:
                bytes.append(contentsOf: byte < 0x10 ? "\\u000".utf8 : "\\u001".utf8)
                bytes.append(contentsOf: String(byte & 0x0F, radix: 16).utf8)
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
