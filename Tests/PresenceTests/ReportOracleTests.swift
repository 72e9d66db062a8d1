import Core
import Foundation
import Model
import ServiceTestSupport
import Settings
import TestSupport
import Testing

@testable import History
@testable import Presence

@Suite("Reports against an independent count")
struct ReportOracleTests {
    /// Adds up the time in circles from a raw track: arguments are the track, the circles, the zone, the length of the periods, the first and
    /// the last day, and the subjects of the rows (geofence, device). A device is in a circle from its first position there to its first position elsewhere. It is
    /// seen there up to its last position there, between positions that are at most six hours apart, and a period in which it is not seen at all has only visits that begin or end
    /// there. Distances are by T. Vincenty's formula (1975).
    private static let oracle = #"""
        import csv, json, sys, xml.etree.ElementTree as xml
        from datetime import datetime, timedelta
        from math import asin, atan, atan2, cos, radians, sin, sqrt, tan
        from zoneinfo import ZoneInfo
        track, circles, zone, period, since, until, by = sys.argv[1:]
        zone = ZoneInfo(zone)

        def distance(a, b):
            if a == b: return 0.0
            f, major = 1 / 298.257223563, 6378137.0
            minor = (1 - f) * major
            u1, u2 = atan((1 - f) * tan(radians(a[0]))), atan((1 - f) * tan(radians(b[0])))
            span = angle = radians(b[1] - a[1])
            for _ in range(200):
                s = sqrt((cos(u2) * sin(angle)) ** 2 + (cos(u1) * sin(u2) - sin(u1) * cos(u2) * cos(angle)) ** 2)
                if s == 0: return 0.0
                c = sin(u1) * sin(u2) + cos(u1) * cos(u2) * cos(angle)
                sigma, alpha = atan2(s, c), cos(u1) * cos(u2) * sin(angle) / s
                square = 1 - alpha ** 2
                middle = c - 2 * sin(u1) * sin(u2) / square if square else 0
                k = f / 16 * square * (4 + f * (4 - 3 * square))
                before, angle = angle, span + (1 - k) * f * alpha * (
                    sigma + k * s * (middle + k * c * (2 * middle ** 2 - 1)))
                if abs(angle - before) < 1e-13: break
            q = square * (major ** 2 - minor ** 2) / minor ** 2
            m = 1 + q / 16384 * (4096 + q * (-768 + q * (320 - 175 * q)))
            n = q / 1024 * (256 + q * (-128 + q * (74 - 47 * q)))
            delta = n * s * (middle + n / 4 * (c * (2 * middle ** 2 - 1)
                - n / 6 * middle * (4 * s ** 2 - 3) * (4 * middle ** 2 - 3)))
            return minor * m * (sigma - delta)

        def is_inside(center, place, radius):
            a, b = map(radians, center), map(radians, place)
            (y1, x1), (y2, x2) = a, b
            rough = 2 * 6371008.8 * asin(min(1, sqrt(sin((y2 - y1) / 2) ** 2 + cos(y1) * cos(y2) * sin((x2 - x1) / 2) ** 2)))
            # The sphere is wrong by less than one in a hundred.
            if abs(rough - radius) > radius / 100 + 1: return rough < radius
            return distance(center, place) <= radius

        def millis(text):
            moment = datetime.fromisoformat(text)
            return int(moment.timestamp()) * 1000 + moment.microsecond // 1000

        tracks = {}
        if track.endswith('.csv'):
            for row in csv.DictReader(open(track)):
                tracks.setdefault(row['id'], []).append((millis(row['timestamp']), (float(row['lat']), float(row['lon']))))
        else:
            name = track.rsplit('/', 1)[1].rsplit('.', 1)[0]
            for point in xml.parse(track).iter():
                if not point.tag.endswith('}trkpt'): continue
                time = [child.text for child in point if child.tag.endswith('}time')]
                tracks.setdefault(name, []).append((millis(time[0]), (float(point.get('lat')), float(point.get('lon')))))

        days, spans = datetime.fromisoformat(since), []
        while days <= datetime.fromisoformat(until):
            if period == 'month': name, after = days.strftime('%Y-%m'), (days.replace(day=1) + timedelta(days=32)).replace(day=1)
            elif period == 'week': name, after = '%d-W%02d' % days.isocalendar()[:2], days + timedelta(days=7 - days.weekday())
            else: name, after = days.strftime('%Y-%m-%d'), days + timedelta(days=1)
            after = min(after, datetime.fromisoformat(until) + timedelta(days=1))
            spans.append((name, *[int(day.replace(tzinfo=zone).timestamp()) * 1000 for day in (days, after)]))
            days = after

        rows, by_geofence = {}, 'geofence' in by.split(',')
        def key_of(device, id): return tuple(dict(geofence=id, device=device)[subject] for subject in by.split(','))
        def seen(times, start, end):
            return sum(max(0, min(b, end) - max(a, start)) for a, b in zip(times, times[1:]) if b - a <= 6 * 3600 * 1000)
        for device, points in tracks.items():
            times = [time for time, _ in points]
            visits = []
            for row in csv.DictReader(open(circles)):
                center, radius, entered = (float(row['lat']), float(row['lon'])), float(row['radius_m']), None
                before = None
                for time, place in points:
                    inside = is_inside(center, place, radius)
                    if inside and entered is None: entered = time
                    if not inside and entered is not None: visits.append((entered, time, row['id'], before)); entered = None
                    before = time
                if entered is not None: visits.append((entered, 10 ** 15, row['id'], 10 ** 15))
            for name, start, end in spans:
                is_silent = seen(times, start, end) == 0
                parts = sorted((max(a, start), min(b, end), id, min(c, end)) for a, b, id, c in visits
                    if a < end and (b > start or a >= start) and not (is_silent and a < start and b > end))
                groups = {}
                for a, b, id, c in parts:
                    key = key_of(device, id)
                    joined = groups.setdefault(key, [])
                    if not by_geofence and joined and a <= joined[-1][1]: joined[-1] = (joined[-1][0], max(c, joined[-1][1]))
                    else: joined.append((a, c))
                for a, b, id, c in parts:
                    row = rows.setdefault((name, key_of(device, id)), dict(visits=0, seen=0, first=a, last=b, way=0))
                    row.update(visits=row['visits'] + 1, first=min(row['first'], a), last=max(row['last'], b))
                for key, joined in groups.items():
                    rows[name, key]['seen'] += sum(seen(times, a, b) for a, b in joined)
                if not by_geofence:
                    ways = [distance(a[1], b[1]) for a, b in zip(points, points[1:]) if start <= b[0] < end]
                    if ways or start <= points[0][0] < end:
                        row = rows.setdefault((name, (device,)), dict(visits=0, seen=0, first=None, last=None, way=0))
                        row['way'] += sum(ways)
        for (name, key), row in sorted(rows.items()):
            print(json.dumps([name, key, row['visits'], row['seen'], row['first'], row['last'], row['way']]))
        """#

    struct Question: CustomTestStringConvertible, Sendable {
        var run: OracleRun
        var by: String
        var period: String
        var zone: String

        var testDescription: String { "\(run.name) by \(by) and \(period) in \(zone)" }
    }

    static let questions: [Question] = OracleRun.all.filter { run in
        run.isInOrder && run.fences.pathExtension == "csv"
            && ["csv__birds_oystercatcher_2018", "csv__hurdat2_storms", "gpx__sf_run_strava"]
                .contains(run.name)
    }.flatMap { run in
        [
            Question(run: run, by: "geofence", period: run.name.contains("hurdat2") ? "month" : "day", zone: "Europe/Berlin"),
            Question(run: run, by: "device", period: run.name.contains("hurdat2") ? "month" : "week", zone: "America/New_York"),
            Question(run: run, by: "device,geofence", period: run.name.contains("hurdat2") ? "month" : "day", zone: "Asia/Tokyo"),
        ]
    }

    @Test(
        "The time in each circle, the visits and the way are those of a count from the raw track",
        .enabled("python3 is not installed") { Tool("python3") != nil }, arguments: questions)
    func count(_ question: Question) throws {
        let bench = try Workbench()
        try bench.add(question.run.geofences())
        try bench.feed([question.run.track.path])
        let zone = try LocalTimeZone(named: question.zone)
        let fixes = try bench.service.devices().flatMap { device in
            try bench.service.track(of: device.id, since: nil, until: nil, after: nil, limit: 100_000).items.map(\.fix.time)
        }
        let (first, last) = (zone.date(of: try #require(fixes.min())), zone.date(of: try #require(fixes.max())))
        let values = [
            "by": question.by, "period": question.period, "since": first.description, "until": last.description,
        ]
        let report = try bench.service.report(
            ReportQuestion(by: TimeReader(now: bench.clock.now(), zone: zone)) { values[$0].map { [$0] } ?? [] })
        let counted = try #require(Tool("python3")).run([
            "-c", Self.oracle, question.run.track.path, question.run.fences.path, question.zone, question.period,
            first.description, last.description, question.by,
        ])
        #expect(counted.status == 0, "\(counted.output.suffix(2000))")
        let lines = counted.output.split(separator: "\n")
        try #require(lines.count == report.rows.count && !lines.isEmpty)
        for (row, line) in zip(report.rows, lines) {
            let expected = try #require(try JSONParser.parse(String(line)).array)
            func number(_ index: Int) -> Double? { expected[index].double }
            let names = question.by.split(separator: ",").map { $0 == "device" ? row.deviceId : row.geofenceId }
            #expect(row.period == expected[0].string && names == expected[1].array?.map(\.string), "\(line)")
            #expect(Double(row.visits) == number(2), "\(line)")
            #expect(abs(row.seenSeconds - (number(3) ?? .nan) / 1000) < 0.001, "\(row) \(line)")
            #expect(row.firstIn.map { Double($0.milliseconds) } == number(4), "\(line)")
            #expect(row.lastOut.map { Double($0.milliseconds) } == number(5), "\(line)")
            let way = number(6) ?? .nan
            #expect(row.distance.map { abs($0 - way) < 0.01 + way * 1e-6 } ?? (way == 0), "\(row) \(line)")
        }
    }
}
