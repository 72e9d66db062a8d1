import Foundation
import TestSupport
import Testing

@Suite("A service that may have few files open", .enabled("there is no prlimit") { Program.canLimitFiles })
struct FewDescriptorTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Sends a request over a new connection, and over another one when the service has closed that one without an answer, because it was
    /// still idle when others arrived.
    private func ask(_ service: RunningService, _ request: TestRequest) throws -> TestAnswer {
        var answer: TestAnswer?
        try #require(
            try Watchdog.wait {
                answer = try service.connect().ask(request)
                return answer != nil
            })
        return try #require(answer)
    }

    @Test("Idle connections make room for new ones, and the store can be read and copied", arguments: [64, 128])
    func few(files: Int) throws {
        var program = Program(data: directory.path + "/data")
        program.maximumFiles = files
        let service = try RunningService(program)
        // These send nothing.
        var idle: [RawConnection] = []
        for _ in 0..<2 * files { idle.append(try service.connect()) }
        for target in ["/readyz", "/v1/status", "/v1/visits/totals", "/v1/check", "/v1/backup"] {
            #expect(try ask(service, TestRequest("GET", target)).status == 200, "\(target)")
        }
        let now = Int(Date().timeIntervalSince1970) * 1000
        let position = #"{"device":"a","timestamp":\#(now),"latitude":1,"longitude":2}"#
        #expect(try ask(service, TestRequest("POST", "/v1/positions", body: position)).status == 200)
        withExtendedLifetime(idle) {}
    }

    @Test("When all connections are busy, a new one is closed at once, and one is accepted when another has ended")
    func busy() throws {
        var program = Program(data: directory.path + "/data")
        program.maximumFiles = 64
        let service = try RunningService(program)
        // Streams are never closed for others.
        var streams: [RawConnection] = []
        while true {
            let stream = try service.connect()
            stream.send("GET /v1/events/stream HTTP/1.0\r\nHost: localhost\r\n\r\n")
            // A connection that is closed at once may also be reset.
            guard let line = try? stream.line(), line.hasSuffix(" 200 OK") else { break }
            streams.append(stream)
            try #require(streams.count < 64)
        }
        #expect(!streams.isEmpty)
        streams.removeLast()
        // The service may not have noticed the end of the stream yet.
        #expect(try ask(service, TestRequest("GET", "/readyz")).status == 200)
    }

    @Test("With too few files the service does not start, and says how many it needs")
    func tooFew() throws {
        var program = Program(data: directory.path + "/data")
        program.maximumFiles = 32
        let result = try program.run("serve", "--listen", "127.0.0.1:0")
        #expect(result.status != 0 && result.errors.contains("32") && result.errors.contains("64"), "\(result.errors)")
    }
}
