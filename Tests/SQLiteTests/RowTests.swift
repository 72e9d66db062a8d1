import TestSupport
import Testing

@testable import SQLite

@Suite("Rows")
struct RowTests {
    private let connection: Connection

    init() throws {
        connection = try Connection(path: ":memory:", access: .write)
        try connection.execute(
            "CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT, latitude REAL, longitude REAL, open INTEGER)")
    }

    private struct Point: Row, Equatable {
        static let columns = "latitude, longitude"

        var latitude, longitude: Double

        init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }

        init(_ row: inout ColumnReader) {
            latitude = row.next()
            longitude = row.next()
        }
    }

    private struct Place: Row, Equatable {
        static let columns = "id, name, \(Point.columns), open"

        var id: Int64
        var name: String?
        var point: Point?
        var isOpen: Bool

        init(id: Int64, name: String?, point: Point?, isOpen: Bool) {
            (self.id, self.name, self.point, self.isOpen) = (id, name, point, isOpen)
        }

        init(_ row: inout ColumnReader) {
            id = row.next()
            name = row.next()
            point = row.nextUnlessNull()
            isOpen = row.next()
        }
    }

    private func insert(_ place: Place) throws {
        let insert = try connection.statement("INSERT INTO place VALUES (?,?,?,?,?)")
        insert.bind(1, place.id)
        insert.bind(2, place.name)
        insert.bind(3, place.point?.latitude)
        insert.bind(4, place.point?.longitude)
        insert.bind(5, place.isOpen)
        try insert.run()
    }

    private func places() throws -> Statement {
        try connection.statement("SELECT \(Place.columns) FROM place WHERE id >= ? ORDER BY id")
    }

    @Test("Rows have the values that were bound", arguments: 0..<20 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let numbers: [Double] = [0, -0.0, 1e-300, .greatestFiniteMagnitude, -52.5, .infinity]
        let texts = ["", "a", "ä\u{1F30D}", "a\0b", String(repeating: "long ", count: 1000), "NULL", "'"]
        var expected: [Place] = []
        for id in [Int64.min, -1, 0, 1, 1 << 40, .max] {
            let point = try Point(
                latitude: #require(numbers.randomElement(using: &random)), longitude: .random(in: -180...180, using: &random))
            expected.append(
                Place(
                    id: id, name: Bool.random(using: &random) ? texts.randomElement(using: &random) : nil,
                    point: Bool.random(using: &random) ? point : nil, isOpen: .random(using: &random)))
        }
        for place in expected.shuffled(using: &random) { try insert(place) }
        let statement = try places()
        statement.bind(1, Int64.min)
        #expect(try statement.all(Place.self) == expected, "seed \(seed)")
        var found: [Place] = []
        let first = try #require(expected.randomElement(using: &random))
        statement.bind(1, first.id)
        while let place = try statement.next(Place.self) { found.append(place) }
        #expect(found == expected.filter { $0.id >= first.id }, "seed \(seed)")
    }

    @Test("NULL is read as nil into an optional, else as zero or empty")
    func null() throws {
        let row = try connection.statement("SELECT NULL, NULL, NULL, NULL, NULL")
        let (a, b, c, d, e) = try #require(try row.first(Int64?.self, Int?.self, Double?.self, String?.self, Bool?.self))
        #expect(a == nil && b == nil && c == nil && d == nil && e == nil)
        let (f, g, h, i, j) = try #require(try row.first(Int64.self, Int.self, Double.self, String.self, Bool.self))
        #expect(f == 0 && g == 0 && h == 0 && i == "" && !j)
    }

    @Test("All columns of a missing part are skipped")
    func missingPart() throws {
        let place = Place(id: 1, name: "x", point: nil, isOpen: true)
        try insert(place)
        #expect(try connection.statement("SELECT \(Place.columns) FROM place").first(Place.self) == place)
    }

    @Test("Columns are read as a tuple, and a single column as its value")
    func tuples() throws {
        try insert(Place(id: 1, name: "a", point: nil, isOpen: true))
        try insert(Place(id: 2, name: nil, point: nil, isOpen: false))
        let row = try connection.statement("SELECT id, name FROM place ORDER BY id")
        var found: [String] = []
        while let (id, name) = try row.next(Int.self, String?.self) { found.append("\(id) \(name ?? "-")") }
        #expect(found == ["1 a", "2 -"])
        #expect(try connection.statement("SELECT name FROM place ORDER BY id").values(String?.self) == ["a", nil])
        #expect(try connection.value(of: "SELECT count(*) FROM place", as: Int.self) == 2)
        #expect(try connection.value(of: "SELECT max(latitude) FROM place", as: Double.self) == nil)
        #expect(try connection.value(of: "SELECT id FROM place WHERE false", as: Int.self) == nil)
    }

    @Test("After a single row was read, values can be bound again")
    func ready() throws {
        for id in 1...3 { try insert(Place(id: Int64(id), name: "\(id)", point: nil, isOpen: true)) }
        let row = try connection.statement("SELECT name FROM place WHERE id >= ? ORDER BY id")
        for id in 1...3 {
            row.bind(1, id)
            #expect(try row.value(String.self) == "\(id)")
            row.bind(1, id)
            #expect(try row.hasRow())
            row.bind(1, id)
            let name: String? = try row.first(String.self)
            #expect(name == "\(id)")
            row.bind(1, id)
            #expect(try row.values(String.self).count == 4 - id)
        }
        row.bind(1, 4)
        #expect(try !row.hasRow())
    }

    @Test("Each column name gets the prefix")
    func prefix() {
        #expect(Point.columns(after: "p.") == "p.latitude, p.longitude")
        #expect(Point.columns(after: "suspect_") == "suspect_latitude, suspect_longitude")
    }
}
