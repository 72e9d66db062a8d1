import Foundation
import Geodesy
import Model
import Operations
import Reconciler
import SQLite
import ServiceTestSupport
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence
@testable import Registrations
@testable import Service
@testable import Store

@Suite("Erasure of devices")
struct DeviceErasureTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    private let id = "erika-mustermann-phone"

    /// Positions that no other device has.
    private func places(_ count: Int) -> [Coordinate] {
        var random = SeededRandom(seed: 77)
        return (0..<count).map { _ in
            Coordinate(latitude: .random(in: 47...48, using: &random), longitude: .random(in: 7...8, using: &random))
        }
    }

    /// Stores something of every kind about the device, and data of other devices.
    private func live() throws {
        var history = LivedHistory(seed: 4)
        try bench.service.save(Device(id: id, groups: ["family"], platform: .ios, registry: .simulated))
        let around = Geofence(
            id: "black-forest", name: "Black Forest",
            shape: .circle(Circle(center: Coordinate(latitude: 47.5, longitude: 7.5), radius: 30_000)), devices: [id, "device-1"])
        var own = around
        own.id = "own"
        own.devices = [id]
        try bench.service.apply([.save(around), .save(own)])
        own.name = "Second version"
        try bench.service.apply([.save(own)])
        for (number, place) in places(300).enumerated() {
            var batch = FixBatch()
            batch.rows.append(
                .init(
                    fix: Fix(time: history.time + Double(number) * 60, coordinate: place, accuracy: 12),
                    device: batch.number(ofDevice: id), line: 0))
            _ = try bench.service.accept(batch, policy: .exact)
            if number % 3 == 0 { try history.step(bench.service) }
        }
        let device = try bench.service.storedDevice(id: id)
        try bench.service.store.save(RegistryJournal(), of: device.key, in: Transaction())
        _ = try bench.service.repairPlan(for: device.device)
        try bench.service.record(bench.service.health(of: device.device).status)
        try bench.service.store.append(
            bench.service.repairPlan(for: device.device), of: device.key, at: history.time, in: Transaction())
        try bench.service.store.transaction { (transaction: borrowing Transaction) throws(Problem) in
            try bench.service.store.attempt { () throws(SQLiteError) in
                try bench.service.store.connection.execute(
                    """
                    INSERT INTO evidence (device, at, received_at, body)
                    VALUES (\(device.key.value), 1, 2, '{"_type":"transition","tid":"\(id)"}');
                    INSERT INTO token (id, name, role, device, hash, made_at)
                    VALUES ('t', 'for \(id)', 'ingest', '\(id)', 'hash', 1)
                    """)
            }
        }
    }

    /// The bytes of all files in the directory.
    private func bytes() throws -> [Data] {
        try FileManager.default.contentsOfDirectory(atPath: bench.data.path).map {
            try Data(contentsOf: URL(filePath: bench.data.path + "/" + $0))
        }
    }

    /// The number of patterns that occur in any file.
    private func traces(_ patterns: [Data]) throws -> Int {
        let files = try bytes()
        return patterns.count { pattern in files.contains { occurs(pattern, in: $0) } }
    }

    /// Whether the file contains the pattern. The search is for the last byte first, because the last bytes of numbers vary the most.
    private func occurs(_ pattern: Data, in file: Data) -> Bool {
        file.withUnsafeBytes { bytes in
            pattern.withUnsafeBytes { wanted in
                guard let start = bytes.baseAddress, let first = wanted.baseAddress, let last = wanted.last else { return false }
                var offset = wanted.count - 1
                while offset < bytes.count, let hit = memchr(start + offset, Int32(last), bytes.count - offset) {
                    let end = UnsafeRawPointer(hit) - start
                    if memcmp(start + (end - wanted.count + 1), first, wanted.count) == 0 { return true }
                    offset = end + 1
                }
                return false
            }
        }
    }

    /// Writes the device's name into the free space of a page of the store, as another program can leave it there.
    private func leaveRemains() throws {
        #expect(try bench.service.emptyLog())
        // A page of the schema, which an erasure does not change.
        let page = try bench.service.store.count(
            "SELECT max(pageno) FROM dbstat WHERE name = 'sqlite_schema' AND pagetype = 'leaf' AND pageno > 1 AND unused > 200")
        let file = try FileHandle(forUpdating: URL(filePath: bench.data.storePath))
        let start = UInt64(page - 1) * 4096
        try file.seek(toOffset: start)
        let header = try #require(try file.read(upToCount: 8))
        try file.seek(toOffset: start + 10 + 2 * (UInt64(header[3]) << 8 | UInt64(header[4])))
        try file.write(contentsOf: Data(id.utf8))
        // A page without a checksum is not compared.
        try file.seek(toOffset: start + 4088)
        try file.write(contentsOf: Data(count: 8))
        #expect(try bench.service.mayHaveRemains())
    }

    private func big(_ value: Double) -> Data { withUnsafeBytes(of: value.bitPattern.bigEndian) { Data($0) } }

    @Test("After an erasure, no file contains the device's name or positions", arguments: [true, false])
    func gone(rewriting: Bool) throws {
        try live()
        let patterns = [Data(id.utf8)] + places(300).flatMap { [big($0.latitude), big($0.longitude)] }
        #expect(try traces(patterns) == patterns.count, "they are there before")
        let others = try bench.service.devices().map(\.id).filter { $0 != id }
        let erased = try bench.service.eraseDevice(id: id, rewriting: rewriting)
        #expect(erased.fixes == 300 && erased.events > 20 && erased.isGone && erased.copies.isEmpty)
        #expect(try traces(patterns) == 0)
        #expect(try bench.service.devices().map(\.id) == others)
        #expect(problem { try bench.service.eraseDevice(id: id) }?.code == "notFound")
    }

    @Test("An erasure keeps event numbers without gaps, and everything of other devices")
    func others() throws {
        try live()
        let before = try bench.events().filter { $0.deviceId != id }
        let newest = try bench.service.store.newestSequence()
        _ = try bench.service.eraseDevice(id: id)
        #expect(try bench.events().map(\.json) == before.map(\.json))
        #expect(try bench.service.store.newestSequence() == newest)
        let check = try bench.service.checkStore()
        #expect(check.isSound, "\(check.flaws.first)")
        // Totals count the existing events, not the numbers.
        #expect(check.totals.events == before.count && before.count < newest)
        let backup = try bench.service.backup(to: bench.directory.path + "/all.backup")
        #expect(backup.totals.events == before.count)
        let other = DataDirectory(path: bench.directory.path + "/other")
        #expect(try Restoration.restore(backup.path, into: other).totals.events == before.count)
        // New fixes are numbered, ordered and evaluated as before.
        var history = LivedHistory(seed: 5)
        history.time = history.time + 10_000_000
        for _ in 0..<20 { try history.step(bench.service) }
        #expect(try bench.service.checkStore().isSound)
        #expect(try bench.events().map(\.sequence).last == bench.service.store.newestSequence())
    }

    @Test("A geofence for the erased device alone is for no device, and one for others stays for them")
    func geofences() throws {
        try live()
        _ = try bench.service.eraseDevice(id: id)
        #expect(try bench.service.geofence(id: "own").devices == [PicketStore.erasedName])
        #expect(try bench.service.geofence(id: "black-forest").devices.last == "device-1")
        #expect(Identifier.flaw(inDevice: PicketStore.erasedName) != nil, "no device can have that name")
    }

    @Test("A token of the erased device and others stays restricted to the others")
    func tokens() throws {
        try live()
        let several = try bench.service.createToken(
            name: "vans", role: .ingest, scope: DeviceScope(devices: [id, "device-1"])
        ).token
        let group = try bench.service.createToken(
            name: "guest", role: .reader, scope: DeviceScope(devices: [id], groups: ["family"])
        ).token
        _ = try bench.service.eraseDevice(id: id)
        let left = try bench.service.tokens()
        let vans = try #require(left.first { $0.id == several.id })
        #expect(vans.scope?.listedIDs == ["device-1"])
        #expect(vans.onlyDevice == nil, "else what is sent of the erased device would become that of the other")
        let guest = try #require(left.first { $0.id == group.id })
        #expect(guest.scope?.listedIDs == [] && guest.scope?.groups == ["family"])
        #expect(try traces([Data(id.utf8)]) == 0)
    }

    /// The tables with a device that have no foreign key to it, and how their rows are erased.
    private static let otherTables = [
        "fix": "with its order", "fix_order": "with the fixes, which it orders",
        "event": "replaced by a row of an erased device, so that the numbers have no gaps", "event_by_device": "like the events",
        "exit_by_device": "like the events", "token": "emptied, because a service that has had a token needs one",
        "refused_input": "by the device's id, because the input may be of an unknown device",
        "retained_topic": "by a trigger, because the removal at the broker follows",
        "refused_device": "kept, because a person has decided about all that reports under this name, also after the erasure",
    ]

    @Test("Each table with a device has a foreign key to it, which an erasure follows, or is erased otherwise")
    func foreignKeys() throws {
        let reader = try Connection(path: bench.data.storePath, access: .read)
        let tables = try reader.uncachedStatement(
            """
            SELECT m.name, c.name IN (SELECT "from" FROM pragma_foreign_key_list(m.name) WHERE "table" = 'device')
            FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name IN ('device', 'device_id', 'device_key')
            WHERE m.type = 'table'
            """)
        var without: Set<String> = []
        while let (table, hasKey) = try tables.next(String.self, Bool.self) {
            if !hasKey { without.insert(table) }
        }
        #expect(without == Set(Self.otherTables.keys))
    }

    /// The tables of which a removal keeps the rows of the device, until an erasure.
    private static let keptAfterRemoval: Set = [
        "event", "event_by_device", "exit_by_device", "event_rule", "alarm", "seen_span", "device_removal", "token",
        "retained_topic",
    ]

    @Test(
        "An erasure covers every table that refers to devices, and a removal those that do not belong to events",
        arguments: [true, false])
    func tables(isErased: Bool) throws {
        try live()
        let key = try bench.service.storedDevice(id: id).key.value
        #expect(try bench.service.emptyLog())
        let connection = try Connection(path: bench.data.storePath, access: .write)
        try connection.execute("PRAGMA foreign_keys = OFF")
        var tables: [String] = []
        let found = try connection.uncachedStatement(
            "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'device' WHERE m.type = 'table'")
        while let table = try found.next(String.self) { tables.append(table) }
        func rows(_ table: String, _ connection: borrowing Connection) throws -> Int {
            try connection.uncachedStatement("SELECT count(*) FROM \(table) WHERE device IN (\(key), '\(id)')").firstNumber
        }
        for table in tables where try rows(table, connection) == 0 {
            // A row with any values in the columns that need some.
            var (names, values): ([String], [String]) = ([], [])
            let columns = try connection.uncachedStatement(
                """
                SELECT name, type FROM pragma_table_info('\(table)') WHERE "notnull" = 1 AND dflt_value IS NULL OR pk > 0 OR name = 'device'
                """)
            while let (name, type) = try columns.next(String.self, String.self) {
                names.append(name)
                values.append(name == "device" ? type == "TEXT" ? "'\(id)'" : "\(key)" : type == "TEXT" ? "'{}'" : "987654")
            }
            try connection.execute(
                "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))")
            #expect(try rows(table, connection) == 1, "\(table)")
        }
        if isErased { _ = try bench.service.eraseDevice(id: id) } else { _ = try bench.service.removeDevice(id: id) }
        let reader = try Connection(path: bench.data.storePath, access: .read)
        for table in tables {
            let isKept = table == "refused_device" || !isErased && Self.keptAfterRemoval.contains(table)
            #expect(try (rows(table, reader) > 0) == isKept, "\(table)")
        }
        #expect(tables.count >= 20)
    }

    @Test("An erasure finds every position of the device, in order or not", arguments: [true, false], [true, false])
    func positions(isOrdered: Bool, isErased: Bool) throws {
        try live()
        let service = bench.service
        let newest = try #require(try service.deviceStatus(of: id).newest)
        for second in 1...50 {
            var batch = FixBatch()
            let fix = Fix(time: newest.time + Double(second), coordinate: newest.coordinate)
            batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: id), line: 0))
            #expect(try service.accept(batch).counts.accepted == 1)
        }
        if isOrdered { try service.sortFixes() }
        let key = try service.storedDevice(id: id).key
        if isErased {
            #expect(try service.eraseDevice(id: id, rewriting: false).fixes == 350)
        } else {
            try service.removeDevice(id: id)
            #expect(try service.store.count("SELECT max(ends) FROM seen_span WHERE device = \(key.value)") > 0)
        }
        for table in ["fix", "fix_order"] {
            #expect(try service.store.count("SELECT count(*) FROM \(table) WHERE device = \(key.value)") == 0)
        }
        let check = try service.checkStore()
        #expect(check.isSound, "\(check.flaws.first)")
    }

    @Test("A removed device can be erased too, and copies that still contain it are named")
    func removed() throws {
        try live()
        try bench.service.removeDevice(id: id)
        try Data("SQLite format 3\0".utf8).write(to: URL(filePath: bench.data.path + "/mine.backup"))
        try Data("anything".utf8).write(to: URL(filePath: bench.data.path + "/notes.txt"))
        let erased = try bench.service.eraseDevice(id: id)
        #expect(erased.events > 20)
        #expect(erased.copies == [bench.data.path + "/mine.backup"])
        #expect(try traces([Data(id.utf8)]) == 0)
    }

    @Test("Copies are looked for among regular files that are not in use under another name")
    func otherFiles() throws {
        try live()
        let path = bench.data.path
        #expect(mkfifo(path + "/pipe", 0o600) == 0)
        #expect(link(bench.data.storePath, path + "/before-restore-1.backup") == 0)
        #expect(link(bench.data.storePath, path + "/same.sqlite") == 0)
        #expect(symlink(bench.data.registryFilePath, path + "/phones.sqlite") == 0)
        #expect(try bench.data.copies() == [])
    }

    @Test("While a service runs, an unfinished erasure does not wait for a reader of an earlier state")
    func servedReader() async throws {
        let directory = DataDirectory(path: bench.directory.path + "/served")
        let writer = try Writer(directory, purpose: "test", clock: bench.clock)
        _ = try await writer.perform { service throws(Problem) in try service.save(Device(id: "a")) }
        let reader = try Connection(path: directory.storePath, access: .read, busyTimeout: 0)
        try reader.execute("BEGIN; SELECT count(*) FROM event")
        let start = ContinuousClock.now
        try await writer.perform { service throws(Problem) in
            _ = try service.eraseRecords(ofDevice: "a", rewriting: true)
            for _ in 1...3 { #expect(try !service.rewriteStoreIfDue()) }
        }
        // With the busy timeout of the connection, each attempt would take five seconds.
        #expect(ContinuousClock.now - start < .seconds(10))
        try reader.execute("COMMIT")
        #expect(try await writer.perform { service throws(Problem) in try service.rewriteStoreIfDue() })
        writer.stop()
    }

    @Test("An erasure needs room for its own changes and for the rewritten file, and empties the log before")
    func roomForChanges() throws {
        try live()
        let used = try bench.service.store.usedBytes() + DataDirectory.size(bench.data.registryFilePath)
        let copies = bench.data.sharesDiskWithTemporaryFiles ? 2 : 1
        let changes = try bench.service.store.erasureBytes(of: bench.service.storedDevice(id: id))
        #expect(try changes == bench.service.store.contentBytes(), "nearly every page has a row of the device")
        let least = changes + copies * used + ServiceWriter.minFreeSpace
        var left = least - 1
        bench.service.freeBytes = { left }
        #expect(problem { try bench.service.eraseDevice(id: id) }?.code == "storeFull")
        #expect(try bench.service.unfinishedErasures().isEmpty)
        left = least
        // The log's room counts once it is free.
        let log = bench.data.storePath + "-wal"
        bench.service.freeBytes = { least - DataDirectory.size(log) }
        _ = try bench.service.eraseRecords(ofDevice: id, rewriting: true)
        bench.service.freeBytes = { copies * used + ServiceWriter.minFreeSpace - DataDirectory.size(log) }
        #expect(DataDirectory.size(log) > 0)
        #expect(try bench.service.finishErasures())
        #expect(try traces([Data(id.utf8)]) == 0)
    }

    @Test("An erasure reports an older snapshot in use, and is completed later")
    func readers() throws {
        try live()
        let reader = try Connection(path: bench.data.storePath, access: .read, busyTimeout: 0)
        try bench.service.store.attempt { () throws(SQLiteError) in
            try bench.service.store.connection.execute("PRAGMA busy_timeout = 50")
        }
        try reader.execute("BEGIN; SELECT count(*) FROM event")
        #expect(try !bench.service.eraseDevice(id: id).isGone)
        let log = DataDirectory.size(bench.data.storePath + "-wal")
        for _ in 1...2 { #expect(try !bench.service.finishErasures()) }
        #expect(DataDirectory.size(bench.data.storePath + "-wal") - log < 100_000, "the files are not rewritten again")
        bench.service.freeBytes = { 0 }
        try reader.execute("COMMIT")
        #expect(try bench.service.finishErasures())
        #expect(try traces([Data(id.utf8)]) == 0)
    }

    @Test("Without room to rewrite the files, nothing is erased")
    func noRoom() throws {
        try live()
        bench.service.freeBytes = { 0 }
        #expect(problem { try bench.service.eraseDevice(id: id) }?.code == "storeFull")
        #expect(try bench.service.device(id: id).id == id && bench.service.unfinishedErasures().isEmpty)
        // An erasure in place needs no more room than other changes.
        #expect(try bench.service.eraseDevice(id: id, rewriting: false).isGone)
    }

    @Test("The store is rewritten only if it may have remains of another program", arguments: [true, false])
    func rewritten(hasRemains: Bool) throws {
        try live()
        if hasRemains { try leaveRemains() }
        #expect(try bench.service.eraseDevice(id: id).isGone)
        #expect(try traces([Data(id.utf8)]) == 0)
        let free = try bench.service.store.count("SELECT freelist_count FROM pragma_freelist_count")
        #expect((free > 0) == !hasRemains)
        #expect(try !bench.service.mayHaveRemains())
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A rewritten store is not rewritten again, and an erasure that lacks room for that is kept")
    func noRoomLater() throws {
        try live()
        try leaveRemains()
        _ = try bench.service.eraseRecords(ofDevice: id, rewriting: true)
        bench.service.freeBytes = { 0 }
        #expect(problem { try bench.service.finishErasures() }?.code == "storeFull")
        #expect(try bench.service.unfinishedErasures().map(\.rewritesStore) == [true])
        bench.service.freeBytes = { nil }
        #expect(try bench.service.finishErasures() && bench.service.unfinishedErasures().isEmpty)
    }

    @Test("An erasure whose files could not be rewritten is finished by erasing again")
    func again() throws {
        try live()
        let records = try bench.service.eraseRecords(ofDevice: id, rewriting: true)
        do {
            let fault = try FileFault(.write, of: bench.data.storePath + "-wal")
            #expect(problem { try bench.service.eraseDevice(id: id) }?.code == "diskFailed")
            _ = fault
        }
        #expect(problem { try bench.service.eraseDevice(id: "nobody") }?.code == "notFound")
        let erased = try bench.service.eraseDevice(id: id)
        #expect(erased.isGone && erased.fixes == 300 && erased.events == records.events && records.events > 20)
        #expect(try traces([Data(id.utf8)]) == 0)
        #expect(problem { try bench.service.eraseDevice(id: id) }?.code == "notFound")
    }

    @Test("If the process is killed before it removes the phone of an erased device, the next start removes it")
    func orphanedPhone() throws {
        try live()
        let device = try bench.service.device(id: id)
        _ = try bench.service.eraseRecords(ofDevice: id, rewriting: true)
        // The phone is still there.
        let ids = try bench.service.phones.onThisThread { file throws(Problem) -> [String] in
            try file.change(device, at: bench.clock.now()) { $0.advance(to: bench.clock.now()) }
            return try file.deviceIDs()
        }
        #expect(ids.contains(id))
        #expect(try bench.service.finishErasures())
        #expect(try traces([Data(id.utf8)]) == 0)
    }

    @Test("An unfinished erasure is found by each form of the device's id", arguments: ["cafe\u{301}", "caf\u{E9}"])
    func forms(_ id: String) throws {
        try bench.service.save(Device(id: "caf\u{E9}"))
        _ = try bench.service.eraseRecords(ofDevice: id, rewriting: true)
        for form in ["cafe\u{301}", "caf\u{E9}"] {
            #expect(try !bench.service.eraseRecords(ofDevice: form, rewriting: true).isGone, "the erasure is known")
        }
        #expect(try bench.service.eraseDevice(id: id).isGone)
    }

    @Test("An erasure that was interrupted after its commit is finished when the store is next opened for writing")
    func interrupted() throws {
        try live()
        _ = try bench.service.eraseRecords(ofDevice: id, rewriting: true)
        let other = DataDirectory(path: bench.directory.path + "/other")
        // A copy of the files in use is what a killed process leaves.
        try FileManager.default.copyItem(atPath: bench.data.path, toPath: other.path)
        func contains(_ pattern: String) throws -> Bool {
            try FileManager.default.contentsOfDirectory(atPath: other.path).contains { name in
                occurs(Data(pattern.utf8), in: try Data(contentsOf: URL(filePath: other.path + "/" + name)))
            }
        }
        #expect(try contains(id), "the log still has it")
        let service = try ServiceWriter(other, purpose: "test", clock: bench.clock)
        #expect(try service.erasureOutcome?.get() == true && service.unfinishedErasures().isEmpty)
        #expect(try !contains(id))
        #expect(try service.checkStore().isSound)
    }

    @Test("An erasure in steps that is killed between two of them is completed at the next start")
    func steps() throws {
        try live()
        let events = try bench.events().count { $0.deviceId == id }
        let others = try bench.events().filter { $0.deviceId != id }.map(\.json)
        var count = 0
        let fault = try StoreFault(bench.service)
        var job = DeviceErasureJob(ofDevice: id, rewriting: true, limit: 20)
        func step() throws -> Bool { try job.step(bench.service) }
        func failingStep() throws {
            for rows in [0, 3, 12] {
                try fault.arm(after: rows)
                #expect(throws: Problem.self) { try step() }
            }
            try fault.armCommit()
            #expect(throws: Problem.self) { try step() }
            try fault.disarm()
        }
        try failingStep()
        while try step() {
            count += 1
            try failingStep()
            let check = try ServiceReader(bench.data, clock: bench.clock).checkStore()
            #expect(check.isSound, "step \(count): \(check.flaws.first)")
            #expect(
                try bench.service.device(id: id).id == id && bench.events().filter { $0.deviceId != id }.map(\.json) == others)
            guard count % 6 == 1 else { continue }
            let other = DataDirectory(path: bench.directory.path + "/step-\(count)")
            try FileManager.default.copyItem(atPath: bench.data.path, toPath: other.path)
            let service = try ServiceWriter(other, purpose: "test", clock: bench.clock)
            #expect(try service.erasureOutcome?.get() == true && service.ongoingErasures().isEmpty, "step \(count)")
            #expect(try !service.hasDevice(id: id) && service.checkStore().isSound, "step \(count)")
            for name in try FileManager.default.contentsOfDirectory(atPath: other.path) {
                #expect(try !occurs(Data(id.utf8), in: Data(contentsOf: URL(filePath: other.path + "/" + name))), "\(name)")
            }
        }
        #expect(count > 14, "many steps: \(count)")
        let erased = try bench.service.eraseDevice(id: id)
        #expect(erased.fixes == 300 && erased.events == events && events > 20 && erased.isGone)
        #expect(try traces([Data(id.utf8)] + places(300).map { big($0.latitude) }) == 0)
        #expect(try bench.service.checkStore().isSound && bench.service.ongoingErasures().isEmpty)
        // A device with little data needs no steps, and an unknown one has none.
        for (id, limit) in [("device-1", 100_000), ("nobody", 150)] {
            var none = DeviceErasureJob(ofDevice: id, rewriting: true, limit: limit)
            #expect(try !none.step(bench.service))
        }
    }

    @Test("Between the steps of an erasure, no late position of the device is evaluated")
    func lateFix() throws {
        let place = Coordinate(latitude: 47.5, longitude: 7.5)
        try bench.add([Geofence(id: "spot", name: "Spot", shape: .circle(Circle(center: place, radius: 500)))])
        let start = bench.clock.now() + -3 * 86_400
        func accept(_ seconds: [Double]) throws {
            var batch = FixBatch()
            for second in seconds {
                let fix = Fix(time: start + second, coordinate: place.north(Int(second) / 180 % 2 == 0 ? 0 : 5000))
                batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: id), line: 0))
            }
            _ = try bench.service.accept(batch, policy: .exact)
        }
        try accept((0..<600).map { Double($0) * 180 })
        try accept([100_000.5])
        #expect(try bench.service.store.count("SELECT count(*) FROM checkpoint") > 3)
        var job = DeviceErasureJob(ofDevice: id, rewriting: true, limit: 60)
        for step in 1...9 {
            #expect(try job.step(bench.service))
            if step % 4 == 0 { try accept([100_000.5 + Double(step)]) }
        }
        _ = try bench.service.replayLate(all: true) { _ in }
        #expect(try bench.service.replayStep(device: id, since: start + 100_000)?.counts.retracted == 0)
        #expect(try bench.events().allSatisfy { $0.retracts == nil })
        let check = try bench.service.checkStore()
        #expect(check.isSound, "\(check.flaws.first)")
        #expect(try bench.service.eraseDevice(id: id).fixes == 603)
    }

    // MARK: - Export

    @Test("Each kind of line is counted in the singular and the plural", arguments: ExportedKind.allCases)
    func counted(_ kind: ExportedKind) {
        let (one, many) = (kind.counted(1).description, kind.counted(1301).description)
        #expect(one.hasPrefix("1 ") && many.hasPrefix("1,301 "))
        #expect(one.dropFirst(2) != many.dropFirst(6))
    }

    @Test("An export contains everything about the device")
    func export() throws {
        try live()
        var lines: [JSONValue] = []
        try bench.service.exportDevice(id: id) { lines.append($0) }
        func all(_ kind: String) -> [JSONValue] { lines.compactMap { $0[kind] } }
        #expect(all("device")[0]["id"]?.string == id)
        #expect(all("fix").map { $0["latitude"]?.double } == places(300).map { $0.latitude })
        let events = try bench.events().filter { $0.deviceId == id }.map(\.json)
        #expect(all("event") == events && !events.isEmpty)
        for kind in ["state", "visit", "evidence", "repair", "health", "phone", "token"] {
            #expect(!all(kind).isEmpty, "\(kind)")
        }
        let summary = try #require(lines.last?["summary"])
        #expect(summary["fix"]?.double == 300 && summary["event"]?.double == Double(events.count))
        #expect((summary.members ?? []).allSatisfy { ExportedKind(rawValue: $0.name) != nil })
        #expect(!lines.contains { $0.description.contains("device-1\"") && $0["device"] != nil })

        let path = bench.directory.path + "/export.ndjson"
        #expect(try bench.service.exportDevice(id: id, to: path) == summary)
        #expect(try jsonLines(URL(filePath: path)) == lines)
        #expect(problem { try bench.service.exportDevice(id: "nobody") { _ in } }?.code == "notFound")

        try bench.service.removeDevice(id: id)
        lines.removeAll()
        try bench.service.exportDevice(id: id) { lines.append($0) }
        #expect(all("device")[0]["removed"]?.bool == true && all("event").count >= events.count && all("fix").isEmpty)
    }
}
