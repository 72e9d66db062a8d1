/// One event of a stream of Server-Sent Events.
public struct ServerSentEvent: Hashable, Sendable {
    /// Where to go on from after a lost connection; the last id that was told, empty when none was.
    public var id: String
    /// Its type; `message` when it has none.
    public var type: String
    public var data: String

    public init(id: String = "", type: String = "message", data: String) {
        self.id = id
        self.type = type
        self.data = data
    }
}

/// Reads `text/event-stream`, in pieces of any size (WHATWG HTML, section 9.2.6 "Interpreting an event stream").
public struct EventStreamParser: Sendable {
    /// The milliseconds that the server asked to wait before connecting again.
    public private(set) var retry: Int?
    private var line: [UInt8] = []
    private var data: [String] = []
    private var type = ""
    private var id = ""
    private var endedInReturn = false
    private var isFirstLine = true

    public init() {}

    /// Takes the next bytes and tells the events that are complete with them.
    public mutating func parse(_ bytes: [UInt8], _ body: (ServerSentEvent) -> Void) {
        for byte in bytes {
            let follows = endedInReturn
            endedInReturn = byte == UInt8(ascii: "\r")
            if byte == UInt8(ascii: "\n"), follows { continue }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                endLine(body)
                line.removeAll(keepingCapacity: true)
            } else {
                line.append(byte)
            }
        }
    }

    private mutating func endLine(_ body: (ServerSentEvent) -> Void) {
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        if line.isEmpty {
            if !data.isEmpty {
                body(ServerSentEvent(id: id, type: type.isEmpty ? "message" : type, data: data.joined(separator: "\n")))
            }
            data.removeAll()
            type = ""
            return
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        let name = String(decoding: line[..<colon], as: UTF8.self)
        var rest = line[colon...].dropFirst()
        if rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
        let value = String(decoding: rest, as: UTF8.self)
        switch name {
        case "data": data.append(value)
        case "event": type = value
        case "id": if !rest.contains(0) { id = value }
        case "retry": if !value.isEmpty, value.utf8.allSatisfy({ $0 &- 48 <= 9 }) { retry = Int(value) ?? retry }
        // A comment (it begins with a colon), or a field of tomorrow.
        default: break
        }
    }
}
