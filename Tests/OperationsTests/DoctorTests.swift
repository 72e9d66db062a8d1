import Foundation
import Geodesy
import Ingest
import Model
import SQLite
import ServiceTestSupport
import Settings
import TestSupport
import Testing

@testable import Core
@testable import Operations
@testable import Places
@testable import Presence
@testable import Registrations
@testable import Store

@Suite("Doctor")
struct DoctorTests {
    private let bench: Workbench
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)
    private let now = Instant("2026-11-20T12:00:00Z")!
    private static let sound = MachineFacts(freeBytes: 1 << 40, isClockSynchronized: true)

    init() throws { bench = try Workbench() }

    private func doctor(_ flags: [String: String] = [:], machine: MachineFacts = sound) -> Doctor {
        let settings = Result { () throws(Problem) in
            try Settings(flags: flags, environment: [:], dataDirectory: bench.data.path, systemFile: "/none")
        }
        return Doctor(of: bench.data, settings: settings, machine: machine, at: bench.clock.now()) { _ in [] }
    }

    /// The findings of a doctor, without the missing backup.
    private func findings(_ flags: [String: String] = [:], machine: MachineFacts = sound) throws -> [DoctorFinding] {
        var doctor = doctor(flags, machine: machine)
        doctor.examine(Result { () throws(Problem) in try ServiceReader(bench.data, clock: bench.clock) })
        return doctor.findings.filter { $0 != .noBackup }
    }

    private func report(_ device: String, at time: Instant? = nil, _ place: Coordinate? = nil) throws {
        var batch = FixBatch()
        let number = batch.number(ofDevice: device)
        batch.rows.append(.init(fix: Fix(time: time ?? now, coordinate: place ?? home), device: number, line: 1))
        _ = try bench.service.accept(batch)
    }

    /// Sends a message of the OwnTracks app of jane/phone.
    private func send(_ json: String) throws {
        var batch = FixBatch()
        let sender = OwnTracksSender(user: "jane", device: "phone")
        let messages = Array(json.utf8).withUnsafeBufferPointer { batch.addOwnTracks($0, of: sender, field: "body") }
        _ = try bench.service.accept(batch, messages)
    }

    private func location(mode: Int) -> String {
        #"{"_type":"location","lat":52.5,"lon":13.4,"acc":5,"tst":\#(now.milliseconds / 1000),"m":\#(mode)}"#
    }

    private func fence(_ id: String, latitude: Double, isActive: Bool = true) -> Geofence {
        Geofence(
            id: id, name: id, shape: .circle(Circle(center: Coordinate(latitude: latitude, longitude: 13.4), radius: 100)),
            isActive: isActive)
    }

    private func write(_ text: String, to name: String, age days: Double = 0, mode: Int = 0o600) throws {
        try write(text, to: name, in: bench.data.path, age: days, mode: mode)
    }

    private func write(_ text: String, to name: String, in folder: String, age days: Double, mode: Int = 0o600) throws {
        let path = folder + "/" + name
        let written = Date(timeIntervalSince1970: Double(now.milliseconds) / 1000 - days * 86_400)
        #expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
        try FileManager.default.setAttributes([.posixPermissions: mode, .modificationDate: written], ofItemAtPath: path)
    }

    // MARK: - No finding

    @Test("A sound installation has no finding but the missing backup, and the doctor changes nothing")
    func sound() throws {
        try bench.add([fence("home", latitude: 52.5)])
        try report("anna")
        func files() throws -> [String: Data] {
            var files: [String: Data] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: bench.data.path) where !name.hasSuffix("-shm") {
                files[name] = FileManager.default.contents(atPath: bench.data.path + "/" + name)
            }
            return files
        }
        let before = try files()
        #expect(try findings() == [])
        #expect(try files() == before)
        var doctor = doctor()
        doctor.examine(.success(try ServiceReader(bench.data, clock: bench.clock)))
        #expect(doctor.findings == [.noBackup])
    }

    // MARK: - Settings

    @Test("Settings that cannot be used are a finding, and the store is checked nevertheless")
    func invalidSettings() throws {
        try bench.service.save(Device(id: "anna"))
        let found = try findings(["listen": "nowhere"])
        #expect(found.map(\.code) == ["validationFailed", "neverReported"])
        #expect(found.first?.area == .settings && found.first?.severity == .error)
    }

    @Test(
        "Settings that contradict each other or expose secrets are findings",
        arguments: [
            (["listen": "0.0.0.0:7575"], ["insecureTransport"]),
            (["listen": "0.0.0.0:7575", "public-url": "https://picket.example"], ["plainHTTPBesideProxy"]),
            (["listen": "127.0.0.1:7575", "public-url": "https://picket.example"], []),
            (["mqtt": "mqtt://u:p@broker.example"], ["brokerWithoutTLS"]), (["mqtt": "mqtts://u:p@broker.example"], []),
            (["mqtt": "mqtt://u:p@127.0.0.1"], []), (["mqtt": "mqtt://broker.example"], []),
        ] as [([String: String], [String])])
    func settings(_ flags: [String: String], _ codes: [String]) throws {
        _ = try bench.service.createToken(name: "me", role: .admin, lifetime: nil)
        #expect(try findings(flags).map(\.code) == codes)
    }

    @Test("A public address is a finding as long as no token was made")
    func withoutToken() throws {
        let flags = ["public-url": "https://picket.example"]
        let found = try findings(flags)
        #expect(found.map(\.code) == ["validationFailed"] && found.first?.severity == .error)
        _ = try bench.service.createToken(name: "me", role: .admin, lifetime: nil)
        #expect(try findings(flags) == [])
    }

    @Test("An interval of 0 is a finding when a device is to be repaired automatically")
    func autoRepair() throws {
        try report("anna")
        #expect(try findings(["auto-repair-interval": "0"]) == [])
        try bench.service.save(Device(id: "anna", platform: .ios, registry: .simulated, autoRepair: true))
        #expect(try findings() == [])
        #expect(try findings(["auto-repair-interval": "0"]) == [.autoRepairNever(devices: 1)])
    }

    // MARK: - Machine

    @Test("A clock behind the newest time of the store is a finding, and one that no server synchronizes")
    func clock() throws {
        _ = try bench.service.createToken(name: "me", role: .admin, lifetime: nil)
        bench.clock.set(now + -4)
        #expect(try findings() == [])
        bench.clock.set(now + -3600)
        #expect(try findings() == [.clockBehindStore(newest: now, seconds: 3600)])
        bench.clock.set(now)
        #expect(try findings(machine: MachineFacts(freeBytes: 1 << 40, isClockSynchronized: false)) == [.clockNotSynchronized])
        #expect(try findings(machine: MachineFacts(freeBytes: nil, isClockSynchronized: nil)) == [])
    }

    @Test("Root can use the blocks that are reserved for it, and a file system without a size reports no free space")
    func freeBytes() {
        var status = statvfs()
        #expect(DataDirectory.freeBytes(status, isRoot: false) == nil)
        (status.f_blocks, status.f_frsize, status.f_bfree, status.f_bavail) = (1000, 4096, 50, 0)
        #expect(DataDirectory.freeBytes(status, isRoot: false) == 0)
        #expect(DataDirectory.freeBytes(status, isRoot: true) == 50 * 4096)
        status.f_bfree = .max
        #expect(DataDirectory.freeBytes(status, isRoot: true) == .max)
    }

    @Test("Little room on the disk is a finding, measured by the growth of the store")
    func room() throws {
        func free(_ bytes: Int, _ flags: [String: String] = [:]) throws -> [DoctorFinding] {
            try findings(flags, machine: MachineFacts(freeBytes: bytes, isClockSynchronized: true))
        }
        #expect(try free(64 << 20) == [])
        let little = try free((64 << 20) - 1)
        #expect(little == [.littleRoom(free: (64 << 20) - 1, perDay: 0)] && little.first?.severity == .error)
        // As long as a store is small, 100 bytes are assumed for a position.
        var batch = FixBatch()
        let number = batch.number(ofDevice: "anna")
        for index in 0..<25_000 {
            batch.rows.append(.init(fix: Fix(time: now + Double(index - 24_999), coordinate: home), device: number, line: index))
        }
        _ = try bench.service.accept(batch)
        let found = try free(70_000_000)
        #expect(found == [.littleRoom(free: 70_000_000, perDay: 2_500_000)] && found.first?.severity == .warning)
        #expect(try free(80_000_000) == [])
        #expect(try free(70_000_000, ["keep-positions": "1h"]) == [], "as much is removed as comes")
    }

    @Test("Files that others can use, that belong to others, or that killed commands left are findings")
    func files() throws {
        try write("", to: "before-restore-20260501T100000Z.backup", mode: 0o644)
        #expect(try findings() == [.openToOthers(files: ["before-restore-20260501T100000Z.backup"])])
        try write("", to: "before-restore-20260501T100000Z.backup")
        #expect(try findings() == [])
        try write("", to: ".all.backup.812.picket.partial")
        #expect(try findings() == [.leftOvers(files: [".all.backup.812.picket.partial"])])
        try FileManager.default.removeItem(atPath: bench.data.path + "/.all.backup.812.picket.partial")
        guard geteuid() == 0 else { return print("Skipped: files of another owner, because only root can make them.") }
        chown(bench.data.path + "/before-restore-20260501T100000Z.backup", 12_345, 12_345)
        #expect(try findings() == [.foreignOwner(files: ["before-restore-20260501T100000Z.backup"])])
    }

    // MARK: - Store

    @Test("Old copies and old backups are findings, and new ones are not")
    func copies() throws {
        try write("x", to: "before-restore-20260502T100000Z.sqlite", age: 29)
        #expect(try findings() == [])
        try write("x", to: "before-restore-20260502T100000Z.sqlite", age: 31)
        #expect(try findings() == [.oldCopies(files: ["before-restore-20260502T100000Z.sqlite"], bytes: 1)])
        let folder = bench.directory.path
        let header = "SQLite format 3\0"
        #expect(doctor().checkBackups(in: folder) == .noBackup)
        try write("no database", to: "a.backup", in: folder, age: 1)
        #expect(doctor().checkBackups(in: folder) == .noBackup)
        try write(header, to: "b.backup", in: folder, age: 9)
        #expect(doctor().checkBackups(in: folder) == .oldBackup(file: "b.backup", days: 9))
        try write(header, to: "c.backup", in: folder, age: 2)
        #expect(doctor().checkBackups(in: folder) == nil)
    }

    @Test("A scheduled backup that is older than twice the interval is a finding, also if another backup is recent")
    func scheduledBackups() throws {
        let folder = bench.directory.path + "/nas"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try write("SQLite format 3\0", to: "mine.backup")
        let flags = ["backup-to": folder, "backup-every": "12h"]
        #expect(try findings(flags) == [.lateBackup(folder: folder, newest: nil, interval: 43_200)])
        try write("SQLite format 3\0", to: "mine.backup", in: folder, age: 0)
        try write("", to: "picket-2026-11-19T110000Z.backup", in: folder, age: 0)
        let time = Instant("2026-11-19T11:00:00Z")!
        #expect(try findings(flags) == [.lateBackup(folder: folder, newest: time, interval: 43_200)])
        #expect(try findings(flags).first?.severity == .warning)
        try write("", to: "picket-2026-11-19T130000Z.backup", in: folder, age: 9)
        #expect(try findings(flags) == [])
    }

    @Test("Copies from before the erasure of a device are a finding, and newer ones are not")
    func copiesOfErased() throws {
        try report("anna")
        try write("SQLite format 3\0", to: "mine.backup", age: 2)
        try write("x", to: "before-restore-20260502T100000Z.sqlite", age: 1)
        bench.clock.set(now + -1.5 * 86_400)
        _ = try bench.service.eraseDevice(id: "anna")
        bench.clock.set(now + 1.5 * 86_400)
        #expect(try findings() == [.copiesBeforeErasure(files: ["mine.backup"])])
    }

    @Test("A missing store is a remark, and a damaged one an error")
    func damage() throws {
        let folder = try TemporaryDirectory()
        let data = DataDirectory(path: folder.path + "/data")
        func examine() -> [DoctorFinding] {
            let settings = Result { () throws(Problem) in
                try Settings(flags: [:], environment: [:], dataDirectory: data.path, systemFile: "/none")
            }
            var doctor = Doctor(of: data, settings: settings, machine: Self.sound, at: now) { _ in [] }
            doctor.examine(Result { () throws(Problem) in try ServiceReader(data) })
            return doctor.findings.filter { $0 != .noBackup }
        }
        #expect(examine() == [.noStore(path: data.path)] && examine().first?.severity == .info)
        _ = try ServiceWriter(data, purpose: "test")
        #expect(examine() == [])
        var bytes = try Data(contentsOf: URL(filePath: data.storePath))
        for place in stride(from: 4096, to: bytes.count, by: 4096) { bytes[place] = 0xFF }
        try bytes.write(to: URL(filePath: data.storePath))
        #expect(examine().contains { $0.code == "storeCorrupt" && $0.severity == .critical })
    }

    @Test("A store from before the first release is a problem, and stays as it is")
    func beforeFirstRelease() throws {
        let folder = try TemporaryDirectory()
        let data = DataDirectory(path: folder.path + "/data")
        _ = try ServiceWriter(data, purpose: "test")
        try PicketStore(writing: data.storePath).connection.execute("PRAGMA application_id = 0; PRAGMA user_version = 31")
        let settings = Result { () throws(Problem) in
            try Settings(flags: [:], environment: [:], dataDirectory: data.path, systemFile: "/none")
        }
        var doctor = Doctor(of: data, settings: settings, machine: Self.sound, at: now) { _ in [] }
        doctor.examine(Result { () throws(Problem) in try ServiceReader(data) })
        #expect(doctor.findings.map(\.code) == ["migrationFailed"])
        #expect(try Connection(path: data.storePath, access: .read).schemaVersion() == 31)
    }

    // MARK: - Journal and devices

    @Test("A problem of the journal is a finding until it is dismissed or resolved")
    func problems() throws {
        let problem = Problem.sinkUnreachable(sink: "ntfy", details: "")
        try bench.service.record(problem, source: "sink/ntfy")
        #expect(try findings() == [.problem(problem, .problems, source: "sink/ntfy")])
        try bench.service.resolve(source: "sink/ntfy")
        #expect(try findings() == [])
    }

    @Test("A device without a position is a finding, unless its token is new")
    func neverReported() throws {
        try bench.service.save(Device(id: "anna"))
        #expect(try findings() == [.neverReported(device: "anna")])
        _ = try bench.service.createToken(name: "anna", role: .ingest, scope: DeviceScope(devices: ["anna"]))
        #expect(try findings() == [])
        bench.clock.set(now + 90_000)
        #expect(try findings() == [.neverReported(device: "anna")])
        try report("anna", at: now + 90_000)
        #expect(try findings() == [])
    }

    @Test("A silent device is a finding, even when no service has noticed")
    func silent() throws {
        try report("anna")
        bench.clock.set(now + 6 * 3600)
        #expect(try findings() == [])
        bench.clock.set(now + (6 * 3600 + 1))
        #expect(try findings() == [.silent(device: "anna", since: now)])
    }

    @Test("A device whose clock is ahead is a finding")
    func clockAhead() throws {
        try report("anna", at: now + 60)
        #expect(try findings() == [])
        try report("anna", at: now + 300)
        #expect(try findings() == [.clockAhead(device: "anna", seconds: 300)])
    }

    @Test("Refused input is one finding of its device for a week")
    func refused() throws {
        try report("jane/phone")
        var inputs = RefusedInputs()
        inputs.add(
            [Refusal(.malformed, device: "jane/phone", field: "lat", value: "north", reason: .notANumber)], sender: nil)
        try bench.service.transaction { (transaction: borrowing Transaction) throws(Problem) in
            try bench.service.record(inputs, at: now, in: transaction)
        }
        let found = try findings()
        #expect(found.map(\.code) == ["refusedInput"] && found.first?.deviceId == "jane/phone")
        // The problem of the journal says the same.
        #expect(try bench.service.problems(of: "jane/phone").count == 1)
        bench.clock.set(now + 8 * 86_400)
        try bench.service.resolve(source: "intake/jane/phone")
        try report("jane/phone", at: bench.clock.now())
        #expect(try findings() == [])
    }

    // MARK: - Phones

    @Test(
        "OwnTracks modes that send nothing are findings",
        arguments: [(-1, OwnTracksMode.quiet), (0, .manual), (1, nil), (2, nil)])
    func mode(_ number: Int, _ mode: OwnTracksMode?) throws {
        try send(location(mode: number))
        #expect(try findings() == (mode.map { [.monitoringMode(device: "jane/phone", $0)] } ?? []))
    }

    @Test("The status message of an OwnTracks app shows settings that lose reports")
    func status() throws {
        try send(location(mode: 1))
        try send(#"{"_type":"status","android":{"hib":0,"bo":1,"loc":-3,"ps":0,"wifi":1}}"#)
        #expect(
            try findings() == [
                .phoneSetting(device: "jane/phone", platform: .android, .authorization(.whenInUse)),
                .phoneSetting(device: "jane/phone", platform: .android, .imprecise),
                .phoneSetting(device: "jane/phone", platform: .android, .batteryOptimized),
            ])
        bench.clock.set(now + 1)
        try send(#"{"_type":"status","android":{"hib":0,"bo":0,"loc":0,"ps":0,"wifi":1}}"#)
        #expect(try findings() == [])
    }

    @Test("The report of an app shows settings that lose reports, and is a finding when it is too old")
    func appReport() throws {
        try report("anna")
        try bench.service.save(Device(id: "anna", platform: .ios, registry: .app))
        func reportState(_ authorization: String, precise: Bool) throws {
            _ = try bench.service.storeReport(
                ["authorizationStatus": .string(authorization), "preciseLocation": .bool(precise), "regions": []], of: "anna")
        }
        try reportState("always", precise: true)
        #expect(try findings() == [])
        bench.clock.set(now + 1)
        try reportState("denied", precise: false)
        let found = try findings()
        #expect(
            found == [
                .phoneSetting(device: "anna", platform: .ios, .authorization(.denied)),
                .phoneSetting(device: "anna", platform: .ios, .imprecise),
            ])
        #expect(found.map(\.severity) == [.error, .warning])
        bench.clock.set(now + 90_000)
        try report("anna", at: bench.clock.now())
        #expect(try findings().map(\.code) == ["registryStale"])
    }

    // MARK: - Geofences

    @Test("A geofence that no device has met is a finding, unless it is new or inactive")
    func neverMet() throws {
        let start = now + -8 * 86_400
        bench.clock.set(start)
        try bench.add([
            fence("home", latitude: 52.5), fence("near", latitude: 52.508), fence("far", latitude: 52.6),
            fence("off", latitude: 52.7, isActive: false),
        ])
        try report("anna", at: start + 60)
        bench.clock.set(start + 6 * 86_400)
        try report("anna", at: bench.clock.now())
        #expect(try findings() == [], "all are new")
        bench.clock.set(now)
        try bench.add([fence("new", latitude: 52.8)])
        try report("anna")
        // The boundary of 'near' is about 790 meters from the positions.
        #expect(try findings() == [.neverMet(geofence: "far", name: "far")])
        try report("ben", at: now, Coordinate(latitude: 52.6, longitude: 13.4))
        #expect(try findings() == [])
    }

    @Test("Positions are near a geofence across the antimeridian, and one of a state's size counts as met")
    func places() {
        var places = UnmetPlaces([
            BoundingBox(south: -17, north: -16.9, west: 179.95, east: 180.05),
            BoundingBox(south: 50, north: 51, west: 10, east: 11), BoundingBox(south: 40, north: 60, west: 0, east: 20),
        ])
        #expect(places.unmet == [0, 1])
        places.meet(Coordinate(latitude: -16.95, longitude: -179.96))
        #expect(places.unmet == [1])
        places.meet(Coordinate(latitude: 49.99, longitude: 10.5))
        #expect(places.unmet == [1], "1.1 km south of it")
        places.meet(Coordinate(latitude: 49.992, longitude: 10.5))
        #expect(places.isEmpty)
    }
}
