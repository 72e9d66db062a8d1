import HTTPClient
import TestSupport
import Testing

@Suite("Server-sent events")
struct EventStreamParserTests {
    private func events(_ text: String, piece: Int = .max) -> [ServerSentEvent] {
        var parser = EventStreamParser()
        var events: [ServerSentEvent] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            parser.parse(Array(rest.prefix(piece))) { events.append($0) }
            rest = rest.dropFirst(piece)
        }
        return events
    }

    @Test(
        "A stream is parsed as the examples of the standard say",
        arguments: [
            ("data: YHOO\ndata: +2\ndata: 10\n\n", [ServerSentEvent(data: "YHOO\n+2\n10")]),
            (
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
                [.init(id: "1", data: "first event"), .init(data: "second event"), .init(data: " third event")]
            ),
            ("data\n\ndata\ndata\n\ndata:", [.init(data: ""), .init(data: "\n")]),
            ("data:test\n\ndata: test\n\n", [.init(data: "test"), .init(data: "test")]),
            ("event: add\ndata: 73857293\n\n", [.init(type: "add", data: "73857293")]),
        ])
    func examples(_ text: String, _ expected: [ServerSentEvent]) {
        #expect(events(text) == expected)
    }

    @Test("The size of the pieces and the kind of line ends do not matter", arguments: ["\n", "\r", "\r\n"])
    func pieces(_ end: String) {
        let text = "\u{FEFF}id: 7\nevent: enter\ndata: Straße\n\n: heartbeat\n\nid: 8\ndata: b\ndata: c\n\n".replacing(
            "\n", with: end)
        let expected: [ServerSentEvent] = [.init(id: "7", type: "enter", data: "Straße"), .init(id: "8", data: "b\nc")]
        for piece in 1...text.utf8.count { #expect(events(text, piece: piece) == expected, "in pieces of \(piece)") }
    }

    @Test("An event without an ID keeps the last ID, and an ID with a zero byte is ignored")
    func ids() {
        #expect(events("id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n").map(\.id) == ["1", "1"])
    }

    @Test(
        "The retry field gives the time until the next connection",
        arguments: [("retry: 1500", 1500), ("retry: 2s", nil), ("retry:", nil)])
    func retry(_ line: String, _ expected: Int?) {
        var parser = EventStreamParser()
        parser.parse(Array((line + "\n").utf8)) { _ in }
        #expect(parser.retry == expected)
    }
}
