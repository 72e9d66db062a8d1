import Model

/// The short way for the commonest request: one small JSON object that is a plain position, there as a whole.
///
/// A reader is kept and used again: what it learned of the names that senders use makes it fast. Its memory is bounded.
public struct PlainPositionReader: Sendable {
    /// A longer body is left to `FixDecoder`.
    public static let longest = 8192

    private let options: DecodingOptions
    private var scanner = PositionScanner()
    private var attributes = AttributeWriter()

    /// - Parameter options: Only `device` and `allowsNullIsland` matter here.
    public init(options: DecodingOptions = DecodingOptions()) { self.options = options }

    /// Adds the position that the bytes hold, as `FixDecoder` reads it, with `line` 1; `device` is −1 when neither it nor the
    /// options say whose it is.
    ///
    /// - Returns: False when it is anything else than one plain position in good order; nothing was added then, and `FixDecoder`
    ///   finds out what it is, and has the words for what is wrong.
    public mutating func read(_ body: UnsafeBufferPointer<UInt8>, into batch: inout FixBatch) -> Bool {
        let bytes = unsafe body.span
        guard bytes.count <= Self.longest, scanner.scan(bytes, attributes: &attributes) else { return giveUp() }
        var name = options.device
        if name == nil, !scanner.device.isEmpty {
            guard let text = bytes.validText(scanner.device) else { return giveUp() }
            name = text
        }
        if let name, Identifier.flaw(inDevice: name) != nil { return giveUp() }
        do throws(Flaw) {
            let fix = try Fix(scanner.reading, allowsNullIsland: options.allowsNullIsland)
            batch.append(fix, device: name.map { batch.number(ofDevice: $0) } ?? -1, &attributes, line: 1)
            return true
        } catch {
            return giveUp()
        }
    }

    private mutating func giveUp() -> Bool {
        attributes.clear()
        return false
    }
}
