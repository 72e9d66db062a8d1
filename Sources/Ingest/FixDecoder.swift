import Model

/// What a file does not say of itself.
public struct DecodingOptions: Sendable {
    /// The device of fixes that do not name one.
    public var device: String?
    /// Which column of a CSV file holds what, as "timestamp=Zeit,latitude=y".
    public var columns: [String: String] = [:]
    /// Times for points that carry none: the first, and the seconds from one to the next.
    public var start: Instant?
    public var interval: Double?
    /// Take (0, 0), which mostly means "no fix", as a position.
    public var allowsNullIsland = false

    public init(device: String? = nil) { self.device = device }
}

/// Turns the bytes of one input into fixes and named refusals, piece by piece: memory does not grow with the input.
///
/// The format is recognised from the first piece's content. Nothing is thrown for a bad record: it is refused, and the rest
/// goes on. What makes the whole input unreadable (a GPX file cut off, say) is thrown by `decode` or `finish`, after all that
/// came before it has been delivered.
public struct FixDecoder {
    /// How it was recognised; nil until the first piece was seen.
    public private(set) var format: FixFormat?

    /// - Parameter source: The name of the input, for messages, and for a device's name where nothing else gives one.
    public init(source: String, options: DecodingOptions = DecodingOptions()) { fatalError() }

    /// Decodes the next piece. Appends to `batch`.
    public mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>, into batch: inout FixBatch) throws(Problem) { fatalError() }

    /// Says that the input has ended. Appends what was still held back.
    public mutating func finish(into batch: inout FixBatch) throws(Problem) { fatalError() }
}
