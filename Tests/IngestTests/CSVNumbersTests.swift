import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

/// The numbers, coordinates and units of CSV files, of positions and of geofences.
@Suite("Numbers in CSV")
struct CSVNumbersTests {
    /// A geofence of a CSV file as latitude, longitude and radius.
    private typealias Circle = [Double]

    private func fences(_ text: String, radius: Double? = nil, columns: [String: String] = [:]) throws(Problem) -> GeofenceImport
    {
        let bytes = Array(text.utf8)
        let result: Result<GeofenceImport, Problem> = bytes.withUnsafeBufferPointer { bytes in
            do throws(Problem) {
                return .success(try GeofenceDecoder.decode(bytes, source: "x", options: .init(columns: columns, radius: radius)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func circles(_ decoded: GeofenceImport) -> [Circle] {
        decoded.entries.compactMap { entry in
            guard case .circle(let circle) = entry.geofence.shape else { return nil }
            return [circle.center.latitude, circle.center.longitude, circle.radius]
        }
    }

    // MARK: - Decimal sign

    @Test(
        "The decimal sign applies to the whole file of geofences",
        arguments: [
            (
                "\"name\";\"lat\";\"lon\";\"radius\"\n\"Hof; hinten\";\"52,5163\";\"13,3777\";\"1.500\"\n",
                [[52.5163, 13.3777, 1500]]
            ),
            ("name;lat;lon;radius\nA;52,5163;13,3777;1.500,5\nB;48;16;2.000\n", [[52.5163, 13.3777, 1500.5], [48, 16, 2000]]),
            // A spreadsheet quotes only what contains the separator.
            ("name,lat,lon,radius\nA,\"52,5163\",\"13,3777\",1.500\n", [[52.5163, 13.3777, 1500]]),
            ("name,lat,lon,radius\nA,52.5163,13.3777,\"1,500\"\nB,48,16,1.500\n", [[52.5163, 13.3777, 1500], [48, 16, 1.5]]),
            ("radius\tlat\tlon\n1.500\t52,516\t13\n", [[52.516, 13, 1500]]),
            ("radius|lat|lon\n1 500|52,5|13\n1\u{202F}500|48|16\n", [[52.5, 13, 1500], [48, 16, 1500]]),
            ("lat;lon;radius\n52;13;2.5\n53;14;1,500\n", [[52, 13, 2.5], [53, 14, 1500]]),
        ] as [(String, [[Double]])])
    func decimalSigns(text: String, expected: [[Double]]) throws {
        let decoded = try fences(text)
        #expect(circles(decoded) == expected && decoded.refusals.isEmpty)
    }

    @Test("A number that may have thousands or a fraction is refused before the decimal sign is known")
    func ambiguous() throws {
        let decoded = try fences("name;lat;lon;radius\nA;52;13;1.500\nB;52,5;13;1.500\nC;52.25;13;10\n")
        #expect(circles(decoded) == [[52.5, 13, 1500]])
        #expect(
            decoded.refusals.map(\.refusal) == [
                Refusal(
                    file: "x", line: 2, field: "radius", value: "1.500",
                    reason: .expecting(.ambiguousNumber("1.5", "1500"), .oneOf(["1.5", "1500"]))),
                Refusal(
                    file: "x", line: 4, field: "lat", value: "52.25",
                    reason: .expecting(.otherDecimalSign(",", 3), .degreesIn(90))),
            ])
        let track = decode("time;lat;lon;accuracy\n1777629600;1;2;1,500\n1777629601;1;2;0,500\n1777629602;1;2;1,500\n")
        #expect(track.fixes.map(\.accuracy) == [0.5, 1.5])
        #expect(
            track.refusals.map(\.reason) == [.expecting(.ambiguousNumber("1500", "1.5"), .oneOf(["1500", "1.5"]))])
    }

    @Test("Quoted decimal commas are read in a file whose fields commas separate")
    func quotedCommas() {
        let result = decode("device,time,lat,lon\na,1777629600,\"52,5163\",\"13,3777\"\na,1777629601,\"52,5164\",14\n")
        #expect(
            result.fixes.map(\.coordinate) == [
                Coordinate(latitude: 52.5163, longitude: 13.3777), Coordinate(latitude: 52.5164, longitude: 14),
            ])
        #expect(result.refusals.isEmpty)
    }

    @Test("A coordinate with the other decimal sign is refused with the line that shows the file's")
    func contradiction() {
        let result = decode("time;lat;lon\n1777629600;52.5;13.4\n1777629601;52,5;13\n1777629602;52.6;13\n")
        #expect(result.rows.map(\.line) == [2, 4])
        #expect(result.refusals.map(\.reason) == [.expecting(.otherDecimalSign(".", 2), .degreesIn(90))])
        #expect(result.refusals.map(\.value) == ["52,5"])
    }

    /// A number by splitting its text, as the reference for `CSVNumbers`.
    private static func reference(_ text: String, point: Character) -> Double? {
        var rest = Substring(text)
        var sign = ""
        if let first = rest.first, first == "-" || first == "+" {
            sign = String(first)
            rest = rest.dropFirst()
        }
        let halves = rest.split(separator: point, omittingEmptySubsequences: false)
        guard halves.count <= 2, let whole = halves.first else { return nil }
        let fraction = halves.count == 2 ? halves[1] : ""
        func isDigits(_ text: Substring) -> Bool { text.utf8.allSatisfy { (48...57).contains($0) } }
        var digits = String(whole)
        for separator in [point == "." ? "," : ".", " ", "'"] as [Character] where whole.contains(separator) {
            let groups = whole.split(separator: separator, omittingEmptySubsequences: false)
            guard (1...3).contains(groups[0].count), groups[0].first != "0", groups.allSatisfy(isDigits),
                groups.dropFirst().allSatisfy({ $0.count == 3 })
            else { return nil }
            digits = groups.joined()
        }
        guard isDigits(Substring(digits)), isDigits(fraction), !(digits + fraction).isEmpty else { return nil }
        return Double(sign + "0" + digits + "." + fraction + "0")
    }

    private static let cells: ClosedRange<UInt64> = 1...400

    @Test("Random numbers have the value of a reference, and are refused without a known sign if they have two", arguments: cells)
    func randomNumbers(seed: UInt64) throws {
        guard Histories.seeds(Self.cells).contains(seed) else { return }
        var random = SeededRandom(seed: seed)
        var points = CSVNumbers()
        var commas = CSVNumbers()
        "1.5".withBytes { points.decide(coordinate: $0, 0..<3, line: 1) }
        "1,5".withBytes { commas.decide(coordinate: $0, 0..<3, line: 1) }
        for _ in 0..<500 {
            var text = ""
            for _ in 0..<Int.random(in: 1...9, using: &random) {
                text.append("0123456789012345678901234567890123456789.,., '-+".randomElement(using: &random)!)
            }
            if text.hasPrefix(" ") || text.hasSuffix(" ") { continue }
            let expected = (point: Self.reference(text, point: "."), comma: Self.reference(text, point: ","))
            func read(_ numbers: CSVNumbers) -> Double? {
                text.withBytes { bytes in try? numbers.number(bytes, 0..<bytes.count) }
            }
            #expect(read(points) == expected.point, "'\(text)' with a point, seed \(seed)")
            #expect(read(commas) == expected.comma, "'\(text)' with a comma, seed \(seed)")
            let unknown =
                expected.point == nil
                ? expected.comma : expected.comma == nil || expected.comma == expected.point ? expected.point : nil
            #expect(read(CSVNumbers()) == unknown, "'\(text)' with neither, seed \(seed)")
        }
    }

    // MARK: - Hemispheres

    @Test(
        "Columns of hemispheres give the sign",
        arguments: [
            ("latitude,N/S,longitude,E/W", "33.8688,S,151.2093,E", -33.8688, 151.2093),
            ("latitude,N/S,longitude,E/W", "38.7223,N,9.1393,W", 38.7223, -9.1393),
            ("lat,lat_dir,lon,lon_dir", "33.8688,South,151.2093,east", -33.8688, 151.2093),
            ("LATITUDE,LATITUDE N/S,LONGITUDE,LONGITUDE E/W", "10.5,s,20.5,w", -10.5, -20.5),
            ("lat,NS,lon,EW", "\"52 30.978\",N,\"13 22.662\",E", 52.5163, 13.3777),
            ("lat,lon,hemisphere", "33.5,70.5,SW", -33.5, -70.5), ("lat;hemisphere;lon", "33,5;S;-70,5", -33.5, -70.5),
            ("lat,ns,lon", "33.5S,S,-70.5", -33.5, -70.5), ("lat,ns,lon", "0,S,1.5", 0, 1.5),
        ] as [(String, String, Double, Double)])
    func hemisphereColumns(header: String, row: String, latitude: Double, longitude: Double) throws {
        let separator = header.contains(";") ? ";" : ","
        let track = decode("\(header)\(separator)time\n\(row)\(separator)1777629600\n")
        let coordinate = try #require(track.fixes.first?.coordinate)
        #expect(abs(coordinate.latitude - latitude) < 1e-12 && abs(coordinate.longitude - longitude) < 1e-12)
        #expect(track.rows.map(\.attributes) == [nil])
        let decoded = try fences("\(header)\(separator)radius\n\(row)\(separator)200\n")
        let circle = try #require(circles(decoded).first)
        #expect(abs(circle[0] - latitude) < 1e-12 && abs(circle[1] - longitude) < 1e-12)
        #expect(decoded.entries.first?.geofence.properties.isEmpty == true)
    }

    @Test(
        "A coordinate that contradicts its hemisphere is refused by line",
        arguments: [
            ("lat,N/S,lon", "-33.8,S,151", "N/S", .minusWithHemisphere),
            ("lat,N/S,lon", "33.8N,S,151", "N/S", .hemispheresDiffer("N", "S")),
            ("lat,N/S,lon", "33.8,,151", "N/S", .missing), ("lat,N/S,lon", "33.8,X,151", "N/S", .notAHemisphere),
            ("lat,lon", "-33.8 S,151", "lat", .minusWithHemisphere), ("lat,lon", "33.8E,151", "lat", .hemisphereOfOther("E")),
            ("lat,lon", "33.8,S151.2", "lon", .hemisphereOfOther("S")), ("lat,lon", "52 30.978,13.4", "lat", .degreesAndMinutes),
            ("lat,E/W,lon", "52 30.978,E,13.4", "lat", .degreesAndMinutes), ("lat,lon", "52°60'N,13", "lat", .angleUnreadable),
            ("lat,lon", "52°30'58s,13", "lat", .angleUnreadable), ("lat,lon", "north,13", "lat", .notANumber),
        ] as [(String, String, String, Phrase)])
    func contradictions(header: String, row: String, field: String, reason: Phrase) throws {
        func found(_ refusal: Refusal?) -> Phrase? {
            refusal?.reason.withoutExpectation
        }
        let track = decode("\(header),time\n\(row),1777629600\n")
        #expect(track.rows.isEmpty && found(track.refusals.first) == reason && track.refusals.map(\.field) == [field])
        let decoded = try fences("\(header),radius\n\(row),200\n")
        #expect(decoded.entries.isEmpty && found(decoded.refusals.first?.refusal) == reason)
        #expect(decoded.refusals.map(\.refusal.field) == [field])
    }

    @Test(
        "Coordinates are read as people write them",
        arguments: [
            ("33.8688S", "151.2093E", -33.8688, 151.2093), ("S33.8688", "E 151.2093", -33.8688, 151.2093),
            ("52°30'58.7\"N", "13°22'39.7\"E", 52 + 30.0 / 60 + 58.7 / 3600, 13 + 22.0 / 60 + 39.7 / 3600),
            ("52 30.978 N", "13 22.662 W", 52.5163, -13.3777), ("52° 30.978'", "-13° 22.662'", 52.5163, -13.3777),
            ("52.5163°", "13.3777 °", 52.5163, 13.3777), ("52:30:58.7N", "N/A", 0, 0),
            ("52º30′58.7″ N", "13°22’39.7”W", 52.51630555555556, -13.377694444444445),
        ] as [(String, String, Double, Double)])
    func angles(latitude: String, longitude: String, a: Double, b: Double) throws {
        let text = "lat\tlon\ttime\n\(latitude)\t\(longitude)\t1777629600\n"
        guard longitude != "N/A" else {
            #expect(decode(text).refusals.map(\.value) == ["N/A"])
            return
        }
        let coordinate = try #require(decode(text).fixes.first?.coordinate)
        #expect(abs(coordinate.latitude - a) < 1e-12 && abs(coordinate.longitude - b) < 1e-12)
    }

    @Test("Minutes of coordinates in separate columns are refused once, but a range of latitudes is accepted")
    func minutes() throws {
        let result = decode("lat,lat_min,lon,lon_min,time\n52,30.978,13,22.662,1777629600\n")
        #expect(
            result.problem
                == .decodingFailed(
                    source: "track.csv", line: nil,
                    reason: .expecting(.columnsChangeOthers(["lat_min", "lon_min"]), .coordinateInOneColumn)))
        #expect(decode("lat,lon,lat_min,lat_max,time\n52,13,51,53,1777629600\n").rows.count == 1)
    }

    // MARK: - Units

    @Test(
        "The unit of a length is in the value, in the name of its column, or in a separate column",
        arguments: [
            ("radius", "150 m", 150), ("radius", "0.5 km", 500), ("radius", "500ft", 152.4), ("radius", "500 FT", 152.4),
            ("radius", "100 yd", 91.44), ("radius", "1 mile", 1609.344), ("radius (km)", "1.5", 1500),
            ("radius_ft", "500", 152.4),
            ("Radius [m]", "75", 75), ("radius (km)", "1.5 km", 1500), ("radius,unit", "500,ft", 152.4),
            ("radius,radius_unit", "2,km", 2000),
        ] as [(String, String, Double)])
    func lengths(column: String, value: String, meters: Double) throws {
        let decoded = try fences("lat,lon,\(column)\n52.5,13.4,\(value)\n")
        #expect(circles(decoded) == [[52.5, 13.4, meters]] && decoded.refusals.isEmpty)
        let accuracy = column.lowercased().replacing("radius", with: "accuracy").replacing(",unit", with: ",accuracy_unit")
        let track = decode("time,lat,lon,\(accuracy)\n1777629600,52.5,13.4,\(value)\n")
        #expect(track.fixes.map(\.accuracy) == [meters] && track.rows.map(\.attributes) == [nil])
    }

    @Test("A person can name the column of a length with its unit")
    func namedUnits() throws {
        #expect(
            circles(try fences("lat;lon;Umkreis\n52,5;13,4;1,5\n", columns: ["radius_km": "Umkreis"])) == [[52.5, 13.4, 1500]])
        #expect(
            circles(try fences("lat;lon;Umkreis (km)\n52,5;13,4;1,5\n", columns: ["radius": "Umkreis (km)"])) == [
                [52.5, 13.4, 1500]
            ])
    }

    @Test(
        "A unit that is unknown, missing or contradicts its column is refused",
        arguments: [
            ("radius", "5 xy", .unknownUnit("xy")), ("radius (km)", "500 m", .unitOtherThan("km")),
            ("radius,unit", "5,", .missing),
            ("radius,unit", "5,parsec", .unknownUnit("parsec")), ("radius", "m", .notANumber),
        ] as [(String, String, Phrase)])
    func wrongUnits(column: String, value: String, reason: Phrase) throws {
        let decoded = try fences("lat,lon,\(column)\n52.5,13.4,\(value)\n")
        guard decoded.refusals.first?.refusal.reason.withoutExpectation == reason else {
            Issue.record("\(decoded)")
            return
        }
        let accuracy = column.replacing("radius", with: "accuracy").replacing(",unit", with: ",accuracy_unit")
        let track = decode("time,lat,lon,\(accuracy)\n1777629600,52.5,13.4,\(value)\n")
        guard track.refusals.first?.reason.withoutExpectation == reason, track.rows.isEmpty else {
            Issue.record("\(track)")
            return
        }
    }

    @Test("Altitudes and speeds have units, too, and a column of units for several fields is refused once")
    func otherUnits() throws {
        let track = decode(
            "time,lat,lon,altitude_ft,speed,speed_unit\n1777629600,52.5,13.4,1000,36,km/h\n1777629601,52.5,13.4,100,10,mph\n")
        #expect(track.fixes.map(\.altitude) == [304.8, 30.48] && track.fixes.map(\.speed) == [10, 10 / (3600 / 1609.344)])
        let suffixes = decode("time,lat,lon,altitude,speed\n1777629600,52.5,13.4,100 ft,36 km/h\n1777629601,52.5,13.4,7,fast\n")
        #expect(suffixes.fixes.map(\.altitude) == [30.48, 7] && suffixes.fixes.map(\.speed) == [10, nil])
        #expect(suffixes.rows.map(\.attributes) == [nil, #"{"speed":"fast"}"#])
        #expect(
            decode("time,lat,lon,accuracy,units\n1777629600,52.5,13.4,5,metric\n").problem
                == .decodingFailed(
                    source: "track.csv", line: nil, reason: .expecting(.columnsChangeOthers(["units"]), .unitInColumn)))
        // The unit of a fleet is a vehicle.
        #expect(
            decode("time,lat,lon,accuracy,unit\n1777629600,52.5,13.4,5,car 7\n").rows.map(\.attributes) == [#"{"unit":"car 7"}"#])
    }

    // MARK: - Degrees × 10⁷

    @Test(
        "Degrees × 10⁷ are read, and an overflow of 32 bits is undone",
        arguments: [
            ("525163000", "133777000", 52.5163, 13.3777), ("425000000", "3439967296", 42.5, -85.5),
            ("-338688000", "-2495967296", -33.8688, 179.9), ("3956279296", "1512093000", -33.8688, 151.2093),
        ] as [(String, String, Double, Double)])
    func e7(latitude: String, longitude: String, a: Double, b: Double) throws {
        for names in [("latitudeE7", "longitudeE7"), ("lat_e7", "lon_e7"), ("latitude_e7", "LONGITUDE E7"), ("latE7", "lngE7")] {
            let track = decode("\(names.0),\(names.1),time\n\(latitude),\(longitude),1777629600\n")
            #expect(track.fixes.map(\.coordinate) == [Coordinate(latitude: a, longitude: b)])
            #expect(circles(try fences("\(names.0);\(names.1)\n\(latitude);\(longitude)\n", radius: 9)) == [[a, b, 9]])
        }
        var options = DecodingOptions()
        options.columns = ["latitude_e7": "y1", "longitude_e7": "x1"]
        #expect(
            decode("y1,x1,time\n\(latitude),\(longitude),1777629600\n", options: options).fixes.map(\.coordinate) == [
                Coordinate(latitude: a, longitude: b)
            ])
    }

    @Test("Numbers that look like degrees × 10⁷ or are no such are refused")
    func wrongE7() throws {
        let plain = decode("lat,lon,time\n525163000,133777000,1777629600\n5820000.5,389000,1777629600\n")
        #expect(
            plain.refusals.map(\.reason) == [.expecting(.perhapsE7, .degreesIn(90)), .expecting(.notAnAngle, .degreesIn(90))])
        let fractions = decode("latE7,lonE7,time\n52.5163,13.3777,1777629600\n2000000000,1,1777629600\n")
        #expect(fractions.refusals.map(\.value) == ["52.5163", "2000000000"])
        #expect(fractions.refusals.first?.reason == .expecting(.notAWholeNumber, .degreesE7))
        #expect(
            try fences("lat,lon,radius\n525163000,133777000,5\n").refusals.map(\.refusal.reason) == [
                .expecting(.perhapsE7, .degreesIn(90))
            ])
    }

    @Test("A value is named as it is written")
    func values() throws {
        let decoded = try fences("name;lat;lon;radius\nA;52,5;13,4;1.5.5\nB;52,5;540;9\nC;52,5;13,4;0\n")
        #expect(decoded.refusals.map(\.refusal.value) == ["1.5.5", "540", "0"])
        #expect(decoded.refusals.first?.refusal.reason == .expecting(.notANumber, .metersIn(1, 1_000_000)))
    }
}
