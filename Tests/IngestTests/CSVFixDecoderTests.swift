import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("CSV decoder")
struct CSVFixDecoderTests {
    @Test("Picket's own columns are decoded")
    func ownColumns() {
        let result = decode(
            """
            device,timestamp,latitude,longitude,accuracy,altitude,speed,course,battery
            van-7,2026-05-01T10:00:00Z,52.52,13.40,8,34,12.1,90,0.8

            """)
        #expect(result.format == .csv)
        #expect(result.problem == nil && result.refusals.isEmpty)
        let expected = Fix(
            time: Instant("2026-05-01T10:00:00Z")!, coordinate: Coordinate(latitude: 52.52, longitude: 13.4), accuracy: 8,
            altitude: 34, speed: 12.1, course: 90, battery: 0.8)
        #expect(result.rows == [.init(device: "van-7", fix: expected, attributes: nil, line: 2)])
    }

    @Test(
        "Column names of common exporters are decoded",
        arguments: [
            "id,timestamp,lat,lon", "deviceId,Time,Latitude,Longitude", "VEHICLE,DATETIME,LAT,LNG", "track,utc,y,x",
            "Device ID;Date Time;lat;long", "imei\ttimestamp\tlat\tlon", "\"device\",\"time\",\"lat\",\"lon\"",
            "individual-local-identifier,timestamp,location-lat,location-long",
        ])
    func columnNames(header: String) {
        let separator = header.contains(";") ? ";" : header.contains("\t") ? "\t" : ","
        let row = ["a", "2026-05-01 10:00:00", "1.5", "-2.5"].joined(separator: separator)
        let result = decode("\(header)\r\n\(row)")
        #expect(result.problem == nil)
        #expect(result.rows.first?.device == "a")
        #expect(result.fixes.first?.coordinate == Coordinate(latitude: 1.5, longitude: -2.5))
        #expect(result.fixes.first?.time == Instant("2026-05-01T10:00:00Z"))
    }

    @Test(
        "Several notations of times are decoded",
        arguments: [
            ("2026-05-01T10:00:00Z", 1_777_629_600_000), ("2026-05-01 10:00:00", 1_777_629_600_000),
            ("2026-05-01T12:00:00.250+02:00", 1_777_629_600_250), ("1777629600", 1_777_629_600_000),
            ("1777629600.5", 1_777_629_600_500), ("1777629600123", 1_777_629_600_123), ("2147483646", 2_147_483_646_000),
            ("1777629600123456", 1_777_629_600_123), ("99999999999", 99_999_999_999_000), ("315964800", 315_964_800_000),
        ] as [(String, Int64)])
    func times(text: String, milliseconds: Int64) {
        let result = decode("device,time,lat,lon\na,\(text),1,2\n")
        #expect(result.fixes.map(\.time.milliseconds) == [milliseconds])
    }

    @Test(
        "A date and a time of day can be in two columns",
        arguments: [
            ("2026-05-01", "10:00:00", 1_777_629_600), ("2026/05/01", "10:00:00.5", 1_777_629_600.5),
            ("2026/05/01", "10:00", 1_777_629_600), ("2026-05-01", "2026-05-01T10:00:00Z", 1_777_629_600),
            ("", "1777629600", 1_777_629_600), ("2026-05-01", "", nil), ("1 May", "10:00:00", nil),
            ("1 May 2026", "10:00", 1_777_629_600), ("20260501", "100000", 1_777_629_600),
            ("01.05.2026", "12:00+02", 1_777_629_600),
            ("05/01/2026", "10:00", nil),
        ] as [(String, String, Double?)])
    func twoColumns(date: String, time: String, seconds: Double?) {
        let result = decode("No,Latitude,Longitude,Date,Time\n1,1,2,\(date),\(time)\n")
        #expect(result.fixes.map(\.time.seconds) == (seconds.map { [$0] } ?? []))
        #expect(result.refusals.map(\.field) == (seconds == nil ? ["Time"] : []))
        #expect(result.refusals.allSatisfy { $0.value == (time.isEmpty ? "" : "\(date) \(time)") })
    }

    @Test("Quoted fields can contain separators, quotation marks and newlines")
    func quotes() {
        let result = decode(
            "device,time,lat,lon,note\r\n\"a,\"\"b\"\"\",1777629600,1,2,\"two\r\nlines\"\r\nc,1777629601,3,4,5\" wide\r\n")
        #expect(result.refusals.isEmpty)
        #expect(result.rows.map(\.device) == ["a,\"b\"", "c"])
        #expect(result.rows.map(\.line) == [2, 4])
        #expect(result.rows.map(\.attributes) == [#"{"note":"two\u000d\u000alines"}"#, #"{"note":"5\" wide"}"#])
    }

    @Test("A quotation without an end costs one line, not the rest of the file", arguments: [40, 60_000])
    func runawayQuote(rows: Int) {
        var text = "device,time,lat,lon\n\"a,1777629600,1,2\n"
        for index in 0..<rows { text += "b,\(1_777_629_600 + index),1,2,,,,,,\n" }
        let input = Array(text.utf8)
        for chunks in [nil, [1000], [65_536, 3]] {
            let result = decode(input, chunks: chunks)
            #expect(result.rows.count == rows)
            #expect(result.refusals.map(\.line) == [2])
            #expect(result.refusals.first?.field == "quotation")
        }
    }

    @Test("A line without an end is refused with little memory, and the next line is decoded")
    func endlessLine() {
        let endless = String(repeating: "x", count: LineSplitter.maxBytes + 5)
        let text = "device,time,lat,lon\n\(endless)\nb,1777629600,1,2\n"
        for chunks in [nil, [1000], [65_536]] {
            let result = decode(text, chunks: chunks)
            #expect(result.rows.map(\.line) == [3])
            #expect(result.refusals.map(\.line) == [2])
        }
    }

    @Test("A comma is the decimal sign where a semicolon or a tab separates the fields", arguments: [";", "\t"])
    func decimalCommas(separator: String) {
        let lines = [
            ["device", "time", "lat", "lon", "accuracy", "speed_kmh", "note"],
            ["a", "1777629600,5", "52,5163", "-13,3777", "4,5", "36,0", "1,5"],
            ["a", "1777629601", "52", "13,3777", "4", "36", ""], ["a", "1777629602", "1.052,5", "13", "", "", ""],
            ["a", "1777629603", "52,5,1", "13", "", "", ""],
        ]
        let result = decode(lines.map { $0.joined(separator: separator) }.joined(separator: "\n"))
        #expect(
            result.fixes.map(\.coordinate) == [
                Coordinate(latitude: 52.5163, longitude: -13.3777), Coordinate(latitude: 52, longitude: 13.3777),
            ])
        #expect(result.fixes.map(\.time.milliseconds) == [1_777_629_600_500, 1_777_629_601_000])
        #expect(result.fixes.map(\.accuracy) == [4.5, 4] && result.fixes.map(\.speed) == [10, 10])
        #expect(result.rows.map(\.attributes) == [#"{"note":"1,5"}"#, nil])
        #expect(result.refusals.map(\.value) == ["1.052,5", "52,5,1"])
    }

    @Test(
        "The name of the column states the unit of the speed",
        arguments: [
            ("speed", 36), ("speed_kmh", 10), ("Speed (km/h)", 10), ("speedKmh", 10), ("speed_knots", 18.52),
            ("Speed [kn]", 18.52),
            ("speed (m/s)", 36),
        ] as [(String, Double)])
    func speedUnits(column: String, speed: Double) throws {
        let result = decode("device,time,lat,lon,\(column)\na,1777629600,1,2,36\n")
        #expect(try abs(#require(result.fixes.first?.speed) - speed) < 1e-9 && result.rows.first?.attributes == nil)
        var options = DecodingOptions()
        options.columns = ["speed_kmh": "Tempo"]
        #expect(decode("device,time,lat,lon,Tempo\na,1777629600,1,2,36\n", options: options).fixes.first?.speed == 10)
        options.columns = ["speed": "Tempo"]
        #expect(decode("device,time,lat,lon,Tempo\na,1777629600,1,2,36\n", options: options).fixes.first?.speed == 36)
    }

    @Test("Traccar's export has the time of the fix among others, and knots")
    func traccar() throws {
        let result = decode(
            "id,deviceId,protocol,serverTime,deviceTime,fixTime,valid,latitude,longitude,altitude,speed,course,address,accuracy,sat\n"
                + "1,7,osmand,2026-05-01 10:00:09,2026-05-01 10:00:05,2026-05-01 10:00:00,true,52.5,13.4,34,10,90,,5,8\n")
        #expect(result.refusals.isEmpty && result.rows.map(\.device) == ["7"])
        #expect(result.fixes.map(\.time.milliseconds) == [1_777_629_600_000])
        #expect(try abs(#require(result.fixes.first?.speed) - 18520.0 / 3600) < 1e-9)
    }

    @Test("Values in unknown columns are kept as attributes")
    func attributes() {
        let result = decode("device,time,lat,lon,sat,note\na,1777629600,1,2,7,\na,1777629601,1,2,,\n")
        #expect(result.rows.map(\.attributes) == [#"{"sat":"7"}"#, nil])
    }

    @Test("An optional value that is not a number becomes an attribute, and the fix stays")
    func oddExtras() {
        let result = decode("device,time,lat,lon,speed,course,batt\na,1777629600,1,2,fast,-1,85\n")
        #expect(result.rows.first?.attributes == #"{"speed":"fast"}"#)
        #expect(result.fixes.first?.speed == nil && result.fixes.first?.course == nil)
        #expect(result.fixes.first?.battery == 0.85)
    }

    @Test(
        "An invalid fix is refused with line, column, value and reason",
        arguments: [
            ("a,1777629600,91,2,", "lat", "91", "it is out of range"),
            ("a,1777629600,1,361,", "lon", "361", "it is out of range"),
            ("a,1777629600,4440237.8,953210,", "lat", "4440237.8", "meters in a projected coordinate system"),
            ("a,1777629600,north,2,", "lat", "north", "it is not a number"),
            ("a,1777629600,nan,2,", "lat", "nan", "it is not a number"),
            ("a,1777629600,1,inf,", "lon", "inf", "it is not a number"),
            ("a,1777629600,,2,", "lat", "", "it is missing"),
            ("a,1777629600,0,0,", "lat", "0", "exactly 0"),
            ("a,1777629600,1,2,-1", "acc", "-1", "it is negative"),
            ("a,1777629600,1,2,good", "acc", "good", "it is not a number"),
            ("a,yesterday,1,2,", "time", "yesterday", "it is not a valid time"),
            ("a,,1,2,", "time", "", "it is missing"),
            ("a,2026-02-30T10:00:00Z,1,2,", "time", "2026-02-30T10:00:00Z", "it is not a valid time"),
            (",1777629600,1,2,", "dev", "", "it is missing"),
            ("a,1777629600,1,2,3,4", "record", "a,1777629600,1,2,3,4", "more fields than the header"),
            ("a,1777629600", "lat", "", "it is missing"),
        ])
    func refusals(row: String, field: String, value: String, reason: String) throws {
        let result = decode(
            "dev,time,lat,lon,acc\na,1777629600,1,2,3\n\(row)\na,1777629601,1,2,3\n", options: named(["device": "dev"]))
        #expect(result.rows.map(\.line) == [2, 4])
        let refusal = try #require(result.refusals.first)
        #expect(refusal.file == "track.csv" && refusal.line == 3 && refusal.field == field && refusal.value == value)
        #expect(refusal.reason.description.contains(reason) && refusal.reason.description.contains("expected"))
    }

    private func named(_ columns: [String: String]) -> DecodingOptions {
        var options = DecodingOptions()
        options.columns = columns
        return options
    }

    @Test("Longitudes past the antimeridian are wrapped")
    func wrapping() {
        let result = decode("device,time,lat,lon\na,1777600001,1,181\na,1777600002,1,-190\na,1777600003,1,360\n")
        #expect(result.fixes.map(\.coordinate.longitude) == [-179, 170, 0])
    }

    @Test("The position 0, 0 is accepted when the options allow it")
    func nullIsland() {
        var options = DecodingOptions()
        options.allowsNullIsland = true
        #expect(decode("device,time,lat,lon\na,1777600001,0,0\n", options: options).rows.count == 1)
    }

    @Test("The options can name columns")
    func mapping() {
        let options = named(["timestamp": "Zeit", "latitude": "Breite", "longitude": "Länge"])
        let result = decode("Zeit;Breite;Länge;lat\n1777629600;1;2;9\n", options: options)
        #expect(result.fixes.map(\.coordinate) == [Coordinate(latitude: 1, longitude: 2)])
        #expect(result.rows.first?.device == "track")
        #expect(result.rows.first?.attributes == #"{"lat":"9"}"#)
    }

    @Test("A header without the required columns is refused, with its columns and how to name them")
    func unknownHeader() {
        let result = decode("Zeit,Breite,Laenge\n1,2,3\n")
        guard case .decodingFailed("track.csv", 1, let reason)? = result.problem else {
            Issue.record("\(String(describing: result.problem))")
            return
        }
        #expect(
            reason
                == .expecting(
                    .columnsUnknown(
                        ["timestamp", "latitude", "longitude"], separator: ",", columns: ["Zeit", "Breite", "Laenge"]),
                    .columnsOption("timestamp=COLUMN,latitude=COLUMN,longitude=COLUMN")))
    }

    @Test("A mapping to an unknown column or field is refused", arguments: [["latitude": "Breite"], ["hight": "lat"]])
    func wrongMapping(columns: [String: String]) {
        let result = decode("device,time,lat,lon\na,1,2,3\n", options: named(columns))
        #expect(result.problem?.code == "validationFailed")
    }

    @Test("The options can give times to rows without times")
    func synthesizedTimes() {
        var options = DecodingOptions()
        options.start = Instant("2026-05-01T10:00:00Z")
        options.interval = 2.5
        let result = decode("lat,lon\n1,2\n1,2\n1,2\n", options: options)
        #expect(result.fixes.map { $0.time - options.start! } == [0, 2.5, 5])
    }

    @Test("A device in the options applies to every row")
    func givenDevice() {
        let result = decode("device,time,lat,lon\na,1777600001,2,3\n,1777600002,2,3\n", options: DecodingOptions(device: "mine"))
        #expect(result.rows.map(\.device) == ["mine", "mine"])
    }

    @Test("Device numbers stay valid when batches take turns")
    func batchesInTurn() throws {
        var decoder = FixDecoder(source: "x.csv")
        var batches = [FixBatch(), FixBatch()]
        _ = batches[1].number(ofDevice: "someone else")
        let pieces = ["device,time,lat,lon\na,1,2,3\n", "b,2,2,3\na,3,2,3\n", "a,4,2,3\nb,5,2,3\n", "c,6,2,3\na,7,2,3\n"]
            .map { $0.replacing(/,([1-7]),2,3/) { ",177760000\($0.1),2,3" } }
        for (index, piece) in pieces.enumerated() {
            try Array(piece.utf8).withUnsafeBufferPointer { try decoder.decode($0, into: &batches[index % 2]) }
        }
        for batch in batches {
            for row in batch.rows {
                let name = batch.deviceNames[Int(row.device)]
                let expected =
                    switch row.fix.time.seconds - 1_777_600_000 {
                    case 2, 5: "b"
                    case 6: "c"
                    default: "a"
                    }
                #expect(name == expected)
            }
        }
        #expect(batches.map(\.rows.count).reduce(0, +) == 7)
    }

    @Test("The result does not depend on how the input is split")
    func chunking() {
        let text =
            "device,time,lat,lon,note\r\n\"a,\"\"b\"\"\",1777629600,1,2,\"two\r\nlines\"\r\nc,1777629601,3,4,5\" wide\r\n\r\n"
            + "Ünal,1777629602,x,4,\nd,1777629603,3,4\n\"d,1777629603,3,4\ne,5,6,7,\"\"\nf,1,2,3,g"
        expectSameForEveryChunking(Array(text.utf8))
        expectSameForEveryChunking(Array(("\u{FEFF}" + text).utf8))
    }
}
