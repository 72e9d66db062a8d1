import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Devices of files")
struct FileDeviceTests {
    private static func names(_ paths: [String]) -> [String?] {
        FileDevice.devices(ofFiles: paths).map { if case .named(let name) = $0 { name } else { nil } }
    }

    @Test(
        "A file names its device, without a date; a name of numbers and common words leaves it to the folder",
        arguments: [
            ("a/b/walk.gpx", "walk"), ("walk", "walk"), (".hidden", ".hidden"), ("x.tar.gz", "x"), ("/", "/"), ("a/", "a"),
            ("/t/anna/20260501.gpx", "anna"), ("/t/anna/2026-05-01.gpx", "anna"), ("/t/anna/track_20260501.gpx", "anna"),
            ("/t/anna/20260501T101500Z.gpx", "anna"), ("/t/anna/2026-05-01_10-15-00.nmea", "anna"),
            ("/t/anna/track.2.gpx", "anna"),
            ("/t/anna/1234567.gpx", "anna"), ("/t/anna/Track 3.gpx", "anna"), ("/t/anna/GPS-log-7.nmea", "anna"),
            ("/t/anna/2026/05/01.gpx", "anna"), ("/t/anna/2026-05/20260501.gpx", "anna"), ("/t/7/20260501.gpx", "7"),
            ("/t/01/20260501.gpx", "01"), ("/rec/jane/phone/2026-05.rec", "phone"),
            ("/t/anna_20260501.gpx", "anna"), ("/t/2026-05-01 anna.gpx", "anna"),
            ("/t/anna-20260501-evening.gpx", "anna-evening"),
            ("/t/van-7.csv", "van-7"), ("/t/bus-100.csv", "bus-100"), ("/t/ringbahn-s41.csv", "ringbahn-s41"),
            ("/t/track.gpx", "track"), ("/t/walk.gpx.gz", "walk"), ("/t/anna/20260501.gpx.gz", "anna"),
            ("/t/anna/2025-06-01_13-02_Sun.gpx", "anna"), ("/t/anna/2025-06-09_So.gpx", "anna"), ("/t/anna/Morning_Run-2.gpx", "anna"),
            ("/t/anna/Timeline.json", "anna"), ("/t/anna/Takeout/Location History/Records.json", "anna"),
            ("/t/anna/activities/7.gpx", "anna"), ("/t/anna/activities/loop.gpx", "loop"),
            ("/t/a20269901.gpx", "a20269901"), ("/t/Jörg.gpx", "Jörg"), ("/t/自宅.gpx", "自宅"),
        ])
    func oneFile(path: String, name: String) {
        #expect(FileDevice(path: path) == .named(name))
    }

    @Test(
        "A file without a name and without a folder names no device",
        arguments: ["20260501.gpx", "/1.gpx", "/2026/05/01.gpx", "./7.nmea"])
    func unnamed(path: String) {
        #expect(FileDevice(path: path) == .unnamed(.fileNamesNoDevice))
    }

    @Test("Files of the same name in different folders are of different devices")
    func sameName() {
        #expect(Self.names(["/t/anna/20260501.gpx", "/t/ben/20260501.gpx"]) == ["anna", "ben"])
        #expect(Self.names(["/t/anna/morning.gpx", "/t/ben/morning.gpx", "/t/ben/noon.gpx"]) == ["anna", "ben", "noon"])
        // The two vans of a folder are not merged.
        #expect(
            Self.names(["/t/mon/van-7.csv", "/t/mon/van-8.csv", "/t/tue/van-7.csv", "/t/tue/van-8.csv"])
                == ["mon/van-7", "mon/van-8", "tue/van-7", "tue/van-8"])
        // Folders that are dates separate nobody.
        #expect(Self.names(["/t/2026-05-01/van-7.csv", "/t/2026-05-02/van-7.csv"]) == ["van-7", "van-7"])
        #expect(
            Self.names(["/t/2026/05/van-7.csv", "/t/2026/06/van-7.csv", "/t/2026/06/van-8.csv"]) == ["van-7", "van-7", "van-8"])
        #expect(Self.names(["/t/walk.gpx", "/t/walk.csv"]) == ["walk", "walk"])
    }

    @Test("Days of one device are one device")
    func days() {
        #expect(Self.names(["/gps/20260501.gpx", "/gps/20260502.gpx"]) == ["gps", "gps"])
        #expect(Self.names(["/t/anna_20260501.gpx", "/t/anna_20260502.gpx", "/t/ben_20260501.gpx"]) == ["anna", "anna", "ben"])
    }

    @Test("Folders of the same name in different places name no device")
    func sameFolder() {
        let devices = FileDevice.devices(ofFiles: [
            "/g/000/Trajectory/20081023.plt", "/g/001/Trajectory/20081024.plt", "/g/x/7.gpx",
        ])
        #expect(
            devices == [
                .unnamed(.folderOfSameName("/g/001/Trajectory")), .unnamed(.folderOfSameName("/g/000/Trajectory")), .named("x"),
            ])
    }

    @Test(
        "No two files in folders of different people are of one device, whatever their names", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let people = ["anna", "ben", "7", "Zoë"]
        let names = ["20260501.gpx", "20260502.gpx", "track.gpx", "morning.gpx", "1.nmea", "log_2.csv", "evening run.gpx"]
        for _ in 0..<300 {
            let files = (0..<Int.random(in: 2...8, using: &random)).map { _ in
                (person: people.randomElement(using: &random)!, name: names.randomElement(using: &random)!)
            }
            let devices = FileDevice.devices(ofFiles: files.map { "/tracks/\($0.person)/\($0.name)" })
            for (a, b) in zip(files, devices) {
                for (c, d) in zip(files, devices) where a.person != c.person {
                    if case .named = b, b == d { Issue.record("\(files), seed \(seed)") }
                }
            }
        }
    }
}

@Suite("Tracks of a GPX file")
struct GPXTrackTests {
    static func track(_ name: String?, _ times: String..., latitude: Double = 52.5) -> String {
        let points = times.map { "<trkpt lat=\"\(latitude)\" lon=\"13.4\"><time>2026-05-01T\($0):00Z</time></trkpt>" }
        return "<trk>\(name.map { "<name> \($0) </name>" } ?? "")<trkseg>\(points.joined())</trkseg></trk>\n"
    }

    private static func survey(_ tracks: String...) -> Bool {
        let bytes = Array("<gpx><metadata><time>2026-05-01T10:30:00Z</time></metadata>\n\(tracks.joined())</gpx>".utf8)
        var survey = TrackSurvey()
        for start in stride(from: 0, to: bytes.count, by: 7) {
            let isNeeded = bytes[start..<min(bytes.count, start + 7)].withUnsafeBufferPointer { survey.read($0) }
            if !isNeeded { break }
        }
        return survey.namesDevices
    }

    @Test("Tracks that overlap in time and have different names are of devices with these names")
    func names() {
        let anna = Self.track("anna", "10:00", "11:00"), ben = Self.track("ben", "10:30", "11:30")
        #expect(Self.survey(anna, ben) && Self.survey(ben, anna))
        #expect(Self.survey(anna, ben, Self.track("anna", "12:00", "13:00")))
        // One person's runs, also newest first, or one after the other without a pause.
        #expect(!Self.survey(Self.track("Morning run", "07:00", "08:00"), Self.track("Evening run", "18:00", "19:00")))
        #expect(!Self.survey(Self.track("Evening run", "18:00", "19:00"), Self.track("Morning run", "07:00", "08:00")))
        #expect(!Self.survey(anna, Self.track("ben", "11:00", "12:00")))
        // Without names, or with equal ones, nothing separates them.
        #expect(!Self.survey(anna, Self.track(nil, "10:30", "11:30")))
        #expect(!Self.survey(anna, anna) && !Self.survey("<trk>"))
    }

    @Test("A track that overlaps with an earlier one is left out, and refused once")
    func overlap() throws {
        let text =
            "<gpx>\n" + Self.track("anna", "10:00", "11:00") + Self.track("ben", "09:00", "10:30", "10:45", "12:00")
            + Self.track("cleo", "13:00", "14:00") + "</gpx>"
        let result = decode(text, source: "two.gpx")
        #expect(result.problem == nil && result.rows.map(\.device) == ["two", "two", "two", "two", "two"])
        #expect(result.rows.map(\.line) == [2, 2, 3, 4, 4])
        let refusal = try #require(result.refusals.first)
        #expect(result.refusals.count == 1 && refusal.line == 3 && refusal.field == "trk" && refusal.value == "ben")
        #expect(refusal.reason.description.contains("overlaps in time") && refusal.reason.description.contains("--device"))
        expectSameForEveryChunking(Array(text.utf8), source: "two.gpx")
        // --device says that all are of one.
        #expect(decode(text, source: "two.gpx", options: DecodingOptions(device: "x")).rows.count == 8)
        var byTrack = DecodingOptions()
        byTrack.namesDevicesByTrack = true
        let named = decode(text, source: "two.gpx", options: byTrack)
        #expect(
            named.refusals.isEmpty && named.rows.map(\.device) == ["anna", "anna", "ben", "ben", "ben", "ben", "cleo", "cleo"])
    }

    @Test("Tracks that follow each other, newest first, or fill each other's pauses, are of one device")
    func noOverlap() {
        let pause =
            "<trk><trkseg>\(Self.points("07:00", "08:00"))</trkseg><trkseg>\(Self.points("17:00", "18:00"))</trkseg></trk>"
        for tracks in [
            Self.track("a", "10:00", "11:00") + Self.track("b", "11:00", "12:00"),
            Self.track("a", "11:00", "12:00") + Self.track("b", "10:00", "11:00") + Self.track("c", "08:00", "09:00"),
            pause + Self.track("b", "12:00", "13:00"),
        ] {
            let result = decode("<gpx>\(tracks)</gpx>", source: "a.gpx")
            #expect(result.refusals.isEmpty && Set(result.rows.map(\.device)) == ["a"])
        }
    }

    private static func points(_ times: String...) -> String {
        times.map { "<trkpt lat=\"1\" lon=\"2\"><time>2026-05-01T\($0):00Z</time></trkpt>" }.joined()
    }

    @Test("Whether a time is in an earlier track is what a list of all segments says", arguments: [1, 2, 3] as [UInt64])
    func spans(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            var spans = TrackSpans()
            var all: [TrackSpans.Span] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                spans.beginTrack()
                var own: [TrackSpans.Span] = []
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    spans.beginSegment()
                    let start = Int64.random(in: 0...50, using: &random), end = start + Int64.random(in: 0...9, using: &random)
                    for time in [start, end] {
                        let time = Instant(milliseconds: time)
                        #expect(
                            spans.isInEarlierTrack(time) == TrackSpans.union(all).contains { $0.start < time && time < $0.end },
                            "seed \(seed)")
                        spans.add(time)
                    }
                    own.append(.init(start: Instant(milliseconds: start), end: Instant(milliseconds: end)))
                }
                all += own
            }
        }
    }
}
