import Model
import TestSupport
import Testing

@Suite("Reports over HTTP")
struct TimeReportRouteTests {
    private let bench: ServerBench
    private static let month = "/v1/reports?by=geofence&period=month&since=2026-05&until=2026-05"

    init() async throws {
        bench = try ServerBench()
        try await bench.add("home", 52.5, 13.4)
        for (hour, place) in [52.5, 52.55, 52.5].enumerated() {
            try await bench.move("anna", to: place, 13.4, at: "2026-05-31T2\(hour):30:00Z")
        }
    }

    @Test("The zone of the request decides in which month a visit is")
    func zones() async throws {
        let utc = try await bench.json(Self.month)
        #expect(utc["timeZone"]?.string == "UTC" && utc["until"]?.string == "2026-06-01T00:00:00.000Z")
        #expect(utc["rows"]?.array?.compactMap { $0["visits"]?.double } == [2])
        // 22:30 UTC is in June there.
        let berlin = try await bench.json(Self.month + "&timezone=Europe/Berlin")
        #expect(berlin["until"]?.string == "2026-05-31T22:00:00.000Z")
        #expect(berlin["rows"]?.array?.compactMap { $0["visits"]?.double } == [1])
        #expect(try await bench.ask("GET", Self.month + "&timezone=Mars/Olympus").status == 422)
    }

    @Test("The format is that of the query, else one that the client accepts")
    func formats() async throws {
        func answer(_ more: String, accept: String?) async throws -> TestAnswer {
            try await bench.answer(TestRequest("GET", Self.month + more, headers: accept.map { ["Accept": $0] } ?? [:]))
        }
        let browser = "text/html,application/xhtml+xml,*/*;q=0.8"
        let workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        for (more, accept, type) in [
            ("&format=xlsx", browser, workbook), ("", workbook, workbook),
            ("", nil, "application/json"), ("", "*/*", "application/json"), ("", "text/csv", "text/csv; charset=utf-8"),
            ("", browser, "text/html; charset=utf-8"), ("&format=csv", browser, "text/csv; charset=utf-8"),
            ("&format=html", nil, "text/html; charset=utf-8"), ("&format=json", browser, "application/json"),
        ] {
            let answer = try await answer(more, accept: accept)
            #expect(answer.status == 200 && answer["Content-Type"] == type, "\(more) \(accept ?? "")")
        }
        let book = try await answer("&format=xlsx", accept: nil)
        #expect(book["Content-Disposition"] == "attachment; filename=\"report.xlsx\"")
        // The signature of a ZIP archive; `ReportSinkTests` reads the content.
        #expect(book.body.starts(with: Array("PK".utf8)) && book.body.count > 1000)
        let page = try await answer("", accept: browser)
        #expect(page.text.hasPrefix("<!doctype html>"))
        #expect(page["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        #expect(try await answer("&format=pdf", accept: nil).status == 422)
    }

    @Test("Events, visits and the status are tables too, by format and by Accept")
    func tables() async throws {
        for (path, columns) in [
            ("/v1/events", "sequence,id,type,deviceId,"), ("/v1/visits", "deviceId,geofenceId,geofenceName,enteredAt,"),
            ("/v1/status", "deviceId,geofenceId,geofenceName,enteredAt,"),
        ] {
            let accepted = try await bench.answer(TestRequest("GET", path, headers: ["Accept": "text/csv"]))
            let named = try await bench.ask("GET", path + "?format=csv")
            #expect(accepted.status == 200 && accepted.text.hasPrefix(columns), "\(accepted.text)")
            #expect(accepted.text == named.text && named["Content-Type"] == "text/csv; charset=utf-8")
        }
        let status = try await bench.ask("GET", "/v1/status?format=csv")
        #expect(status.text.split(separator: "\n").last?.hasPrefix("anna,home,home,2026-05-31T22:30:00.000Z,") == true)
        for (path, start) in [
            ("/v1/events?", "\u{FEFF}sequence;id;"), ("/v1/visits?", "\u{FEFF}deviceId;geofenceId;"),
            (Self.month + "&", "\u{FEFF}period;from;"),
        ] {
            let german = try await bench.ask("GET", path + "csvFor=de&timezone=Europe/Berlin")
            #expect(german.text.hasPrefix(start) && german.text.contains(";2026-05-31 22:30:00;"), "\(german.text)")
            #expect(german["Content-Type"] == "text/csv; charset=utf-8")
            #expect(try await bench.ask("GET", path + "csvFor=xx").status == 422)
        }
        #expect(try await bench.ask("GET", "/v1/status?format=csv&device=nobody").status == 404)
        #expect(try await bench.ask("GET", "/v1/status?format=geojson").status == 422)
    }
}
