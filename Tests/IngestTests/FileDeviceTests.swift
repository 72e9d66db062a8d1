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
            ("/t/anna/2025-06-01_13-02_Sun.gpx", "anna"), ("/t/anna/2025-06-09_So.gpx", "anna"),
            ("/t/anna/Morning_Run-2.gpx", "anna"),
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
        // Folders that are dates do not separate devices.
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
        "No two files in folders of different people are of one device, regardless of their names",
        arguments: [1, 2, 3] as [UInt64])
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
    static func track(_ name: String?, _ segments: [String]..., latitude: Double = 52.5) -> String {
        let text = segments.map { times in
            let points = times.map { time in
                let time = time.count == 5 ? "2026-05-01T\(time):00Z" : time.count == 8 ? "2026-05-01T\(time)Z" : time
                return "<trkpt lat=\"\(latitude)\" lon=\"13.4\"><time>\(time)</time></trkpt>"
            }
            return "<trkseg>\(points.joined())</trkseg>"
        }
        return "<trk>\(name.map { "<name> \($0) </name>" } ?? "")\(text.joined())</trk>\n"
    }

    private static func survey(
        _ bytes: [UInt8], size: Int = 7, options: DecodingOptions = DecodingOptions()
    ) -> TrackSurvey.Verdict? {
        TrackSurvey.verdict(options) { read in
            for start in stride(from: 0, to: bytes.count, by: size) {
                let isNeeded = bytes[start..<min(bytes.count, start + size)].withUnsafeBufferPointer { read($0) }
                if !isNeeded { return }
            }
        }
    }

    private static func survey(_ tracks: String...) -> TrackSurvey.Verdict? {
        survey(Array("<gpx><metadata><time>2026-05-01T10:30:00Z</time></metadata>\n\(tracks.joined())</gpx>".utf8))
    }

    /// The numbers of the two tracks that contradict each other.
    private static func conflict(_ verdict: TrackSurvey.Verdict?) -> [Int] {
        if case .contradictory(let conflict) = verdict { [conflict.earlier.number, conflict.later.number] } else { [] }
    }

    @Test("Tracks that overlap in time and have different names are of devices with these names")
    func names() {
        let anna = Self.track("anna", ["10:00", "11:00"])
        let ben = Self.track("ben", ["10:30", "11:30"])
        #expect(Self.survey(anna, ben) == .byName && Self.survey(ben, anna) == .byName)
        #expect(Self.survey(anna, ben, Self.track("anna", ["12:00", "13:00"])) == .byName)
        // A track without a name that overlaps none takes no name from the others.
        #expect(Self.survey(anna, ben, Self.track(nil, ["12:00", "13:00"])) == .byName)
        // One person's runs, including newest first, or one after the other without a pause.
        #expect(
            Self.survey(Self.track("Morning run", ["07:00", "08:00"]), Self.track("Evening run", ["18:00", "19:00"]))
                == .oneDevice)
        #expect(
            Self.survey(Self.track("Evening run", ["18:00", "19:00"]), Self.track("Morning run", ["07:00", "08:00"]))
                == .oneDevice)
        #expect(Self.survey(anna, Self.track("ben", ["11:00", "12:00"])) == .oneDevice)
        #expect(Self.survey(anna) == .oneDevice && Self.survey("<trk>") == .oneDevice)
        // In the pause of another one.
        #expect(
            Self.survey(Self.track("a", ["07:00", "08:00"], ["17:00", "18:00"]), Self.track("b", ["12:00", "13:00"]))
                == .oneDevice)
    }

    @Test("Two tracks overlap if they share five minutes, or half of the shorter one")
    func overlap() {
        let anna = Self.track("anna", ["10:00", "11:00"])
        for times in [["10:59:59", "12:00:00"], ["10:55:01", "12:00:00"], ["09:00:00", "10:04:59"], ["09:58:00", "10:01:59"]] {
            #expect(Self.survey(anna, Self.track("ben", times)) == .oneDevice, "\(times)")
        }
        for times in [
            ["10:55:00", "12:00:00"], ["09:00:00", "10:05:00"], ["09:58:00", "10:02:00"], ["10:20", "10:21"], ["10:20"],
        ] {
            #expect(Self.survey(anna, Self.track("ben", times)) == .byName, "\(times)")
        }
        // The segments count together.
        #expect(
            Self.survey(anna, Self.track("ben", ["10:01", "10:03"], ["10:10", "10:13"], ["12:00", "14:00"])) == .byName)
        #expect(Self.survey(anna, Self.track("ben", ["10:01", "10:03"], ["10:10", "10:12"], ["12:00", "14:00"])) == .oneDevice)
        // Points at the ends are not inside.
        #expect(Self.survey(Self.track("a", ["10:00"]), anna, Self.track("b", ["11:00"])) == .oneDevice)
    }

    @Test("Tracks that overlap and whose names do not distinguish them contradict each other")
    func contradictory() {
        let anna = Self.track("anna", ["10:00", "11:00"])
        let ben = Self.track("ben", ["10:30", "11:30"])
        #expect(Self.conflict(Self.survey(anna, Self.track(nil, ["10:30", "11:30"]))) == [1, 2])
        #expect(
            Self.conflict(Self.survey(Self.track(nil, ["07:00", "08:00"]), anna, Self.track("a\u{FFFD}", ["10:30", "11:30"])))
                == [2, 3])
        #expect(Self.conflict(Self.survey(anna, anna)) == [1, 2])
        // Tracks of one name, between others.
        #expect(Self.conflict(Self.survey(ben, anna, Self.track("cleo", ["07:00", "08:00"]), ben)) == [1, 4])
        // The one with the longest overlap is named.
        #expect(
            Self.conflict(Self.survey(Self.track("x", ["10:50", "11:10"]), anna, Self.track(nil, ["10:10", "10:56"]))) == [2, 3])
    }

    @Test("Times that no position may have do not stretch a track")
    func refusedTimes() {
        struct Clock: WallClock { func now() -> Instant { Instant(milliseconds: 1_780_000_000_000) } }
        var options = DecodingOptions()
        options.clock = Clock()
        for wrong in ["1970-01-01T00:00:00Z", "2089-12-31T00:00:00Z", "yesterday", ""] {
            let text =
                "<gpx>\(Self.track(nil, ["07:00", "08:00"]))\(Self.track(nil, [wrong, "10:00", "11:00", wrong]))"
                + "\(Self.track(nil, ["13:00", "14:00"]))</gpx>"
            #expect(Self.survey(Array(text.utf8), options: options) == .oneDevice, "\(wrong)")
        }
        // A time in an extension is not that of the point.
        let nested =
            "<trkpt lat='1' lon='2'><time>2026-05-01T10:00:00Z</time><extensions><time>2026-05-01T07:00:00Z</time></extensions></trkpt>"
        #expect(
            Self.survey(
                Self.track(nil, ["06:00", "09:00"]), "<trk><trkseg>\(nested)</trkseg></trk>", Self.track(nil, ["10:30", "11:00"]))
                == .oneDevice)
    }

    @Test("Compressed files, other encodings, prefixes and odd tags are decided alike")
    func forms() {
        let text = "<gpx>\(Self.track("anna", ["10:00", "11:00"]))\(Self.track("ben", ["10:30", "11:30"]))</gpx>"
        #expect(Self.survey(GzipReaderTests.packed(Array(text.utf8))) == .byName)
        #expect(Self.survey(Array(text.replacing("<trk>", with: "<trk\n>").utf8)) == .byName)
        let prefixed = text.replacing("<t", with: "<x:t").replacing("</t", with: "</x:t").replacing("x:time", with: "time")
        #expect(Self.survey(Array(prefixed.utf8)) == .byName)
        #expect(Self.survey([0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }) == .byName)
        // Of a damaged file, what can be read.
        #expect(Self.survey(Array(text.dropLast(8).utf8)) == .byName)
        #expect(Self.survey(Array("a,b\n<trk><trk>".utf8)) == .oneDevice)
    }

    @Test("Many tracks, newest first or all at once, are decided, and too many segments are not")
    func many() {
        let newestFirst = (0..<20_000).reversed().map { number in
            let start = 1_700_000_000 + number * 1000
            return Self.track(nil, ["\(start)", "\(start + 900)"])
        }
        #expect(Self.survey(Array("<gpx>\(newestFirst.joined())</gpx>".utf8), size: 1 << 16) == .oneDevice)
        let atOnce = (0..<5000).map { Self.track("van-\($0)", ["10:00", "11:00"], ["12:00", "13:00"]) }
        #expect(Self.survey(Array("<gpx>\(atOnce.joined())</gpx>".utf8), size: 1 << 16) == .byName)
        let segments = String(repeating: "<trkseg><trkpt><time>1700000000</time></trkpt></trkseg>", count: 100_001)
        #expect(Self.survey(Array("<gpx><trk>\(segments)</trk><trk></trk></gpx>".utf8), size: 1 << 16) == nil)
    }

    @Test("The verdict is what the minutes of all tracks say", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            var tracks: [(name: String, minutes: Set<Int>)] = []
            var text = ""
            for _ in 0..<Int.random(in: 2...6, using: &random) {
                let name = ["anna", "ben", "cleo", "dora", ""].randomElement(using: &random)!
                var minutes: Set<Int> = []
                let segments = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    let start = Int.random(in: 0...120, using: &random)
                    let end = start + Int.random(in: 1...12, using: &random)
                    minutes.formUnion(start..<end)
                    let points = [start, end].shuffled(using: &random)
                    return "<trkseg>\(points.map { "<trkpt><time>\(1_700_000_000 + $0 * 60)</time></trkpt>" }.joined())</trkseg>"
                }
                tracks.append((name, minutes))
                text += "<trk><name>\(name)</name>\(segments.joined())</trk>"
            }
            func overlapping(_ which: [Int]) -> [Int] {
                which.filter { track in
                    let others = which.filter { $0 != track }.reduce(into: Set<Int>()) { $0.formUnion(tracks[$1].minutes) }
                    let shared = tracks[track].minutes.intersection(others).count
                    return shared > 0 && (shared >= 5 || shared * 2 >= tracks[track].minutes.count)
                }
            }
            let all = overlapping(Array(tracks.indices))
            let isContradictory =
                all.contains { tracks[$0].name.isEmpty }
                || Set(tracks.map(\.name)).contains { name in
                    !overlapping(tracks.indices.filter { tracks[$0].name == name }).isEmpty
                }
            let verdict = Self.survey(Array("<gpx>\(text)</gpx>".utf8), size: 100)
            if all.isEmpty {
                #expect(verdict == .oneDevice, "seed \(seed): \(text)")
            } else if isContradictory {
                #expect(!Self.conflict(verdict).isEmpty, "seed \(seed): \(text)")
            } else {
                #expect(verdict == .byName, "seed \(seed): \(text)")
            }
        }
    }

    @Test("The decoder names devices by tracks, or refuses all tracks once")
    func decoding() throws {
        let text =
            "<gpx>\n" + Self.track("anna", ["10:00", "11:00"]) + Self.track("ben", ["10:30", "10:45"])
            + Self.track(nil, ["12:00"]) + "</gpx>"
        var options = DecodingOptions()
        options.tracks = Self.survey(Array(text.utf8))
        let named = decode(text, source: "two.gpx", options: options)
        #expect(
            named.refusals.isEmpty && named.remarks.isEmpty && named.rows.map(\.device) == ["anna", "anna", "ben", "ben", "two"])

        let merged = text.replacing("ben", with: "anna")
        options.tracks = Self.survey(Array(merged.utf8))
        let refused = decode(merged, source: "two.gpx", options: options)
        let refusal = try #require(refused.refusals.first)
        #expect(refused.rows.isEmpty && refused.refusals.count == 1 && refused.remarks.isEmpty)
        #expect(refusal.line == 3 && refusal.field == "trk" && refusal.value == "anna")
        for word in ["track 2", "track 1 'anna' in line 2", "--device"] {
            #expect(refusal.reason.description.contains(word), "\(word)")
        }
        options.device = "x"
        #expect(decode(merged, source: "two.gpx", options: options).rows.map(\.device) == ["x", "x", "x", "x", "x"])
    }

    @Test("An input that was not surveyed has one device, and a remark if it has several tracks")
    func remark() {
        let text = "<gpx>\(Self.track("anna", ["10:00", "11:00"]))<trk/>\(Self.track("ben", ["09:00", "10:30", "12:00"]))</gpx>"
        let result = decode(text, source: "two.gpx")
        #expect(result.refusals.isEmpty && result.rows.map(\.device) == ["two", "two", "two", "two", "two"])
        #expect(result.remarks == [.tracksOfOneDevice(2)])
        expectSameForEveryChunking(Array(text.utf8), source: "two.gpx")
        #expect(decode(text, source: "two.gpx", options: DecodingOptions(device: "x")).remarks.isEmpty)
        #expect(decode("<gpx>\(Self.track("anna", ["10:00"], ["11:00"]))<trk/></gpx>", source: "a.gpx").remarks.isEmpty)
    }
}
