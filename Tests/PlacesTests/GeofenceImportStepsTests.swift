import Geodesy
import Model
import ServiceTestSupport
import Store
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence

@Suite("Imports of geofences in steps")
struct GeofenceImportStepsTests {
    private let directory: TemporaryDirectory
    private let clock = TestClock()

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ name: String) throws -> ServiceWriter {
        try ServiceWriter(DataDirectory(path: "\(directory.path)/\(name)"), purpose: "test", clock: clock)
    }

    /// A service with a hundred geofences, and a device in the sixth of them.
    private func prepared(_ name: String) throws -> ServiceWriter {
        let service = try open(name)
        _ = try GeofenceFile.importing(plan(100, radius: 50, service), into: service)
        var batch = FixBatch()
        let fix = Fix(time: clock.now(), coordinate: Coordinate(latitude: 5, longitude: 5))
        batch.rows = [.init(fix: fix, device: batch.number(ofDevice: "d"), line: 1)]
        _ = try service.accept(batch)
        return service
    }

    private func plan(_ count: Int, radius: Int, _ queries: Queries) throws -> GeofenceImportPlan {
        var text = "id,name,latitude,longitude,radius\n"
        for number in 0..<count { text += "place-\(number),Place \(number),\(number % 90),\(number % 180),\(radius)\n" }
        return try plan(text, queries)
    }

    private func plan(_ text: String, _ queries: Queries) throws -> GeofenceImportPlan {
        try GeofenceImportPlan(GeofenceFile.decode(Array(text.utf8), source: "x"), source: "x", into: queries, .init())
    }

    private func stored(_ service: Queries) throws -> [Geofence] {
        var found: [Geofence] = []
        try service.forEachGeofence { found.append($0) }
        return found
    }

    private func finish(_ steps: GeofenceImportSteps, _ service: ServiceWriter) throws {
        while try !steps.proceed(service) {}
    }

    @Test("Each step saves few geofences, and all steps save the same as one transaction")
    func bounded() throws {
        let (service, other) = (try prepared("steps"), try prepared("whole"))
        let steps = GeofenceImportSteps(try plan(1000, radius: 60, service))
        var count = 0
        var isLast = false
        while !isLast {
            let before = Set(try stored(service))
            isLast = try steps.proceed(service)
            count += 1
            #expect(Set(try stored(service)).subtracting(before).count <= 64)
        }
        #expect(count <= 1000 / 250 + (1000 + 63) / 64)
        let whole = try GeofenceFile.importing(plan(1000, radius: 60, other), into: other)
        let imported = steps.imported
        #expect(try stored(service) == stored(other) && stored(service).count == 1000)
        #expect(imported.count == whole.count && imported.replaced == 100 && whole.replaced == 100)
        #expect(imported.refusals == whole.refusals && imported.notes == whole.notes)
        #expect(imported.events.map(\.type) == whole.events.map(\.type))
        #expect(try service.checkStore().isSound)
        // The same again changes nothing.
        let again = GeofenceImportSteps(try plan(1000, radius: 60, service))
        try finish(again, service)
        #expect(again.imported.unchanged == 1000)
    }

    @Test("A stop between two steps leaves all of an import or nothing")
    func stopped() throws {
        var (nothing, all) = (0, 0)
        for count in 0...7 {
            var service: ServiceWriter? = try prepared("stop-\(count)")
            let before = try stored(#require(service))
            let steps = GeofenceImportSteps(try plan(300, radius: 60, #require(service)))
            for _ in 0..<count { if try steps.proceed(#require(service)) { break } }
            service = nil
            let reopened = try open("stop-\(count)")
            let found = try stored(reopened)
            if found == before {
                nothing += 1
            } else {
                all += 1
                #expect(found.count == 300)
                #expect(found.allSatisfy { if case .circle(let circle) = $0.shape { circle.radius == 60 } else { false } })
            }
            #expect(try !reopened.store.hasStagedGeofences())
            #expect(try reopened.checkStore().isSound)
        }
        // The first two steps stage the import.
        #expect(nothing == 2 && all == 6)
    }

    @Test("The next import completes one that failed")
    func failed() throws {
        let service = try prepared("failed")
        let fault = try StoreFault(service)
        let steps = GeofenceImportSteps(try plan(300, radius: 60, service))
        for _ in 0..<2 { #expect(try !steps.proceed(service)) }
        try fault.arm(after: 70)
        #expect(throws: Problem.self) { try finish(steps, service) }
        try fault.disarm()
        try service.completeImport()
        let next = GeofenceImportSteps(try plan("id,name,latitude,longitude,radius\nlast,Last,1,2,3\n", service))
        try finish(next, service)
        let found = try stored(service)
        #expect(found.count == 301 && found.filter { $0.id != "last" }.allSatisfy { $0.shape.boundingBox.north > 0 })
        #expect(found.count { if case .circle(let circle) = $0.shape { circle.radius == 60 } else { false } } == 300)
        #expect(try service.checkStore().isSound)
    }

    @Test("A geofence whose id another client has used since is refused, if its id was made from its name")
    func interleaved() throws {
        let service = try open("interleaved")
        let derived = GeofenceImportSteps(try plan("name,latitude,longitude,radius\nDepot,1,2,100\nYard,3,4,100\n", service))
        let given = GeofenceImportSteps(
            try plan("id,name,latitude,longitude,radius\ndepot,Depot,1,2,100\n", service))
        let other = Geofence(
            id: "depot", name: "Depot", shape: .circle(Circle(center: Coordinate(latitude: 7, longitude: 8), radius: 9)))
        try service.apply([.save(other)])
        try finish(derived, service)
        #expect(derived.imported.count == 1 && derived.imported.refusals.map(\.value) == ["depot"])
        #expect(derived.imported.refusals.first?.line == 2)
        #expect(try service.knownGeofence(id: "depot") == other && service.knownGeofence(id: "yard") != nil)
        try finish(given, service)
        #expect(given.imported.refusals.isEmpty)
        #expect(try service.knownGeofence(id: "depot")?.shape != other.shape)
    }

    @Test("Of a file with nothing but refused geofences, the first are named, and all are counted")
    func refused() throws {
        let service = try open("refused")
        for text in [
            #"{"type":"FeatureCollection","features":["# + Array(repeating: "{}", count: 2000).joined(separator: ",") + "]}",
            "id,name,latitude,longitude,radius\n" + String(repeating: "x,,\n", count: 2000),
            "<kml>" + String(repeating: "<Placemark/>", count: 2000) + "</kml>",
            // Refused because of the outline.
            #"{"type":"FeatureCollection","features":["#
                + Array(
                    repeating:
                        #"{"type":"Feature","properties":{"name":"x"},"geometry":{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}}"#,
                    count: 2000
                ).joined(separator: ",") + "]}",
        ] {
            let imported = try GeofenceFile.importing(plan(text, service), into: service)
            #expect(imported.refusals.count == 100 && imported.refusals.total == 2000 && imported.count == 0)
            let json = imported.json(in: .english)
            #expect(json["refused"]?.array?.count == 100 && json["refusedCount"]?.double == 2000)
            #expect(try GeofenceFile.Imported.shape.decode(json).refusals.total == 2000)
        }
    }
}
