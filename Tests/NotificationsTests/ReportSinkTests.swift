import Core
import Delivery
import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import Notifications
@testable import Places
@testable import Presence
@testable import Service
@testable import Store

@Suite("Sinks of reports")
struct ReportSinkTests {
    /// A mail that a server has received, as Python's `email` reads it.
    private struct Mail {
        var headers: [String: String] = [:]
        var text = ""
        var fileName = ""
        /// The cells of the workbook, with `|` between them.
        var rows: [String] = []
    }

    /// Reads a mail, and the workbook in it.
    private static let reader = """
        import email, email.policy, io, json, sys, zipfile, xml.etree.ElementTree as xml
        mail = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
        assert mail.get_content_type() == 'multipart/mixed' and not mail.defects, mail.defects
        body, file = mail.iter_parts()
        assert file.get_content_type() == 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
        assert file.get_content_disposition() == 'attachment' and not body.defects and not file.defects
        book = zipfile.ZipFile(io.BytesIO(file.get_content()))
        assert book.testzip() is None
        space = '{http://schemas.openxmlformats.org/spreadsheetml/2006/main}'
        rows = ['|'.join(''.join(t.text or '' for t in c.iter() if t.tag in (space + 't', space + 'v')) for c in row)
                for row in xml.fromstring(book.read('xl/worksheets/sheet1.xml')).iter(space + 'row')]
        print(json.dumps({'headers': dict(mail.items()), 'text': body.get_content().replace('\\r\\n', '\\n'),
                          'file': file.get_filename(), 'rows': rows}))
        """

    /// The mails that a server has received.
    private func mails(_ server: ScriptedMailServer) throws -> [Mail] {
        let python = try #require(Tool("python3"), "python3 is not installed")
        var texts: [[String]] = []
        var isMail = false
        for line in server.lines {
            if isMail { if line == "." { isMail = false } else { texts[texts.count - 1].append(line) } }
            if line == "DATA" { (isMail, texts) = (true, texts + [[]]) }
        }
        return try texts.map { lines in
            let directory = try TemporaryDirectory()
            let path = try directory.write(lines.joined(separator: "\r\n") + "\r\n", to: "mail.eml")
            let program = try directory.write(Self.reader, to: "read.py")
            let answer = try Tool("sh").map { try $0.run(["-c", "exec \(python.path) \(program) < \(path)"]) }
            let json = try JSONParser.parse(try #require(answer).output)
            var mail = Mail()
            for member in json["headers"]?.members ?? [] { mail.headers[member.name] = member.value.string }
            mail.text = json["text"]?.string ?? ""
            mail.fileName = json["file"]?.string ?? ""
            mail.rows = json["rows"]?.array?.compactMap(\.string) ?? []
            return mail
        }
    }

    private func report(_ server: ScriptedMailServer, _ more: JSONValue = [:]) -> JSONValue {
        let plain: JSONValue = [
            "id": "office", "kind": "report", "server": .string(server.url), "allowPlain": true, "from": "picket@example.com",
            "to": ["office@example.com"], "every": "month", "by": ["device"], "timeZone": "Europe/Berlin",
        ]
        return plain.merged(with: more)
    }

    /// Moves the clock to a moment, and waits until the delivery has evaluated it.
    private func go(_ bench: DeliveryBench, to moment: String) async throws {
        bench.clock.set(try #require(Instant(moment)))
        bench.inbox.clockMoved()
        // The messages of the first round are handled before the sinks are looked at.
        for _ in 0..<2 { await bench.delivery.processAllMessages() }
    }

    private func delivered(_ bench: DeliveryBench, _ count: Int) -> Bool {
        bench.wait("office") { $0.delivered == count && $0.waiting == 0 }
    }

    @Test("A month's report is sent once, on the first of the next month at the local time, with the rows of the report")
    func month() async throws {
        let bench = try DeliveryBench()
        let server = try ScriptedMailServer()
        try bench.visits(3, devices: ["mia", "tom"])
        try bench.add(report(server))
        // Clocks are set forward at the end of March and back at the end of October, so 06:00 is another moment in winter.
        for (before, due) in [
            ("2026-06-01T03:59:59Z", "2026-06-01T04:00:00Z"), ("2026-12-01T04:59:59Z", "2026-12-01T05:00:00Z"),
        ] {
            let count = bench.delivery.statuses["office"]?.delivered ?? 0
            if due.hasPrefix("2026-12") {
                // The reports of June to October were due in between.
                try await go(bench, to: "2026-11-30T12:00:00Z")
                #expect(delivered(bench, count + 1))
            }
            try await go(bench, to: before)
            #expect(bench.delivery.statuses["office"]?.waiting == 0)
            try await go(bench, to: due)
            #expect(delivered(bench, due.hasPrefix("2026-12") ? 3 : 1))
            try await go(bench, to: due.replacing(":00:00Z", with: ":30:00Z"))
            #expect(bench.delivery.statuses["office"]?.waiting == 0)
        }
        let mails = try mails(server)
        #expect(
            mails.map { $0.headers["Date"] } == [
                "Mon, 01 Jun 2026 04:00:00 +0000", "Mon, 30 Nov 2026 12:00:00 +0000", "Tue, 01 Dec 2026 05:00:00 +0000",
            ])
        let may = try #require(mails.first)
        #expect(may.headers["Subject"] == "Report 2026-05: Time in geofences and distance of each device, by month")
        #expect(mails.map(\.fileName) == ["report-2026-05.xlsx", "report-2026-10.xlsx", "report-2026-11.xlsx"])
        #expect(may.text.contains("2026-05-01 00:00:00 +02:00 – 2026-06-01 00:00:00 +02:00 (Europe/Berlin)"), "\(may.text)")
        #expect(mails[1].text.contains("2026-10-01 00:00:00 +02:00 – 2026-11-01 00:00:00 +01:00 (Europe/Berlin)"))
        #expect(mails[1].text.contains("No visits or positions match."))
        // The same report as `picket report`, apart from the forms of times.
        let service = try ServiceReader(bench.data)
        let question = try ReportQuestion(
            by: TimeReader(now: Instant("2026-06-01T04:00:00Z")!, zone: try TimeZones().zone("Europe/Berlin"))
        ) {
            ["by": ["device"], "period": ["month"], "since": ["2026-05"], "until": ["2026-05"]][$0] ?? []
        }
        let expected = try service.report(question)
        #expect(expected.rows.map(\.deviceId) == ["mia", "tom"] && expected.rows.allSatisfy { $0.visits == 3 })
        let names = String(expected.csv.prefix { $0 != "\n" }).replacing(",", with: "|")
        #expect(may.rows.first == names && may.rows.count == 3, "\(may.rows)")
        for (row, shown) in zip(expected.rows, may.rows.dropFirst()) {
            let cells = shown.split(separator: "|").map(String.init)
            #expect(cells[0] == "2026-05" && cells[3] == row.deviceId && Double(cells[4]) == row.seenSeconds, "\(shown)")
            #expect(Double(cells[7]) == 3, "\(shown)")
        }
        let cells = ReportCells(expected, in: .english)
        #expect(may.text.contains(cells.table()), "\(may.text)")
        bench.stop()
        #expect(try bench.stored("office").cursor == LocalDate("2026-12-01")?.day)
    }

    @Test("A service that was down sends only the newest report at its next start, and none again after another start")
    func down() async throws {
        let bench = try DeliveryBench()
        let server = try ScriptedMailServer()
        try bench.add(report(server, ["every": "week", "by": ["geofence"]]))
        bench.stop()
        bench.clock.set(Instant("2026-05-27T10:00:00Z")!)
        try bench.restart()
        #expect(delivered(bench, 1))
        try bench.restart()
        try await go(bench, to: "2026-05-31T10:00:00Z")
        #expect(delivered(bench, 1))
        #expect(try mails(server).map(\.fileName) == ["report-2026-W21.xlsx"])
    }

    @Test("A report that the server defers or refuses is sent again as the same mail, also after a restart, and is not skipped")
    func failure() async throws {
        let reply = Mutex("451 4.3.0 later\r\n")
        let bench = try DeliveryBench()
        let server = try ScriptedMailServer { line in line == "DATA END" ? reply.withLock { $0.isEmpty ? nil : $0 } : nil }
        // The rate limit does not apply.
        let rate: JSONValue = ["messages": JSONValue(1), "seconds": JSONValue(3600)]
        try bench.add(report(server, ["every": "day", "rateLimit": rate]))
        try await go(bench, to: "2026-05-02T04:00:00Z")
        #expect(
            bench.wait("office") { $0.connection.state.attempt == 1 && $0.waiting == 1 && $0.connection.nextAttemptAt != nil })
        #expect(try bench.waitForProblem("sink/office") == "sinkUnreachable")
        // A report that is too large is not lost either.
        reply.withLock { $0 = "552 5.3.4 too large\r\n" }
        bench.advance(2)
        #expect(bench.wait("office") { $0.connection.problem?.code == "sinkRejected" && $0.connection.nextAttemptAt != nil })
        #expect(bench.delivery.statuses["office"]?.rejected == 0)
        try bench.restart()
        #expect(bench.wait("office") { $0.failures == 1 && $0.connection.nextAttemptAt != nil })
        reply.withLock { $0 = "" }
        bench.advance(30)
        #expect(delivered(bench, 1))
        #expect(try bench.waitForResolution("sink/office"))
        let mails = try mails(server)
        #expect(mails.count == 4 && Set(mails.map { $0.headers["Message-ID"] }).count == 1)
        #expect(mails.allSatisfy { $0.fileName == "report-2026-05-01.xlsx" })
    }

    @Test("If the next report is due while one waits, only the newer one is sent")
    func newest() async throws {
        let bench = try DeliveryBench()
        let isDown = Mutex(true)
        let server = try ScriptedMailServer { line in
            line == "DATA END" && isDown.withLock { $0 } ? "451 4.3.0 later\r\n" : nil
        }
        try bench.add(report(server, ["every": "day"]))
        for day in 2...4 {
            try await go(bench, to: "2026-05-0\(day)T04:00:00Z")
            #expect(bench.wait("office") { $0.failures >= day - 1 && $0.connection.nextAttemptAt != nil && $0.waiting == 1 })
        }
        isDown.withLock { $0 = false }
        bench.advance(60)
        #expect(delivered(bench, 1))
        let names = try mails(server).map(\.fileName)
        #expect(names.last == "report-2026-05-03.xlsx" && names.count { $0 == names.last } == 2, "\(names)")
        #expect(Set(names) == ["report-2026-05-01.xlsx", "report-2026-05-02.xlsx", "report-2026-05-03.xlsx"])
    }

    @Test("An edit applies to a report that waits, and another length begins with the current period")
    func edit() async throws {
        let bench = try DeliveryBench()
        let server = try ScriptedMailServer()
        try bench.visits(1)
        try bench.add(report(server))
        func edit(_ changes: JSONValue) throws {
            try bench.edit { service throws(Problem) in
                let sink = try service.sink(id: "office").sink
                let changed = sink.json(withSecrets: false).merged(with: changes)
                _ = try service.saveSink(changed, id: "office", by: .init(isLocal: true, allowsPrivate: true))
            }
            bench.inbox.sinksChanged()
        }
        try bench.edit { service throws(Problem) in _ = try service.pauseSink(id: "office") }
        bench.inbox.sinksChanged()
        try await go(bench, to: "2026-06-10T10:00:00Z")
        #expect(bench.wait("office") { $0.waiting == 1 && $0.connection.state == .paused(nil) })
        let unknown: [JSONValue] = [
            ["geofences": ["work"]], ["notGeofences": ["work"]], ["devices": ["tom"]], ["groups": ["vans"]],
        ]
        for filter in unknown {
            #expect { try edit(["filter": filter]) } throws: { ($0 as? Problem)?.code == "notFound" }
            let other = report(server, ["id": "other", "filter": filter])
            #expect { try bench.add(other) } throws: { ($0 as? Problem)?.code == "notFound" }
        }
        func setGroups(_ groups: [String]) throws {
            try bench.edit { service throws(Problem) in _ = try service.save(Device(id: "mia", groups: groups)) }
        }
        try setGroups(["vans"])
        try edit(["by": ["geofence"], "language": "de", "filter": ["groups": ["vans"]]])
        try setGroups([])
        // The group no longer exists, which the sink's problem says.
        try bench.resume("office")
        #expect(try bench.waitForProblem("sink/office") == "notFound")
        try edit(["filter": .null])
        bench.advance(60)
        #expect(delivered(bench, 1))
        try edit(["every": "day", "at": "23:00"])
        try await go(bench, to: "2026-06-11T20:59:59Z")
        #expect(delivered(bench, 1))
        try await go(bench, to: "2026-06-11T21:00:00Z")
        #expect(delivered(bench, 2))
        let mails = try mails(server)
        #expect(mails.map(\.fileName) == ["report-2026-05.xlsx", "report-2026-06-10.xlsx"])
        #expect(mails[0].headers["Subject"] == "Bericht 2026-05: Zeit in jedem Geofence, nach Monat")
        #expect(mails[0].text.contains("MONAT") && mails[0].text.contains("Home"), "\(mails[0].text)")
        #expect(mails[0].rows[1].contains("|home|Home|"), "\(mails[0].rows)")
    }

    @Test("A paused sink sends the newest report when it is resumed, or skips it, but not one that is not due yet")
    func pause() async throws {
        let bench = try DeliveryBench()
        let server = try ScriptedMailServer()
        try bench.add(report(server, ["every": "day"]))
        let pauses = [
            ("2026-05-04T10:00:00Z", true, 0), ("2026-05-06T03:00:00Z", true, 0), ("2026-05-06T10:00:00Z", false, 1),
            ("2026-05-09T10:00:00Z", false, 2),
        ]
        for (now, isSkipped, count) in pauses {
            try bench.edit { service throws(Problem) in _ = try service.pauseSink(id: "office") }
            bench.inbox.sinksChanged()
            try await go(bench, to: now)
            #expect(bench.wait("office") { $0.waiting == 1 && $0.connection.state == .paused(nil) })
            try bench.resume("office", skipping: isSkipped)
            #expect(delivered(bench, count))
        }
        #expect(try mails(server).map(\.fileName) == ["report-2026-05-05.xlsx", "report-2026-05-08.xlsx"])
    }

    @Test("A report that is skipped while it is computed is not sent, and progress that is saved later does not bring it back")
    func skipped() throws {
        let server = try ScriptedMailServer()
        let day = try #require(LocalDate("2026-05-01")).day
        let now = try #require(Instant("2026-05-04T10:00:00Z"))
        var stored = PicketStore.StoredSink(
            try Sink(json: report(server, ["every": "day"]), id: nil), cursor: day, alarmCursor: 7)
        let delivery = try SinkDelivery(idle: stored, at: now)
        #expect(delivery.dueReport(at: now)?.day == day + 3 && !delivery.hasProgress)
        delivery.preparation = 1
        stored.cursor = day + 3
        _ = try delivery.update(
            stored, isResumed: true, at: now, makeSender: { _ in (sender: IdleSender(), number: 2) }, retire: { _ in })
        #expect(delivery.preparation == nil && delivery.dueReport(at: now) == nil)
        let progress = try #require(delivery.takeProgress())
        #expect(progress.cursor == day + 3 && progress.alarmCursor == 7 && !delivery.hasProgress)
    }

    @Test("No report is computed while the clock of the machine cannot be relied on")
    func doubtedClock() async throws {
        let isSynchronized = Atomic(false)
        let bench = try DeliveryBench(isSynchronized: { isSynchronized.load(ordering: .relaxed) })
        let server = try ScriptedMailServer()
        try bench.visits(1, devices: ["mia", "tom"])
        try bench.add(report(server, ["every": "day"]))
        bench.stop()
        // More than a day after the newest positions.
        bench.clock.set(try #require(Instant("2026-07-10T10:00:00Z")))
        try bench.restart()
        for moment in ["2026-07-10T10:00:00Z", "2026-05-03T10:00:00Z"] {
            try await go(bench, to: moment)
            #expect(bench.writer.clock.problem != nil)
            #expect(bench.wait("office") { $0.waiting == 1 && $0.delivered == 0 })
        }
        isSynchronized.store(true, ordering: .relaxed)
        bench.inbox.clockMoved()
        #expect(delivered(bench, 1) && bench.writer.clock.problem == nil)
        #expect(try mails(server).map(\.fileName) == ["report-2026-05-02.xlsx"])
    }

    @Test("After a report that was sent by a wrong clock, the reports of the right time are sent, also after a restart")
    func wrongClock() async throws {
        let bench = try DeliveryBench()
        let server = try ScriptedMailServer()
        try bench.add(report(server, ["every": "day"]))
        try await go(bench, to: "2026-08-01T10:00:00Z")
        #expect(delivered(bench, 1))
        try await go(bench, to: "2026-05-05T10:00:00Z")
        #expect(delivered(bench, 1))
        try bench.restart()
        #expect(try bench.stored("office").cursor == LocalDate("2026-05-05")?.day)
        try await go(bench, to: "2026-05-06T04:00:00Z")
        #expect(delivered(bench, 2))
        // A clock that is set back a little, or a zone further west, brings no report again.
        try await go(bench, to: "2026-05-05T21:00:00Z")
        try await go(bench, to: "2026-05-06T05:00:00Z")
        #expect(delivered(bench, 2))
        #expect(try mails(server).map(\.fileName) == ["report-2026-07-31.xlsx", "report-2026-05-05.xlsx"])
    }

    @Test("A test sends the report of the period so far, with a service and without one, and the schedule stays")
    func test() async throws {
        let bench = try DeliveryBench()
        let server = try ScriptedMailServer()
        try bench.visits(1)
        try bench.add(report(server, ["language": "tr", "period": "day"]))
        #expect(try await bench.delivery.test(sink: "office").outcome == .delivered)
        bench.clock.set(Instant("2026-05-31T22:00:00Z")!)
        #expect(try await DeliveryRunner(ofCommand: bench.readers).test(sink: "office").outcome == .delivered)
        try await go(bench, to: "2026-06-01T04:00:00Z")
        #expect(delivered(bench, 1))
        let mails = try mails(server)
        // At its very beginning, June is empty.
        #expect(mails.map(\.fileName) == Array(repeating: "report-2026-05.xlsx", count: 3))
        #expect(mails[0].headers["Subject"]?.hasPrefix("Deneme: Rapor 2026-05") == true, "\(mails[0].headers)")
        #expect(mails[0].rows[1].hasPrefix("2026-05-01|"), "\(mails[0].rows)")
        #expect(Set(mails.map { $0.headers["Message-ID"] }).count == 3)
    }

    @Test("A report that waits has nothing of a device that was erased meanwhile")
    func erased() async throws {
        let bench = try DeliveryBench()
        let isDown = Mutex(true)
        let server = try ScriptedMailServer { line in
            line == "DATA END" && isDown.withLock { $0 } ? "451 4.3.0 later\r\n" : nil
        }
        try bench.visits(1, devices: ["mia", "tom"])
        try bench.add(report(server, ["every": "day"]))
        try await go(bench, to: "2026-05-02T04:00:00Z")
        #expect(bench.wait("office") { $0.failures == 1 && $0.connection.nextAttemptAt != nil })
        try bench.edit { service throws(Problem) in _ = try service.eraseRecords(ofDevice: "mia", rewriting: false) }
        isDown.withLock { $0 = false }
        bench.advance(60)
        #expect(delivered(bench, 1))
        let mails = try mails(server)
        #expect(mails.count == 2 && mails[0].text.contains("mia") && mails[0].rows.count == 3)
        #expect(!mails[1].text.contains("mia") && mails[1].rows.count == 2, "\(mails[1])")
    }

    @Test("A sink of reports gets no events, not even emergencies")
    func events() async throws {
        let bench = try DeliveryBench()
        let server = try ScriptedMailServer()
        try bench.add(report(server))
        let created = try bench.stored("office")
        try bench.visits(2)
        var batch = FixBatch()
        batch.alarms = [AlarmReport(device: "mia", kind: "sos", time: bench.clock.now(), fix: nil)]
        let alarm = batch
        try bench.edit { service throws(Problem) in _ = try service.accept(alarm, policy: .exact) }
        bench.advance(SinkDelivery.repetitionInterval + 10)
        for _ in 0..<2 { await bench.delivery.processAllMessages() }
        #expect(bench.delivery.statuses["office"]?.waiting == 0 && server.lines.isEmpty)
        bench.stop()
        let stored = try bench.stored("office")
        #expect(stored.cursor == created.cursor && stored.alarmCursor == created.alarmCursor)
    }
}
