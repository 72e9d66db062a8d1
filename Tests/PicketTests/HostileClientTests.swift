import Foundation
import Model
import TestSupport
import Testing

@Suite("Hostile clients", .serialized)
struct HostileClientTests {
    private let directory: TemporaryDirectory
    private let service: RunningService

    init() throws {
        directory = try TemporaryDirectory()
        service = try RunningService(
            data: directory.path + "/data", "--max-connections", "12000", "--max-connections-per-address", "12000",
            "--durability", "normal", "--auto-repair-interval", "0")
    }

    private static let position = #"{"device":"a","latitude":52.5,"longitude":13.4,"timestamp":1770000000}"#

    private func expectAlive(_ place: SourceLocation = #_sourceLocation) throws {
        #expect(try service.connect().send("GET", "/healthz")?.text == "ok\n", sourceLocation: place)
        #expect(try service.connect().send("POST", "/v1/positions", body: Self.position)?.status == 200, sourceLocation: place)
    }

    // MARK: - What is no request

    @Test(
        "Input that is not HTTP gets a 4xx response or a closed connection",
        arguments: [
            "GET\r\n\r\n", "GET /healthz\r\n\r\n", "GET /healthz HTTP/9.9\r\nHost: a\r\n\r\n",
            "GET /healthz XYZ\r\nHost: a\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nno colon\r\n\r\n",
            "POST /v1/positions HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
            "POST /v1/positions HTTP/1.1\r\nHost: localhost\r\nContent-Length: ten\r\n\r\n",
            "POST /v1/positions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n",
            "POST /v1/positions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nhello\r\n0\r\n\r\n",
            "POST /v1/positions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
        ])
    func noRequest(_ text: String) throws {
        let connection = try service.connect()
        connection.send(text)
        if let answer = try connection.answer() { #expect((400..<500).contains(answer.status) || answer.status == 505) }
        try connection.waitForEnd()
        try expectAlive()
    }

    @Test(
        "Paths that try to lead elsewhere are not found",
        arguments: [
            "//", "/../../etc/passwd", "/v1/../v1/geofences", "/v1/./geofences/", "/%2e%2e/%2e%2e/etc/passwd",
            "/v1/geofences/..%2f..%2fetc",
            "/v1/geofences/%00", "/v1/geofences/a%00b", "/v1/geofences/%ff%fe", "/v1/geofences/%", "/v1/geofences/%zz",
            "/v1/geofences/a/b/c", "/\\..\\..", "/v1/devices/%2e%2e", "/V1/GEOFENCES", "/;/v1",
            "/v1/events/stream/x",
            "*", "http://other/v1/nothing",
        ])
    func paths(_ path: String) throws {
        let connection = try service.connect()
        let answer = try #require(try connection.send("GET", path))
        // Some apps send positions to the root, which requires an id.
        #expect((400..<500).contains(answer.status) || path == "\(path): \(answer)")
        if answer.status >= 400, answer["Content-Type"] == "application/problem+json" {
            #expect(answer.text.contains(#""code":"#))
        }
        // The connection is still usable.
        #expect(try connection.send("GET", "/healthz")?.status == 200)
    }

    @Test("A head that is too long is answered with a problem, and the connection ends", arguments: [40_000, 60_000])
    func longHead(size: Int) throws {
        let connection = try service.connect()
        connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: \(String(repeating: "x", count: size))\r\n\r\n")
        let answer = try #require(try connection.answer())
        #expect(answer.status == 431 && answer["Content-Type"] == "application/problem+json", "\(answer)")
        #expect(try JSONParser.parse(answer.text)["code"]?.string == "tooLarge", "\(answer.text)")
        try connection.waitForEnd()
        try expectAlive()
    }

    @Test("Paths, headers and heads that are too long are refused, and use no memory")
    func long() throws {
        let long = String(repeating: "x", count: 9000)
        #expect([413, 414].contains(try service.connect().send("GET", "/v1/geofences/" + long)?.status))
        let endless = String(repeating: "x", count: 100_000)
        for head in [
            "GET /\(endless) HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nX-A: \(endless)\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\n" + (0..<20_000).map { "X-\($0): a\r\n" }.joined() + "\r\n",
        ] {
            let connection = try service.connect()
            connection.send(head)
            let answer = try connection.answer()
            #expect(answer.map { (400..<500).contains($0.status) } ?? true, "\(String(describing: answer))")
            try connection.waitForEnd()
        }
        try expectAlive()
    }

    // MARK: - Bodies

    /// Sends some megabytes, of which only one is in memory. Returns false when the service accepted no more.
    private func send(megabytes: Int, over connection: RawConnection, inChunks: Bool) -> Bool {
        let megabyte = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)
        for _ in 0..<megabytes {
            if inChunks, !connection.send("100000\r\n") { return false }
            guard connection.send(megabyte) else { return false }
            if inChunks, !connection.send("\r\n") { return false }
        }
        return inChunks ? connection.send("0\r\n\r\n") : true
    }

    @Test("A body of 100 MB is refused, with and without an announced length, and uses no memory", arguments: [false, true])
    func hugeBody(inChunks: Bool) throws {
        try expectAlive()
        let before = try service.peakMemory()
        let length = inChunks ? "Transfer-Encoding: chunked" : "Content-Length: \(100 << 20)"
        for (path, status) in [("/v1/positions", 413), ("/owntracks", 200)] {
            let connection = try service.connect()
            connection.send("POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(length)\r\n\r\n")
            // If the length is known, the answer comes before the body.
            let isEarly = status == 413 && !inChunks
            if !isEarly { #expect(send(megabytes: 100, over: connection, inChunks: inChunks)) }
            #expect(try connection.answer()?.status == status, "\(path)")
            if isEarly {
                try connection.waitForEnd()
            } else {
                #expect(try connection.send("GET", "/healthz")?.status == 200)
            }
        }
        #expect(try service.peakMemory() - before < 40 << 20)
        try expectAlive()
    }

    @Test("JSON that is nested too deep is refused", arguments: ["/v1/positions", "/owntracks", "/osmand"])
    func deep(path: String) throws {
        for text in [
            String(repeating: "[", count: 200_000), String(repeating: #"{"a":"#, count: 100_000),
            #"{"device":"a","latitude":1,"longitude":1,"timestamp":1770000000,"x":"# + String(repeating: "[", count: 100_000)
                + String(repeating: "]", count: 100_000) + "}",
        ] {
            let status = try service.connect().send("POST", path, body: text)?.status ?? 0
            // A phone's app would repeat a refused request forever, so it gets a success, and the problem is shown to people.
            let isPhone = path != "/v1/positions"
            #expect(isPhone ? status == 200 : (400..<500).contains(status), "\(text.prefix(80)): \(status)")
        }
        try expectAlive()
    }

    @Test("Bytes after the announced end of a body are not a request")
    func wrongLength() throws {
        let long = try service.connect()
        long.send("POST /v1/positions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n\(Self.position)\r\n\r\n")
        #expect(try long.answer()?.status == 400)
        try long.waitForEnd()
        try expectAlive()
    }

    @Test(
        "A request with an ambiguous length is refused, and so is what follows it",
        arguments: [
            "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\ncontent-length: 5",
            "Content-Length: 5\r\nContent-Length: 50", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        ])
    func ambiguous(headers: String) throws {
        let connection = try service.connect()
        connection.send(
            "POST /v1/positions HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n\r\n"
                + "0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let answer = try connection.answer()
        #expect(answer.map { $0.status == 400 } ?? true, "\(String(describing: answer))")
        #expect(try connection.answer() == nil)
        try expectAlive()
    }

    // MARK: - What HTTP allows

    @Test("Chunked bodies, pipelined requests, HTTP/1.0, HEAD and Expect are supported")
    func allowed() throws {
        let connection = try service.connect()
        let head = "POST /v1/positions HTTP/1.1\r\nHost: localhost\r\n"
        let (first, second) = (Self.position.prefix(20), Self.position.dropFirst(20))
        connection.send(
            head + "Transfer-Encoding: chunked\r\n\r\n14;ext=1\r\n\(first)\r\n"
                + "\(String(second.utf8.count, radix: 16))\r\n\(second)\r\n0\r\nX-Trailer: a\r\n\r\n")
        #expect(try connection.answer()?.status == 200)

        let get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let post = head + "Content-Length: \(Self.position.utf8.count)\r\n\r\n\(Self.position)"
        connection.send(get + post + get + post + post + get)
        let bodies = try (0..<6).map { _ in try connection.answer()?.text ?? "" }
        #expect(bodies.map { $0 == "ok\n" } == [true, false, true, false, false, true])
        #expect(bodies[1].contains(#""duplicates":1"#))

        #expect(try connection.send("HEAD", "/healthz")?["Content-Length"] == "3")
        #expect(try connection.send("HEAD", "/v1/nothing")?.status == 404)
        #expect(try connection.send("HEAD", "/v1/events")?.status == 200)
        #expect(try connection.send("HEAD", "/v1/events/stream")?["Content-Type"] == "text/event-stream")

        connection.send(head + "Expect: 100-continue\r\nContent-Length: \(Self.position.utf8.count)\r\n\r\n")
        #expect(try connection.answer()?.status == 100)
        connection.send(Self.position)
        #expect(try connection.answer()?.status == 200)
        // The client learns that its body will be refused before it sends the body.
        connection.send(head + "Expect: 100-continue\r\nContent-Length: 50000000\r\n\r\n")
        #expect(try connection.answer()?.status == 413)

        let old = try service.connect()
        old.send("GET /healthz HTTP/1.0\r\n\r\n")
        #expect(try old.answer()?.text == "ok\n")
        try old.waitForEnd()
    }

    // MARK: - Many

    /// Together with other tests, which have up to a thousand files open, only 100 connections are opened: Foundation's `Process.run`
    /// (swift-corelibs-foundation) reads the list of this process's open files past its end when there are more than about 1,300, which
    /// crashes all tests. `PICKET_CONNECTIONS=10000 swift test --filter manyConnections` opens more in its own run.
    @Test("Many connections are held and served, and their place is free again after they close")
    func manyConnections() throws {
        let count = ProcessInfo.processInfo.environment["PICKET_CONNECTIONS"].flatMap(Int.init) ?? 100
        guard try Self.raiseFileLimit(to: count + 500) else {
            print("Skipped: this process may not have \(count) files open.")
            return
        }
        var connections: [RawConnection] = []
        for number in 0..<count {
            let connection = try service.connect()
            // Some connections have sent half a request, the others nothing.
            if number % 3 == 0 { connection.send("GET /healthz HTTP/1.1\r\nHost: loc") }
            connections.append(connection)
        }
        try expectAlive()
        for (number, connection) in connections.enumerated() {
            connection.send(number % 3 == 0 ? "alhost\r\n\r\n" : "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
        for connection in connections { #expect(try connection.answer()?.status == 200) }
        connections.removeAll()
        try expectAlive()
    }

    private static func raiseFileLimit(to count: Int) throws -> Bool {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur < count else { return true }
        guard limit.rlim_max >= count else { return false }
        limit.rlim_cur = limit.rlim_max
        return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    }
}
