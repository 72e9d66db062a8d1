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

    @Test("A stop while a mail server hangs, a webhook fails and many heavy queries wait is a success, and loses nothing")
    func load() throws {
        let directory = try TemporaryDirectory()
        let data = directory.path + "/data"
        let (hook, mail) = (try ScriptedEndpoint { _, _ in .answer(503) }, try ScriptedEndpoint { _, _ in .hang })
        let service = try RunningService(data: data, "--auto-repair-interval", "0")
        func ask(_ path: String, _ body: String) throws {
            let answer = try #require(try service.connect().send("POST", path, body: body))
            #expect(answer.status < 300, "\(answer.text)")
        }
        try ask("/v1/sinks", #"{"id":"hook","kind":"webhook","url":"\#(hook.url)/"}"#)
        try ask(
            "/v1/sinks",
            #"{"id":"mail","kind":"email","server":"smtp://127.0.0.1:\#(mail.port)","from":"a@example.com","to":["b@example.com"]}"#
        )
        let circles = (0..<200).map {
            #"{"put":{"id":"g\#($0)","name":"G\#($0)","latitude":52.5,"longitude":13.4,"radius":\#(100 + $0)}}"#
        }
        try ask("/v1/geofences:edit", "{\"edits\":[\(circles.joined(separator: ","))]}")
        let start = Int(Date().timeIntervalSince1970) - 1000
        let positions = (0..<20).map {
            #"{"device":"a","timestamp":\#(start + $0 * 10),"latitude":\#($0 % 2 == 0 ? 53 : 52.5),"longitude":13.4}"#
        }
        try ask("/v1/positions?policy=exact", "[\(positions.joined(separator: ","))]")
        // Both sinks are being sent to.
        #expect(hook.wait(for: 1))
        let connections = try (0..<100).map { _ in try service.connect() }
        for connection in connections {
            connection.send("GET /v1/geofences/overlaps?limit=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
        kill(service.process, SIGTERM)
        for connection in connections {
            // A connection that was not accepted before the stop has no answer.
            guard let answer = try? connection.answer() else { continue }
            #expect(answer.status == 200 || answer.status == 503, "\(answer)")
        }
        service.running.process.waitUntilExit()
        #expect(service.running.process.terminationStatus == 0)
        let next = try RunningService(data: data, "--auto-repair-interval", "0")
        let events = try #require(try next.connect().send("GET", "/v1/events?limit=10000")?.json()["events"]?.array)
        #expect(events.count == 200 * 19)
        for sink in ["hook", "mail"] {
            let waiting = try next.connect().send("GET", "/v1/sinks/\(sink)")?.json()["waiting"]?.double
            #expect(waiting == Double(events.count), "\(sink)")
        }
    }
}
