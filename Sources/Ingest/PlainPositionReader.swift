import Model

/// A fast path for the most common request: a body that is one small JSON object with a plain position.
///
/// A reader is reused for many requests, because it caches the layout of the objects. Its memory is bounded.
package struct PlainPositionReader: Sendable {
    /// The maximum size of a body in bytes. `FixDecoder` decodes longer ones.
    package static let maxBytes = 8192

    private let options: DecodingOptions
    private var scanner = PositionScanner()
    private var attributes = AttributeWriter()

    /// - Parameter options: Only `device`, `allowsNullIsland` and `clock` are used. `FixDecoder` decodes times without an offset.
    package init(options: DecodingOptions = DecodingOptions()) { self.options = options }

    /// Adds the position in the bytes as `FixDecoder` would, with `line` 1. `device` is −1 if neither the object nor the options name the
    /// device.
    ///
    /// - Returns: False if the body is not exactly one valid plain position. Then nothing was added, and `FixDecoder` decodes the
    ///   body or reports what is wrong.
    package mutating func read(_ body: UnsafeBufferPointer<UInt8>, into batch: inout FixBatch) -> Bool {
        let bytes = unsafe body.span
        guard bytes.count <= Self.maxBytes, scanner.scan(bytes, attributes: &attributes) else { return reject() }
        var name = options.device
        if name == nil, !scanner.device.isEmpty {
            guard let text = bytes.validText(scanner.device) else { return reject() }
            name = text
        }
        if let name, Identifier.flaw(inDevice: name) != nil { return reject() }
        do throws(ReadingFlaw) {
            guard case .moment? = scanner.reading.time else { return reject() }
            // A new one asks the clock, which may have been set since the last request.
            var times = TimeResolver(options)
            let time = try times.resolve(scanner.reading, device: nil)
            let fix = try Fix(scanner.reading, at: time.moment, allowsNullIsland: options.allowsNullIsland)
            batch.append(fix, at: time, device: name.map { batch.number(ofDevice: $0) } ?? -1, &attributes, line: 1)
            return true
        } catch {
            return reject()
        }
    }

    private mutating func reject() -> Bool {
        attributes.clear()
        return false
    }
}
