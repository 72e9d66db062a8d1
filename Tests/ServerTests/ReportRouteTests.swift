import Core
import Foundation
import Model
import Places
import SQLite
import Service
import Settings
import TestSupport
import Testing

@testable import Operations
@testable import Server

@Suite("Report for support")
struct ReportRouteTests {
    /// Sinks of each kind, with a secret in every field that can hold one.
    static let sinks = [
        #"{"id":"a","kind":"webhook","url":"https://u:SECRET01@127.0.0.1:9/SECRET02aaaaaaaaaaaa?key=SECRET03","token":"SECRET04","headers":{"X-Key":"SECRET05"},"signingSecret":"SECRET06"}"#,
        #"{"id":"b","kind":"ntfy","url":"https://SECRET07:SECRET08@127.0.0.1:9/SECRET09","token":"SECRET10"}"#,
        #"{"id":"c","kind":"gotify","url":"https://127.0.0.1:9","token":"SECRET11"}"#,
        #"{"id":"d","kind":"slack","url":"https://127.0.0.1:9/services/T00/B00/SECRET12"}"#,
        #"{"id":"e","kind":"telegram","token":"123:SECRET13","chat":"SECRET14"}"#,
        #"{"id":"f","kind":"email","server":"smtps://127.0.0.1:9","user":"u","password":"SECRET15","from":"SECRET16@b.c","to":["SECRET17@e.f"]}"#,
        #"{"id":"g","kind":"mqtt","url":"mqtt://u:SECRET18@127.0.0.1:9"}"#,
        #"{"id":"h","kind":"positions","url":"https://u:SECRET19@127.0.0.1:9/x?t=SECRET20","format":"osmand","token":"SECRET21"}"#,
        #"{"id":"i","kind":"homeassistant","url":"http://127.0.0.1:9/api/webhook/-SECRET22"}"#,
    ]

    @Test("The report contains versions, settings, store, problems, connections and log, without secrets")
    func secrets() async throws {
        let bench = try ServerBench(
            logLevel: .debug,
            flags: [
                "mqtt": "mqtt://user:SECRET23@127.0.0.1:9", "token": "SECRET24", "emergency-number": "555 01 02 03",
                "support-contact": "help@example.org", "log-level": "debug",
            ])
        for sink in Self.sinks {
            let answer = try await bench.ask("POST", "/v1/sinks", body: sink)
            #expect(answer.status == 201, "\(answer.text)")
        }
        try await bench.add("SECRET25", 52.5163, 13.3777, #","name":"SECRET26""#)
        try await bench.move("anna", to: 52.5163, 13.3777, at: "2026-11-20T11:59:00Z")
        // Unusable input, an unknown token, and a problem with a value that a person typed.
        try await bench.ask(
            "POST", "/owntracks", body: #"{"_type":"location","lat":"SECRET27","lon":13.3777,"tst":1e9,"topic":"owntracks/j/p"}"#)
        try await bench.ask("GET", "/v1/devices?token=SECRET28", headers: ["Authorization": "Bearer SECRET29"])
        try await bench.server.api.store.writer.perform { service throws(Problem) in
            try service.record(
                .validationFailed(field: "url", value: "SECRET30", reason: .noHost, expected: .anotherName), source: "job/test")
            try service.record(.sinkUnreachable(sink: "a", details: "you sent SECRET31"), source: "sink/a")
        }
        try bench.takeConnections()
        let answer = try await bench.ask("GET", "/v1/report")
        #expect(answer.status == 200)
        #expect(!answer.text.contains("SECRET"), "\(answer.text)")
        for place in ["52.5163", "13.3777", "555 01"] { #expect(!answer.text.contains(place), "\(answer.text)") }
        let report = try answer.json()
        for name in [
            "picket", "system", "kernel", "swift", "sqlite", "geos", "proj", "libcurl", "libmosquitto", "libsodium", "expat",
            "libmicrohttpd", "gnutls", "qrencode", "libxlsxwriter",
        ] {
            #expect(report["versions"]?[name]?.string?.contains(where: \.isNumber) == true || name == "picket", "\(name)")
        }
        #expect(report["contact"]?.string == "help@example.org")
        let settings = report["settings"]?.array ?? []
        #expect(settings.count == Setting.all.count)
        #expect(settings.first { $0["name"]?.string == "mqtt" }?["value"]?.string == "mqtt://user:***@127.0.0.1:9")
        #expect(report["store"]?["devices"]?.double == 2 && (report["store"]?["bytes"]?.double ?? 0) >= 4096)
        #expect(report["store"]?["identity"]?["id"]?.string?.isEmpty == false && report["store"]?["schema"] != nil)
        #expect(report.column("sinks", "id") == ["a", "b", "c", "d", "e", "f", "g", "h", "i"])
        #expect(report["sinks"]?.array?.first?["server"]?.string == "https://127.0.0.1:9")
        #expect(report["mqtt"]?["broker"]?.string == "mqtt://127.0.0.1:9")
        let sources = report.column("problems", "source")
        for source in ["intake/j/p", "job/test", "sink/a"] { #expect(sources.contains(source), "\(sources)") }
        #expect(report["log"]?["lines"]?.array?.contains { $0.string?.contains("started: ") == true } == true)
        #expect(report["service"]?["address"]?.string == bench.server.url)
        #expect(report["contents"]?.string == SupportBundle.contents.text(in: .english))
    }

    @Test("With an unreadable store, the report contains what is readable")
    func damaged() async throws {
        let bench = try ServerBench()
        bench.server.api.diagnostics.storeProblem.recordFailure(.storeCorrupt(path: bench.data.storePath, details: "page 7"))
        let other = try Connection(path: bench.data.storePath, access: .write)
        try other.execute("ALTER TABLE problem RENAME TO lost; ALTER TABLE event RENAME TO lost_event")
        let report = try await bench.json("/v1/report")
        try other.execute("ALTER TABLE lost RENAME TO problem; ALTER TABLE lost_event RENAME TO event")
        #expect(report["store"]?["problem"]?["code"]?.string == "storeFailed", "\(report)")
        #expect(report.column("problems", "code") == ["storeCorrupt"])
        #expect(report["log"]?["lines"]?.array != nil)
    }

    @Test("The report needs the role admin")
    func access() async throws {
        let secrets = Roles()
        let bench = try ServerBench { data, clock in
            let service = try ServiceWriter(data, purpose: "test", clock: clock)
            secrets.reader = try service.createToken(name: "r", role: .reader, lifetime: nil).secret
            secrets.admin = try service.createToken(name: "a", role: .admin, lifetime: nil).secret
        }
        func status(_ secret: String) async throws -> Int {
            try await bench.ask("GET", "/v1/report", headers: ["Authorization": "Bearer \(secret)"]).status
        }
        #expect(try await status(secrets.reader) == 403)
        #expect(try await status(secrets.admin) == 200)
    }

    private final class Roles {
        var reader = ""
        var admin = ""
    }
}
