import CExpat
import Model

/// An event of the XML parser. Names have no prefix.
enum XMLEvent: Hashable {
    /// The start of an element, with its line.
    case start(String, attributes: [Attribute], line: Int)
    case end(String)
    /// Text, possibly in several pieces.
    case text(String)

    struct Attribute: Hashable {
        var name: String
        var value: String
    }
}

/// A push parser for XML 1.0 in UTF-8, UTF-16, Latin-1 or Windows-1252 (libexpat).
///
/// Expat calls back only during `parse`, on the caller's thread, and passes a pointer to this object, which lives at least as long as the C
/// parser that it owns. Documents that declare entities are refused: tracks need none, and entities can make a small file expand without
/// limit.
@safe
final class XMLPushParser {
    /// Why a document cannot be parsed, and where.
    struct Failure: Error, Hashable {
        /// The line, from 1.
        var line: Int
        var reason: Phrase
    }

    private let parser: XML_Parser?
    private var events: [XMLEvent] = []
    private var declaresEntity = false
    private var hasFailed = false
    /// The number of open elements.
    private var depth = 0
    /// Whether the outermost element was closed.
    private var isRootClosed = false
    /// The number of bytes received.
    private var count = 0

    /// The maximum depth of elements, because each open element takes memory.
    static let maxDepth = 128
    /// The maximum size of a tag or comment in bytes. Expat buffers an incomplete tag and scans it again with each piece.
    static let maxTagBytes = 1 << 20

    init() {
        unsafe parser = XML_ParserCreate(nil)
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(
            parser,
            { context, name, attributes in
                guard let owner = unsafe XMLPushParser.owner(context), let name = unsafe name else { return }
                owner.depth += 1
                if owner.depth > XMLPushParser.maxDepth { unsafe _ = XML_StopParser(owner.parser, XML_Bool(XML_FALSE)) }
                owner.events.append(
                    .start(
                        unsafe local(name), attributes: unsafe list(attributes),
                        line: unsafe Int(XML_GetCurrentLineNumber(owner.parser))))
            },
            { context, name in
                guard let owner = unsafe XMLPushParser.owner(context), let name = unsafe name else { return }
                owner.depth -= 1
                if owner.depth == 0 { owner.isRootClosed = true }
                owner.events.append(.end(unsafe local(name)))
            })
        unsafe XML_SetCharacterDataHandler(parser) { context, text, length in
            guard let owner = unsafe XMLPushParser.owner(context), let text = unsafe text else { return }
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(length))
            owner.events.append(.text(unsafe String(decoding: bytes, as: UTF8.self)))
        }
        unsafe XML_SetUnknownEncodingHandler(
            parser,
            { _, name, encoding in
                guard let name = unsafe name, let encoding = unsafe encoding,
                    unsafe ["windows-1252", "cp1252"].contains(String(cString: name).lowercased())
                else { return 0 }
                unsafe withUnsafeMutableBytes(of: &encoding.pointee.map) { map in
                    for byte in 0...UInt8.max {
                        unsafe map.storeBytes(
                            of: Int32(Windows1252.scalar(of: byte)), toByteOffset: Int(byte) * MemoryLayout<Int32>.size,
                            as: Int32.self)
                    }
                }
                unsafe encoding.pointee.data = nil
                unsafe encoding.pointee.convert = nil
                unsafe encoding.pointee.release = nil
                return 1
            }, nil)
        unsafe XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
            guard let owner = unsafe XMLPushParser.owner(context) else { return }
            owner.declaresEntity = true
            unsafe _ = XML_StopParser(owner.parser, XML_Bool(XML_FALSE))
        }
    }

    deinit { unsafe XML_ParserFree(parser) }

    private static func owner(_ context: UnsafeMutableRawPointer?) -> XMLPushParser? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<XMLPushParser>.fromOpaque(context).takeUnretainedValue()
    }

    /// Parses the next piece of at most two gigabytes.
    ///
    /// - Returns: The events, and the failure that ended them. After a failure nothing more is parsed.
    func parse(_ chunk: Bytes, isLast: Bool) -> (events: [XMLEvent], failure: Failure?) {
        if hasFailed { return ([], nil) }
        let status = unsafe chunk.withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                unsafe XML_Parse(parser, characters.baseAddress, Int32(characters.count), isLast ? 1 : 0)
            }
        }
        defer { events = [] }
        count += chunk.count
        if status == XML_STATUS_ERROR {
            hasFailed = true
            return (events, failure)
        }
        let held = unsafe count - Int(XML_GetCurrentByteIndex(parser))
        if held > Self.maxTagBytes, !isLast {
            hasFailed = true
            let line = unsafe Int(XML_GetCurrentLineNumber(parser))
            return (events, Failure(line: line, reason: .longTag(Self.maxTagBytes >> 20)))
        }
        return (events, nil)
    }

    /// Parses a chunk, and passes on its events. The chunk is parsed in pieces, so that the events of a large chunk are not in memory all at
    /// once.
    ///
    /// - Parameter source: The name of the input, for messages.
    /// - Throws: `Problem.decodingFailed` for XML that is not well-formed, and the problems of `body`.
    func read(
        _ chunk: Bytes, isLast: Bool = false, source: ProblemSubject, _ body: (XMLEvent) throws(Problem) -> Void
    ) throws(Problem) {
        var start = 0
        repeat {
            let end = min(chunk.count, start + 65_536)
            let parsed = parse(chunk.extracting(start..<end), isLast: isLast && end == chunk.count)
            for event in parsed.events { try body(event) }
            if let failure = parsed.failure {
                throw .decodingFailed(source: source, line: failure.line, reason: failure.reason)
            }
            start = end
        } while start < chunk.count
    }

    private var failure: Failure {
        let code = unsafe XML_GetErrorCode(parser)
        let line = unsafe Int(XML_GetCurrentLineNumber(parser))
        if declaresEntity {
            return Failure(line: line, reason: .xmlEntities)
        }
        if depth > Self.maxDepth {
            return Failure(line: line, reason: .xmlTooDeep(Self.maxDepth))
        }
        switch code {
        case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN:
            return Failure(line: line, reason: .xmlCutOff)
        default:
            // Which of these two errors expat reports for content after the document depends on how the input is cut.
            let code = isRootClosed && code == XML_ERROR_INVALID_TOKEN ? XML_ERROR_JUNK_AFTER_DOC_ELEMENT : code
            let words = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) } ?? "unknown"
            return Failure(line: line, reason: Phrase("it is not well-formed XML (\(words))"))
        }
    }
}

/// A name without its prefix.
private func local(_ name: UnsafePointer<CChar>) -> String {
    let whole = unsafe String(cString: name)
    guard let colon = whole.utf8.lastIndex(of: UInt8(ascii: ":")) else { return whole }
    return String(whole[whole.index(after: colon)...])
}

/// The attributes from expat's array of alternating names and values, which ends with a null pointer.
private func list(_ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> [XMLEvent.Attribute] {
    guard let attributes = unsafe attributes else { return [] }
    var list: [XMLEvent.Attribute] = []
    var index = 0
    while let name = unsafe attributes[index], let value = unsafe attributes[index + 1] {
        list.append(XMLEvent.Attribute(name: unsafe local(name), value: unsafe String(cString: value)))
        index += 2
    }
    return list
}

extension FixDecoder {
    /// The version of the linked libexpat, such as `expat_2.5.0`.
    package static var libraryVersion: String { unsafe String(cString: XML_ExpatVersion()) }
}
