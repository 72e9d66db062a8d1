/// Something of an input that was not taken, and why.
public struct Refusal: Hashable, Sendable {
    /// What is wrong in general: refusals of one kind, field and device are counted together. Each has words in every language.
    public enum Kind: String, CaseIterable, Sendable {
        /// The field is absent or empty.
        case missing
        /// The field holds something else than it should.
        case unreadable
        case outOfRange
        /// Latitude and longitude are exactly 0: what a device sends that has no position.
        case nullIsland
        /// The time is more than ten minutes ahead of the clock.
        case aheadOfClock
        /// Nothing says whose the position is.
        case unknownDevice
        /// The message can be read only with a key.
        case encrypted
        /// The request is none of the protocol.
        case malformed
        /// The request has more bytes than are taken.
        case tooLarge
        /// A report of a region from a device that has sent no position yet. The report is kept.
        case beforeFirstPosition
        /// Anything else; `Refusal.reason` has the words.
        case unusable
    }

    public var kind: Kind
    /// The device that sent it; nil when nothing says so.
    public var device: String?
    /// File, when the input is one.
    public var file: String?
    /// Line of the file (1 is the first), or index in a list.
    public var line: Int?
    /// What is wrong: the name of a field as the input writes it.
    public var field: String
    /// The value as the input has it, cut to 80 characters.
    public var value: String
    /// Why, and what is expected, as a sentence without a full stop.
    public var reason: String

    public init(
        _ kind: Kind = .unusable, device: String? = nil, file: String? = nil, line: Int? = nil, field: String, value: String,
        reason: String
    ) {
        self.kind = kind
        self.device = device
        self.file = file
        self.line = line
        self.field = field
        self.value = value.count > 80 ? value.prefix(79) + "…" : value
        self.reason = reason
    }
}
