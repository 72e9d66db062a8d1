import Foundation
import Model
import SQLite
import TestSupport
import Testing

@Suite("Stop of a service")
struct ServeStopTests {
    @Test("A stopping service answers all that it stores, ends streams with their place to resume, and exits with success")
    func stop() throws {
        let directory = try TemporaryDirectory()
        let data = directory.path + "/data"
        let service = try RunningService(data: data, "--auto-repair-interval", "0")
        let stream = try service.connect()
        stream.send("GET /v1/events/stream HTTP/1.0\r\nHost: localhost\r\n\r\n")
        // Pipelined requests on many connections, so that some are in progress when the signal arrives.
        let start = Int(Date().timeIntervalSince1970) * 1000
        let connections = try (0..<16).map { _ in try service.connect() }
        for (number, connection) in connections.enumerated() {
            let requests = (0..<100).map { step in
                let body = #"{"device":"d\#(number)","timestamp":\#(start + step),"latitude":52.5,"longitude":13.4}"#
                return "POST /v1/positions HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            }
            connection.send(requests.joined())
        }
        #expect(try connections[0].answer()?.status == 200)
        kill(service.process, SIGTERM)
        var acknowledged = 1
        for connection in connections {
            while let answer = try connection.answer() {
                #expect(answer.status == 200 || answer.status == 503, "\(answer)")
                if answer.status == 200 { acknowledged += 1 }
            }
        }
        let end = try #require(try stream.answer())
        #expect(end.text.contains(#"event: end"#) && end.text.contains(#""resumeAfter":0"#), "\(end.text)")
        service.running.process.waitUntilExit()
        #expect(service.running.process.terminationStatus == 0)
        let store = try Connection(path: data + "/picket.sqlite", access: .read)
        #expect(try store.value(of: "SELECT count(*) FROM fix", as: Int.self) == acknowledged)
    }
}
