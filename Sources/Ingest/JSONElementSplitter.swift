import Model

/// Splits JSON that arrives in chunks into the elements of its outermost array, or of a named array in its outermost object. Several names
/// may be given.
///
/// It tracks strings and brackets only; `JSONParser` checks the elements. Elements within one chunk are passed on in place. At most one
/// element, or the outermost object without its elements, is held in memory.
struct JSONElementSplitter {
    /// The default for the greatest size of an element, in bytes.
    static let maxElementBytes = 16 << 20
    /// The maximum number of names to keep of the outermost object's members, for messages.
    private static let maxNames = 8

    /// The kinds of parts.
    enum Part {
        /// The outermost object up to its named array, completed as an object with an empty array. Its elements follow. Reported once per
        /// object, even if the name occurs again.
        case opening
        /// An element of an array, or an outermost object when no array is named.
        case element
        /// A complete outermost object, without the elements of its named array.
        case object
    }

    private enum Nesting {
        /// Between outermost values.
        case outside
        /// In an outermost object that is itself an element.
        case object
        /// In an outermost object that may contain the named array.
        case envelope
        /// In an array whose elements are passed on.
        case array
    }

    private let source: ProblemSubject
    /// The names of the array, with quotation marks.
    private let members: [String]
    private let maxBytes: Int
    private var nesting = Nesting.outside
    private var isEmpty = true
    private var isInNamedArray = false
    private var isOpened = false
    /// The number of open brackets.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isInElement = false
    private var hasComma = false
    private var line = 1
    private var elementLine = 1
    private var count = 0
    /// The start of an element that continues in the next chunk.
    private var held: [UInt8] = []
    /// The outermost object so far, without the elements of its named array.
    private var envelope: [UInt8] = []
    private var lastString = 0..<0
    /// The first names of the outermost object's members.
    private(set) var memberNames: [String] = []

    /// - Parameters:
    ///   - source: The name of the input, for messages.
    ///   - members: The possible names of the array in an outermost object; none to treat outermost objects as elements.
    ///   - most: The maximum size of an element in bytes.
    init(source: ProblemSubject, elementsOf members: [String] = [], most: Int = maxElementBytes) {
        self.source = source
        self.maxBytes = most
        self.members = members.map { "\"\($0)\"" }
    }

    /// Moves the splitter out while its owner receives parts, and leaves a fresh one in its place.
    mutating func takeSplitter() -> JSONElementSplitter {
        var taken = JSONElementSplitter(source: source)
        swap(&taken, &self)
        return taken
    }

    /// Calls `body` with each part that the chunk completes, and the line where the part starts.
    ///
    /// - Throws: `Problem.decodingFailed` for text that cannot be JSON, `.tooLarge` for an element of more than `most` bytes.
    mutating func feed(
        _ chunk: Bytes, _ body: (_ part: Part, _ bytes: Bytes, _ line: Int) throws(Problem) -> Void
    ) throws(Problem) {
        var start = 0  // index of the element's first byte
        var index = 0
        while index < chunk.count {
            let byte = chunk[index]
            if byte == 0x0A { line += 1 }
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if nesting == .envelope, depth == 1 { lastString = lastString.lowerBound..<(envelope.count + 1) }
                }
                if nesting == .envelope { try appendToEnvelope(byte) }
                index += 1
                continue
            }
            switch nesting {
            case .outside:
                if !byte.isSpace {
                    try open(byte)
                    start = index
                }
            case .envelope:
                try appendToEnvelope(byte)
                guard try stepEnvelope(byte) else { break }
                if nesting != .array {
                    var whole: [UInt8] = []
                    swap(&whole, &envelope)
                    try body(.object, whole.span, elementLine)
                } else if !isOpened {
                    isOpened = true
                    let whole = envelope + "]}".utf8
                    try body(.opening, whole.span, elementLine)
                }
            case .object:
                stepInside(byte)
                if depth == 0 {
                    try deliverElement(chunk, start..<(index + 1), body)
                    nesting = .outside
                }
            case .array:
                if depth == elementDepth, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") {
                    try endElement(byte)
                    if isInElement { try deliverElement(chunk, start..<index, body) }
                    hasComma = byte == UInt8(ascii: ",")
                    if byte == UInt8(ascii: "]") { try closeArray() }
                } else if isInElement || !byte.isSpace {
                    if !isInElement {
                        isInElement = true
                        elementLine = line
                        start = index
                    }
                    stepInside(byte)
                    if depth < elementDepth { throw failure(Phrase("there is a '}' where ',' or ']' should be")) }
                }
            }
            index += 1
        }
        if nesting == .object || isInElement {
            chunk.append(start..<chunk.count, to: &held)
            try checkSize(held.count)
        }
    }

    /// - Throws: `Problem.decodingFailed` if the input ended inside a value, or contained none.
    func finish() throws(Problem) {
        if nesting != .outside { throw failure(Phrase("it ends in the middle of a value; it was cut off")) }
        if isEmpty { throw failure(.expecting(Phrase("it contains nothing"), Phrase("an object or an array of objects"))) }
    }

    /// Whether the input is in an outermost object that may contain the named array, and outside of it.
    var isInOutermostObject: Bool { nesting == .envelope }

    // MARK: - Steps

    /// The number of brackets that are open around the elements.
    private var elementDepth: Int { isInNamedArray ? 2 : 1 }

    private mutating func open(_ byte: UInt8) throws(Problem) {
        isEmpty = false
        depth = 1
        elementLine = line
        switch byte {
        case UInt8(ascii: "["):
            nesting = .array
            hasComma = false
        case UInt8(ascii: "{") where !members.isEmpty:
            nesting = .envelope
            isOpened = false
            envelope = [byte]
            memberNames = []
            lastString = 0..<0
        case UInt8(ascii: "{"):
            nesting = .object
        default:
            throw failure(Phrase("there is \(Phrase.character(byte)) where an object or array should start"))
        }
    }

    /// Tracks strings and brackets inside a value.
    @inline(__always)
    private mutating func stepInside(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
    }

    /// Tracks the outermost object. True at its end, and at the start of its named array.
    private mutating func stepEnvelope(_ byte: UInt8) throws(Problem) -> Bool {
        if depth == 1 {
            switch byte {
            case UInt8(ascii: "\""): lastString = (envelope.count - 1)..<envelope.count
            case UInt8(ascii: ","): lastString = 0..<0
            case UInt8(ascii: ":") where memberNames.count < Self.maxNames:
                memberNames.append(envelope.span.text(lastString.dropFirst().dropLast()))
            case UInt8(ascii: "["):
                let string = lastString
                lastString = 0..<0  // only one bracket per name, so that comparing names does not take quadratic time
                if members.contains(where: { envelope[string].elementsEqual($0.utf8) }),
                    envelope[string.upperBound..<(envelope.count - 1)].filter({ !$0.isSpace }) == [UInt8(ascii: ":")]
                {
                    depth = 2
                    nesting = .array
                    isInNamedArray = true
                    hasComma = false
                    return true
                }
            default: break
            }
        }
        stepInside(byte)
        if depth == 0 {
            nesting = .outside
            return true
        }
        return false
    }

    private mutating func endElement(_ byte: UInt8) throws(Problem) {
        if !isInElement, byte == UInt8(ascii: ",") || hasComma {
            throw failure(Phrase("there is \(Phrase.character(byte)) where a value should be"))
        }
    }

    private mutating func closeArray() throws(Problem) {
        hasComma = false
        depth = elementDepth - 1
        if isInNamedArray {
            isInNamedArray = false
            nesting = .envelope
            try appendToEnvelope(UInt8(ascii: "]"))
        } else {
            nesting = .outside
        }
    }

    private mutating func deliverElement(
        _ chunk: Bytes, _ range: Range<Int>, _ body: (_ part: Part, _ bytes: Bytes, _ line: Int) throws(Problem) -> Void
    ) throws(Problem) {
        isInElement = false
        count += 1
        try checkSize(held.count + range.count)
        if held.isEmpty { return try body(.element, chunk.extracting(range), elementLine) }
        var whole: [UInt8] = []
        swap(&whole, &held)
        chunk.append(range, to: &whole)
        try body(.element, whole.span, elementLine)
    }

    private mutating func appendToEnvelope(_ byte: UInt8) throws(Problem) {
        envelope.append(byte)
        try checkSize(envelope.count)
    }

    private func checkSize(_ size: Int) throws(Problem) {
        if size > maxBytes {
            throw .tooLarge(what: .line(source, elementLine), limit: .mebibytes(maxBytes >> 20))
        }
    }

    private func failure(_ reason: Phrase) -> Problem { .decodingFailed(source: source, line: line, reason: reason) }
}
