import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

/// Separators and encodings of CSV files, and random files in all notations.
@Suite("CSV files as spreadsheets write them")
struct CSVFileTests {
    private func fences(_ bytes: [UInt8], radius: Double? = nil) throws(Problem) -> GeofenceImport {
        let result: Result<GeofenceImport, Problem> = bytes.withUnsafeBufferPointer { bytes in
            do throws(Problem) {
                return .success(try GeofenceDecoder.decode(bytes, source: "x", options: .init(radius: radius)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// A text in Windows-1252, of characters below U+0100 and the euro sign.
    private func windows1252(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { $0 == "€" ? 0x80 : UInt8($0.value) }
    }

    // MARK: - Separators

    @Test(
        "The separator is stated, or else the one with which columns are known",
        arguments: [
            "sep=;\nname;lat;lon;radius\nHof;52,5;13,4;100\n", "\"sep=;\"\r\nname;lat;lon;radius\r\nHof;52,5;13,4;100\r\n",
            "SEP=,,,\nname,lat,lon,radius\nHof,52.5,13.4,100\n", "sep=|\nname|lat|lon|radius\nHof|52.5|13.4|100\n",
            "sep=\t\nname\tlat\tlon\tradius\nHof\t52.5\t13.4\t100\n", "name|lat|lon|radius\nHof|52.5|13.4|100\n",
            "name,lat,lon,radius,foo; bar; baz; qux; quux; corge\nHof,52.5,13.4,100,\n",
            "name;lat;lon;radius;a, b, c, d, e, f\nHof;52,5;13,4;100;\n",
        ])
    func separators(text: String) throws {
        let decoded = try fences(Array(text.utf8))
        let expected = Shape.circle(Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 100))
        #expect(decoded.entries.map(\.geofence.shape) == [expected] && decoded.refusals.isEmpty)
        let track = Array(text.replacing("radius", with: "accuracy").replacing("name", with: "device").utf8)
        var options = DecodingOptions()
        options.start = Instant("2026-05-01T10:00:00Z")
        options.interval = 1
        #expect(decode(track, options: options).fixes.map(\.accuracy) == [100])
        expectSameForEveryChunking(track, options: options)
    }

    @Test(
        "A header without known columns is refused with the separator",
        arguments: [("a;b;c,d", ";", "';'"), ("a\tb", "\t", "tabs"), ("sep=|\na,b", "|", "'|'")])
    func unknownColumns(header: String, separator: String, words: String) {
        let result = decode("\(header)\n1,2\n")
        guard case .decodingFailed("track.csv", 1, let refused)? = result.problem,
            case let reason = refused.withoutExpectation,
            reason.isSameText(as: .columnsUnknown([], separator: "", columns: []))
        else {
            Issue.record("\(String(describing: result.problem))")
            return
        }
        #expect(reason.phrases == [.separator(separator)] && reason.description.contains("separated by \(words), are "))
    }

    // MARK: - Encodings

    @Test("Text that is not UTF-8 is read as Windows-1252, with one remark")
    func windows1252() throws {
        let text =
            "device;time;lat;lon;note\nJürgen;1777629600;52,5;13,4;5 €\nHöfe;1777629601;52,5;13,4;\nHüfe;1777629602;52,5;13,4;\n"
        let result = decode(windows1252(text))
        #expect(result.rows.map(\.device) == ["Jürgen", "Höfe", "Hüfe"] && result.refusals.isEmpty)
        #expect(result.rows.first?.attributes == #"{"note":"5 €"}"#)
        #expect(result.remarks == [.readAsWindows1252])
        expectSameForEveryChunking(windows1252(text))
        #expect(decode(text).remarks.isEmpty)
        #expect(decode(text).rows == result.rows)

        let decoded = try fences(
            windows1252("name;lat;lon;radius\nBüro;52,5163;13,3777;150\nHöfe;52,5;13;100\nHüfe;48,2;16;100\n"))
        #expect(decoded.entries.map(\.geofence.name) == ["Büro", "Höfe", "Hüfe"] && decoded.remarks == [.readAsWindows1252])
        // The header decides, too.
        let header = decode(
            windows1252("Gerät;time;Länge;lat\nÄ;1777629600;13,4;52,5\n"),
            options: { () -> DecodingOptions in
                var options = DecodingOptions()
                options.columns = ["device": "Gerät", "longitude": "Länge"]
                return options
            }())
        #expect(header.rows.map(\.device) == ["Ä"] && header.remarks == [.readAsWindows1252])
    }

    @Test("A note names the columns that may name the device if none is known to", arguments: ["Wagen", "Name"])
    func unknownDevice(column: String) {
        let text = "\(column),time,lat,lon\nB-AB 1,1777629600,1,2\nB-AB 2,1777629601,1,2\n"
        #expect(decode(text, source: "cars.csv").remarks == [.noDeviceColumn([column])])
        var options = DecodingOptions()
        options.columns = ["device": column]
        let named = decode(text, source: "cars.csv", options: options)
        #expect(named.remarks.isEmpty && named.rows.map(\.device) == ["B-AB 1", "B-AB 2"])
        #expect(decode(text, source: "cars.csv", options: DecodingOptions(device: "van")).remarks.isEmpty)
    }

    @Test("Empty rows of a spreadsheet are passed over", arguments: [";;;", "\"\";\"\";\"\";", " ; ;;", ""])
    func emptyRows(row: String) throws {
        let result = decode("device;time;lat;lon\na;1777629600;1;2\n\(row)\n\(row)\na;1777629601;1;2\n")
        #expect(result.rows.count == 2 && result.refusals.isEmpty)
        let decoded = try fences(Array("name;lat;lon;radius\nA;1;2;100\n\(row)\nB;1;3;100\n".utf8))
        #expect(decoded.entries.count == 2 && decoded.refusals.isEmpty)
    }

    @Test("In a file of UTF-8, a line that is not is refused, and the others are read")
    func brokenUTF8() throws {
        let bytes =
            Array("device,time,lat,lon\nÜ,1777629600,1,2\n".utf8) + windows1252("Jürgen,1777629601,1,2\n")
            + Array("日本,1777629602,1,2\n".utf8)
        let result = decode(bytes)
        #expect(result.rows.map(\.device) == ["Ü", "日本"] && result.remarks.isEmpty)
        #expect(result.refusals.map(\.line) == [3] && result.refusals.map(\.reason) == [.expecting(.notUTF8, .oneEncoding)])
        expectSameForEveryChunking(bytes)
        let mixed = decode(Array("device,time,lat,lon\na".utf8) + Array("Ü".utf8) + windows1252("ü,1777629600,1,2\n"))
        #expect(mixed.rows.isEmpty && mixed.refusals.map(\.line) == [2] && mixed.remarks.isEmpty)
        let decoded = try fences(Array("name,lat,lon,radius\nÜ,1,2,3\n".utf8) + windows1252("Büro,1,2,3\n"))
        #expect(decoded.entries.count == 1 && decoded.refusals.map(\.refusal.line) == [3])
    }

    @Test("XML may be declared as Windows-1252 or Latin-1", arguments: ["windows-1252", "Windows-1252", "CP1252", "iso-8859-1"])
    func xml(encoding: String) throws {
        let euro = encoding == "iso-8859-1" ? "" : "€"
        let text =
            "<?xml version=\"1.0\" encoding=\"\(encoding)\"?><kml><Placemark><name>Büro \(euro)</name><ExtendedData><Data name=\"radius\">"
            + "<value>5</value></Data></ExtendedData><Point><coordinates>1,2</coordinates></Point></Placemark></kml>"
        #expect(try fences(windows1252(text)).entries.map(\.geofence.name) == [euro.isEmpty ? "Büro" : "Büro €"])
        #expect(throws: Problem.self) { try fences(windows1252(text.replacing(encoding, with: "x-unknown"))) }
    }

    // MARK: - Random files

    private static let files: ClosedRange<UInt64> = 1...200_000

    @Test("Positions of random files in all notations have their values, however the file is cut", arguments: Histories.parts)
    func randomFiles(part: Int) {
        for seed in Histories.seeds(Self.files, part: part) {
            var file = RandomCSV(seed: seed)
            let bytes = file.make()
            var chunks = [Int.random(in: 1...60, using: &file.random), Int.random(in: 1...20, using: &file.random)]
            if seed.isMultiple(of: 7) { chunks = [1] }
            let result = decode(bytes, format: .csv, chunks: seed.isMultiple(of: 2) ? nil : chunks)
            let isRight =
                result.problem == nil && result.refusals.isEmpty && result.rows.count == file.rows.count
                && result.remarks.count == (file.isWindows1252 ? 1 : 0)
                && zip(result.rows, file.rows).allSatisfy { row, expected in
                    row.device == expected.device && row.fix.accuracy == expected.accuracy
                        && abs(row.fix.coordinate.latitude - expected.latitude) < 1e-12
                        && abs(row.fix.coordinate.longitude - expected.longitude) < 1e-12
                }
            if !isRight {
                Issue.record("seed \(seed):\n\(String(decoding: bytes, as: UTF8.self))\n\(file.rows)\n\(result)")
            }
            guard seed.isMultiple(of: 4) else { continue }
            guard let decoded = try? fences(bytes) else {
                Issue.record("seed \(seed): geofences of\n\(String(decoding: bytes, as: UTF8.self))")
                continue
            }
            let circles = file.rows.filter { Geofence.radii.contains($0.accuracy) }
            let isSame =
                decoded.entries.count == circles.count
                && zip(decoded.entries, circles).allSatisfy { entry, row in
                    guard case .circle(let circle) = entry.geofence.shape else { return false }
                    return circle.radius == row.accuracy && abs(circle.center.latitude - row.latitude) < 1e-12
                        && abs(circle.center.longitude - row.longitude) < 1e-12 && entry.geofence.name == row.device
                }
            if !isSame { Issue.record("seed \(seed): geofences of\n\(String(decoding: bytes, as: UTF8.self))\n\(decoded)") }
        }
    }

    private static let damaged: ClosedRange<UInt64> = 1_000_001...1_120_000

    @Test("Damaged files give the same result however they are cut, and only possible positions", arguments: Histories.parts)
    func damagedFiles(part: Int) {
        for seed in Histories.seeds(Self.damaged, part: part) {
            var file = RandomCSV(seed: seed)
            let bytes = Mutation.apply(to: file.make(), most: 3, &file.random)
            let whole = decode(bytes, format: .csv)
            let chunks = [Int.random(in: 1...30, using: &file.random), 1]
            if decode(bytes, format: .csv, chunks: chunks) != whole {
                Issue.record("seed \(seed), chunks \(chunks):\n\(String(decoding: bytes, as: UTF8.self))")
            }
            for row in whole.rows {
                let (place, accuracy) = (row.fix.coordinate, row.fix.accuracy ?? 0)
                if !(abs(place.latitude) <= 90 && abs(place.longitude) <= 180 && accuracy >= 0 && accuracy < .infinity) {
                    Issue.record("seed \(seed): \(row)")
                }
            }
            _ = try? fences(bytes)
        }
    }
}

/// A random CSV file, with the values that it stands for.
private struct RandomCSV {
    struct Row {
        var device: String
        var latitude: Double
        var longitude: Double
        var accuracy: Double
    }

    private enum Notation: CaseIterable {
        case signed, suffix, prefix, column, minutes, seconds, e7
    }

    var random: SeededRandom
    private(set) var rows: [Row] = []
    private(set) var isWindows1252 = false

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random)! }

    /// Digits with a fraction, from a number of units of its last place.
    private static func decimal(_ number: Int, places: Int, point: String) -> String {
        let digits = String(repeating: "0", count: max(0, places + 1 - String(number).count)) + String(number)
        return places == 0 ? digits : "\(digits.dropLast(places))\(point)\(digits.suffix(places))"
    }

    private static func grouped(_ whole: String, _ separator: String) -> String {
        var text = ""
        for (index, digit) in whole.reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text = separator + text }
            text = String(digit) + text
        }
        return text
    }

    mutating func make() -> [UInt8] {
        let separator = pick([",", ";", "\t", "|"])
        let point = pick([".", ","])
        let notation = pick(Notation.allCases)
        let groups = pick(["", point == "." ? "," : ".", " ", "'"])
        let unit = pick([
            ("", "", 1.0), (" m", "", 1), ("ft", "", 0.3048), (" km", "", 1000), ("", " (km)", 1000), ("", "_yd", 0.9144),
        ])
        let umlauts = pick([false, false, true])
        let quotesAll = pick([false, false, true])
        isWindows1252 = umlauts && Bool.random(using: &random)
        let e7 = notation == .e7 ? "E7" : ""
        var columns = ["device", "timestamp", "latitude\(e7)", "longitude\(e7)", "accuracy\(unit.1)", "name", "radius\(unit.1)"]
        if notation == .column { columns += ["N/S", "E/W"] }
        let order = Array(columns.indices).shuffled(using: &random)
        func quoted(_ cell: String) -> String {
            quotesAll || cell.contains(separator) || cell.contains("\"") ? "\"" + cell.replacing("\"", with: "\"\"") + "\"" : cell
        }
        func line(_ cells: [String]) -> String { order.map { quoted(cells[$0]) }.joined(separator: separator) }
        var text = Int.random(in: 0..<8, using: &random) == 0 ? "sep=\(separator)\n" : ""
        text += line(columns) + "\n"
        for index in 0..<Int.random(in: 1...3, using: &random) {
            let device = umlauts ? pick(["Jürgen", "Höfe", "Ñandú", "È"]) + "\(index)" : "van\(index)"
            let (latitude, latitudeText, north) = coordinate(notation, point, most: 90)
            let (longitude, longitudeText, east) = coordinate(notation, point, most: 180)
            // The first number shows the decimal sign, because its fraction has one or two digits.
            let places = rows.isEmpty ? Int.random(in: 1...2, using: &random) : Int.random(in: 0...4, using: &random)
            let size = Int.random(in: 1...(pick([9, 999, 99_999]) * 100), using: &random)
            let digits = Self.decimal(size, places: places, point: point)
            let whole = digits.prefix { $0 != "." && $0 != "," }
            let accuracy = Self.grouped(String(whole), groups) + digits.dropFirst(whole.count)
            // Whole digits beginning with 0 have no groups.
            let value = Double(Self.decimal(size, places: places, point: "."))! * unit.2
            let written = (whole.hasPrefix("0") ? digits : accuracy) + unit.0
            var cells = [device, "\(1_777_629_600 + index)", latitudeText, longitudeText, written, device, written]
            if notation == .column { cells += [north ? "N" : "S", east ? "E" : "W"] }
            text += line(cells) + (Bool.random(using: &random) ? "\r\n" : "\n")
            rows.append(Row(device: device, latitude: latitude, longitude: longitude, accuracy: value))
        }
        if isWindows1252 { return text.unicodeScalars.map { UInt8($0.value) } }
        return Array(text.utf8)
    }

    /// A coordinate, its text, and whether it is in the north or east.
    private mutating func coordinate(_ notation: Notation, _ point: String, most: Int) -> (Double, String, Bool) {
        let isPositive = Bool.random(using: &random)
        let sign = isPositive ? 1.0 : -1
        let letter = most == 90 ? (isPositive ? "N" : "S") : (isPositive ? "E" : "W")
        switch notation {
        case .signed, .suffix, .prefix, .column:
            let places = Int.random(in: 0...7, using: &random)
            let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
            let number = Int.random(in: 1..<(most * scale), using: &random)
            let text = Self.decimal(number, places: places, point: point)
            let value = Double(Self.decimal(number, places: places, point: "."))! * sign
            switch notation {
            case .signed: return (value, (isPositive ? "" : "-") + text, isPositive)
            case .suffix: return (value, text + pick(["", " ", "°", "° "]) + letter, isPositive)
            case .prefix: return (value, letter + pick(["", " "]) + text, isPositive)
            default: return (value, text, isPositive)
            }
        case .minutes:
            let (degrees, minutes) = (Int.random(in: 0..<most, using: &random), Int.random(in: 0..<60_000, using: &random))
            let text = pick(["\(degrees) ", "\(degrees)°", "\(degrees)° "]) + Self.decimal(minutes, places: 3, point: point)
            return (
                (Double(degrees) + Double(minutes) / 60_000) * sign,
                text + pick(isWindows1252 ? ["", "'"] : ["", "'", "′ "]) + letter, isPositive
            )
        case .seconds:
            let degrees = Int.random(in: 0..<most, using: &random)
            let (minutes, seconds) = (Int.random(in: 0..<60, using: &random), Int.random(in: 0..<600, using: &random))
            let text = "\(degrees)°\(minutes)'\(Self.decimal(seconds, places: 1, point: point))\""
            let value = (Double(degrees) + Double(minutes) / 60 + Double(seconds) / 36_000) * sign
            return (value, pick([text + letter, text + " " + letter, (isPositive ? "" : "-") + text]), isPositive)
        case .e7:
            let number = Int.random(in: 1..<(most * 10_000_000), using: &random)
            let overflow = most == 180 && Int.random(in: 0..<4, using: &random) == 0 ? 4_294_967_296 : 0
            return (Double(number) / 1e7 * sign, "\(Int(sign) * number + (isPositive ? -overflow : overflow))", isPositive)
        }
    }
}
