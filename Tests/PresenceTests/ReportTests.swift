import Foundation
import Geodesy
import Model
import ServiceTestSupport
import Settings
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence

@Suite("Reports")
struct ReportTests {
    private let bench: Workbench
    /// Two nested geofences, and a van that stays in both over midnight, drives away in the morning and is in them now.
    init() throws {
        bench = try Workbench()
        bench.clock.set(Instant("2026-03-31T12:00:00Z")!)
        let center = Coordinate(latitude: 52.5, longitude: 13.4)
        try bench.add([
            Geofence(id: "depot", name: "=Depot <1>", shape: .circle(Circle(center: center, radius: 100))),
            Geofence(id: "yard", name: "Yard", shape: .circle(Circle(center: center, radius: 300))),
        ])
        try bench.service.save(Device(id: "van", groups: ["fleet", "north"], policy: PolicyOverride(base: .exact)))
        let rows = [
            ("2026-03-28T20:00:00Z", 52.5), ("2026-03-29T01:00:00Z", 52.5), ("2026-03-29T06:00:00Z", 52.5),
            ("2026-03-29T06:10:00Z", 52.502), ("2026-03-29T06:20:00Z", 52.6), ("2026-03-31T10:00:00Z", 52.6),
            ("2026-03-31T11:00:00Z", 52.5), ("2026-03-31T11:30:00Z", 52.5),
        ].map { "van,\($0.0),\($0.1),13.4\n" }
        let path = try bench.directory.write("device,timestamp,latitude,longitude\n" + rows.joined(), to: "van.csv")
        #expect(try bench.feed([path]).problems.isEmpty)
    }

    /// - Parameter values: The fields of the question, with `|` between several values of one.
    private func report(_ values: [String: String], zone: String = "Europe/Berlin") throws -> Report {
        let reader = TimeReader(now: bench.clock.now(), zone: try LocalTimeZone(named: zone))
        return try bench.service.report(ReportQuestion(by: reader) { values[$0].map { $0.components(separatedBy: "|") } ?? [] })
    }

    /// "period name visits seconds firstIn lastOut".
    private func lines(_ report: Report) -> [String] {
        report.rows.map { row in
            let name = row.geofenceId ?? row.deviceId ?? row.group ?? ""
            let times = [row.firstIn, row.lastOut].map { $0.map { Format.time($0, in: report.question.zone) } ?? "-" }
            return "\(row.period) \(name) \(row.visits) \(Int(row.seenSeconds)) \(times.joined(separator: " "))"
        }
    }

    @Test("A visit over midnight counts in both days up to the clock's midnight, even on the day that has 23 hours")
    func days() throws {
        let found = try report([
            "by": "geofence", "period": "day", "since": "2026-03-28", "until": "2026-03-31", "geofence": "depot",
        ])
        #expect(
            lines(found) == [
                "2026-03-28 depot 1 10800 2026-03-28 21:00:00 +01:00 2026-03-29 00:00:00 +01:00",
                "2026-03-29 depot 1 25200 2026-03-29 00:00:00 +01:00 2026-03-29 08:10:00 +02:00",
                "2026-03-31 depot 1 1800 2026-03-31 13:00:00 +02:00 -",
            ], "\(lines(found))")
        #expect(found.rows.last?.isOngoing == true)
        #expect(found.rows.map { $0.to - $0.from } == [86_400, 82_800, 86_400])
    }

    @Test("A device that is silent has no visits in a day in which it was not seen, although its visit continues")
    func silence() throws {
        bench.clock.set(Instant("2026-04-03T12:00:00Z")!)
        for subject in ["geofence", "device", "group"] {
            let found = try report(["by": subject, "period": "day", "since": "2026-03-31", "until": "2026-04-03"])
            #expect(Set(found.rows.map(\.period)) == ["2026-03-31"], "\(lines(found))")
        }
        // The exit is in the period, after days of silence.
        let path = try bench.directory.write(
            "device,timestamp,latitude,longitude\nvan,2026-04-03T10:00:00Z,52.6,13.4\n", to: "later.csv")
        #expect(try bench.feed([path]).problems.isEmpty)
        let found = try report([
            "by": "geofence", "period": "day", "since": "2026-04-01", "until": "2026-04-03", "geofence": "yard",
        ])
        #expect(
            lines(found) == ["2026-04-03 yard 1 0 2026-04-03 00:00:00 +02:00 2026-04-03 12:00:00 +02:00"], "\(lines(found))")
    }

    @Test("The periods of a longer time add up to it")
    func sums() throws {
        for by in ["geofence", "device", "group"] {
            let whole = try report(["by": by, "period": "month", "since": "2026-03", "until": "2026-03"])
            for period in ["day", "week"] {
                let parts = try report(["by": by, "period": period, "since": "2026-03", "until": "2026-03"])
                for row in whole.rows {
                    let same = parts.rows.filter {
                        ($0.geofenceId, $0.deviceId, $0.group) == (row.geofenceId, row.deviceId, row.group)
                    }
                    #expect(abs(same.reduce(0) { $0 + $1.seenSeconds } - row.seenSeconds) < 0.001)
                    #expect(abs(same.reduce(0) { $0 + ($1.distance ?? 0) } - (row.distance ?? 0)) < 0.001)
                    #expect(same.first?.firstIn == row.firstIn && same.last?.lastOut == row.lastOut)
                }
            }
        }
    }

    @Test("Visits that are shorter than a minimum are left out and counted, including those that lie only partly in the period")
    func minimum() throws {
        let values = ["period": "day", "since": "2026-03-28", "until": "2026-03-31", "minDuration": "2h"]
        let depot = try report(values.merging(["by": "geofence", "geofence": "depot"]) { $1 })
        // On the first day, three hours of the visit of ten hours count. The visit of the last day was of half an hour up to now.
        #expect(
            lines(depot).map { $0.prefix(24) } == ["2026-03-28 depot 1 10800", "2026-03-29 depot 1 25200"], "\(lines(depot))")
        #expect(depot.omittedVisits == 1)
        let device = try report(values.merging(["by": "device"]) { $1 })
        #expect(device.omittedVisits == 2 && device.rows.map(\.visits) == [2, 2, 0], "\(lines(device))")
        #expect(device.json["minDuration"]?.double == 7200 && device.json["omittedVisits"]?.double == 2)
        for language in Language.allCases {
            let words = try #require(ReportCells(device, in: language).omitted)
            #expect(words.contains("2 ") && ReportPage(device, in: language).html.contains(words))
        }
        #expect(try report(["by": "device", "period": "day", "since": "2026-03-28"]).json["omittedVisits"] == nil)
        let problem = #expect(throws: Problem.self) {
            try report(values.merging(["by": "device", "minDuration": "long"]) { $1 })
        }
        guard case .validationFailed("minDuration", "long", .notADuration, _)? = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
    }

    @Test("By device, time in two geofences at once counts once; by group, it counts in each group of the device")
    func devices() throws {
        let values = ["period": "month", "since": "2026-03"]
        let device = try report(values.merging(["by": "device"]) { $1 })
        #expect(lines(device) == ["2026-03 van 4 38400 2026-03-28 21:00:00 +01:00 -"], "\(lines(device))")
        // There and back: 0.1° of latitude each way.
        let way = try #require(device.rows.first?.distance)
        #expect(abs(way - 2 * 11_125.7) < 20, "\(way)")
        let groups = try report(values.merging(["by": "group"]) { $1 })
        #expect(groups.rows.map(\.group) == ["fleet", "north"])
        #expect(groups.rows.allSatisfy { $0.seenSeconds == device.rows[0].seenSeconds && $0.distance == way })
        #expect(try report(values.merging(["by": "group", "group": "north"]) { $1 }).rows.map(\.group) == ["north"])
        let depot = try report(values.merging(["by": "device", "geofence": "depot"]) { $1 })
        #expect(depot.rows.map(\.visits) == [2])
        #expect(try report(values.merging(["by": "device", "until": "2026-03-28 12:00"]) { $1 }).rows.isEmpty)
    }

    @Test("Two subjects have a row for each pair, in the order of the subjects")
    func pairs() throws {
        let values = ["period": "day", "since": "2026-03-28", "until": "2026-03-29"]
        let pairs = try report(values.merging(["by": "device,geofence"]) { $1 })
        #expect(
            pairs.rows.map { [$0.deviceId, $0.geofenceId] } == [
                ["van", "depot"], ["van", "yard"], ["van", "depot"], ["van", "yard"],
            ])
        let alone = try report(values.merging(["by": "geofence"]) { $1 })
        #expect(pairs.rows.map(\.seenSeconds) == alone.rows.map(\.seenSeconds) && pairs.rows.allSatisfy { $0.distance == nil })
        #expect(pairs.csv.hasPrefix("period,from,to,deviceId,geofenceId,geofenceName,"))
        #expect(ReportPage(pairs, in: .english).html.contains("Time in geofences, by day: Device × Geofence"))
        let groups = try report(values.merging(["by": "group,device"]) { $1 })
        let device = try report(values.merging(["by": "device"]) { $1 })
        #expect(
            groups.rows.map { [$0.group, $0.deviceId] } == [
                ["fleet", "van"], ["north", "van"], ["fleet", "van"], ["north", "van"],
            ])
        #expect(groups.rows[0].distance == device.rows[0].distance && groups.rows[0].seenSeconds == device.rows[0].seenSeconds)
        #expect(
            try report(values.merging(["by": "geofence,group", "group": "north"]) { $1 }).rows.allSatisfy { $0.group == "north" })
    }

    @Test("Several geofences can be selected or left out")
    func selectedGeofences() throws {
        let values = ["period": "month", "since": "2026-03"]
        func geofences(_ more: [String: String]) throws -> [String?] {
            try report(values.merging(["by": "geofence"]) { $1 }.merging(more) { $1 }).rows.map(\.geofenceId)
        }
        #expect(try geofences(["geofence": "yard|depot"]) == ["depot", "yard"])
        #expect(try geofences(["notGeofence": "yard"]) == ["depot"])
        #expect(try geofences(["geofence": "yard|depot", "notGeofence": "depot"]) == ["yard"])
        #expect(try geofences(["notGeofence": "yard|depot"]) == [])
        let depot = try report(values.merging(["by": "device", "geofence": "depot"]) { $1 })
        let others = try report(values.merging(["by": "device", "notGeofence": "yard"]) { $1 })
        #expect(others.rows == depot.rows)
        // The distance is that of the whole route, even without visits.
        let none = try report(values.merging(["by": "device", "notGeofence": "yard|depot"]) { $1 })
        #expect(none.rows.map(\.visits) == [0] && none.rows[0].distance == depot.rows[0].distance)
        let page = ReportPage(others, in: .english).html
        #expect(page.contains("Without geofence yard"))
    }

    @Test("What cannot be asked is refused, with the field and what is expected")
    func refused() throws {
        let good = ["by": "geofence", "period": "day", "since": "2026-03"]
        for (change, field) in [
            (["by": "phone"], "by"), (["by": "device,device"], "by"), (["by": "device,group,geofence"], "by"),
            (["by": ","], "by"),
            (["period": "year"], "period"), (["since": "someday"], "since"),
            (["since": "2026-04", "until": "2026-03"], "since"), (["since": "1970-01"], "since"), (["until": "2026-13"], "until"),
        ] {
            let problem = #expect(throws: Problem.self) { try report(good.merging(change) { $1 }) }
            guard case .validationFailed(field, _, _, _)? = problem else {
                Issue.record("\(change): \(String(describing: problem))")
                continue
            }
        }
        for name in good.keys {
            let problem = #expect(throws: Problem.self) { try report(good.filter { $0.key != name }) }
            guard case .validationFailed(name, _, .missing, _)? = problem else {
                Issue.record("\(name): \(String(describing: problem))")
                continue
            }
        }
        for (name, code) in [
            ("device", "nobody"), ("group", "nothing"), ("geofence", "depot|nowhere"), ("notGeofence", "nowhere"),
        ] {
            let problem = #expect(throws: Problem.self) { try report(good.merging([name: code]) { $1 }) }
            #expect(problem?.code == "notFound")
        }
    }

    @Test("CSV has local times with their offset, and a name that is a formula has an apostrophe before it")
    func csv() throws {
        let text = try report(["by": "geofence", "period": "month", "since": "2026-03", "geofence": "depot"]).csv
        #expect(
            text == """
                period,from,to,geofenceId,geofenceName,seenSeconds,hours,hoursAndMinutes,visits,firstIn,lastOut
                2026-03,2026-03-01T00:00:00.000+01:00,2026-03-31T14:00:00.000+02:00,depot,'=Depot <1>,37800,10.5,10:30,2,2026-03-28T21:00:00.000+01:00,

                """, "\(text)")
    }

    @Test("The page is complete without scripts and other files, and names in it are escaped", arguments: Language.allCases)
    func page(_ language: Language) throws {
        let found = try report(["by": "geofence", "period": "day", "since": "2026-03-28", "until": "2026-03-31"])
        let html = ReportPage(found, in: language).html
        for part in ["<html lang=\"\(language.rawValue)\">", "=Depot &lt;1&gt;", "@media print", "2026-03-29 08:10:00 +02:00"] {
            #expect(html.contains(part), "\(part)")
        }
        for part in ["<script", "<link", "<img", "http:", "https:", "<1>", "url("] { #expect(!html.contains(part), "\(part)") }
        #expect(html.components(separatedBy: "<tbody>").count == 4)
        let words = try #require(
            [
                "en": ["Time in each geofence, by day", "still there", "No visits or positions match."],
                "de": ["Zeit in jedem Geofence, nach Tag", "noch dort", "Keine passenden Besuche oder Positionen."],
                "tr": ["Günlere göre her coğrafi sınırda geçen süre", "hâlâ orada", "Eşleşen ziyaret ya da konum yok."],
            ][language.rawValue])
        for part in words.prefix(2) { #expect(html.contains(part), "\(part)") }
        let empty = try report(["by": "geofence", "period": "day", "since": "2026-01-01", "until": "2026-01-01"])
        #expect(ReportPage(empty, in: language).html.contains(words[2]))
    }

    @Test("A report is unchanged after it is written as JSON and read")
    func json() throws {
        for by in ["geofence", "device", "group", "group,geofence"] {
            let found = try report(["by": by, "period": "week", "since": "2026-03"])
            let read = try (found.json["rows"]?.array ?? []).map { try ReportRow.shape.decode($0) }
            #expect(read.map(\.json) == found.rows.map(\.json) && !read.isEmpty)
        }
    }

    /// The distances and outliers of a device in February 2026.
    private func way(of device: String, period: String = "month") throws -> [(meters: Double, outliers: Int)] {
        try report(["by": "device", "period": period, "since": "2026-02", "until": "2026-02", "device": device]).rows
            .map { ($0.distance ?? .nan, $0.outliers) }
    }

    private func feed(_ device: String, _ policy: DecisionPolicy.Name, _ fixes: [(String, Double, Double)]) throws {
        let rows = fixes.map { "\(device),2026-02-0\($0.0),\($0.1),\($0.2)\n" }.joined()
        let path = try bench.directory.write("device,timestamp,latitude,longitude\n\(rows)", to: "\(device).csv")
        try bench.feed([path], policy: PolicyOverride(base: policy))
    }

    @Test("Outliers are left out of the distance and counted, in every form")
    func outliers() throws {
        try feed("tr", .balanced, [("1T10:00:00Z", 52.5, 13.4), ("1T10:00:30Z", 0.00328, 0.00328), ("1T10:01:00Z", 52.5, 13.4)])
        let found = try way(of: "tr")
        #expect(found.count == 1 && found[0].meters == 0 && found[0].outliers == 1)
        let whole = try report(["by": "device", "period": "month", "since": "2026-02", "until": "2026-02", "device": "tr"])
        #expect(ReportCells(whole, in: .english).remarks.contains { $0.hasPrefix("1 outlier left out of the distance") })
        for language in Language.allCases {
            let remarks = ReportCells(whole, in: language).remarks
            #expect(!remarks.isEmpty)
            for remark in remarks { #expect(ReportPage(whole, in: language).html.contains(HTMLText.escaped(remark))) }
        }
        #expect(whole.json["rows"]?.array?.first?["outliers"]?.double == 1)
        #expect(
            whole.csv.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false).last } == [
                "outliers", "1",
            ])
        #expect(try report(["by": "geofence", "period": "month", "since": "2026-03"]).csv.contains("outliers") == false)
    }

    @Test("Two tracks in turn, alone and in pairs, have their own lengths and no legs between them", arguments: [1, 2])
    func twoTracks(_ run: Int) throws {
        let fixes = (0..<40).map { (step: Int) -> (String, Double, Double) in
            let latitude: Double = step / run % 2 == 0 ? 52.5 : 57.2
            return ("1T10:\(step + 10):00Z", latitude + Double(step) * 1e-4, 13.4)
        }
        try feed("two", .balanced, fixes)
        let found = try way(of: "two")
        #expect(found.count == 1 && found[0].meters < 1000, "\(found)")
        #expect(run == 1 ? found[0].outliers == 20 : found[0].outliers == 0, "\(found)")
    }

    @Test("An outlier counts in its period; a policy without a maximum speed has none")
    func outlierPeriods() throws {
        let fixes = [
            ("1T22:58:00Z", 52.5, 13.4), ("1T22:59:30Z", 10, 10), ("1T23:00:30Z", 52.501, 13.4), ("2T12:00:00Z", 52.501, 13.4),
            ("2T12:00:10Z", -10, 10),
        ]
        try feed("late", .balanced, fixes)
        let days = try way(of: "late", period: "day")
        #expect(days.map { $0.outliers } == [1, 1] && days[0].meters == 0 && abs(days[1].meters - 111.3) < 0.5, "\(days)")
        try feed("fast", .exact, fixes)
        let all = try way(of: "fast")
        #expect(all[0].outliers == 0 && all[0].meters > 10_000_000)
    }
}
