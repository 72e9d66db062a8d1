import Foundation
import Geodesy
import Model
import Operations
import SQLite
import ServiceTestSupport
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence
@testable import Service
@testable import Store

@Suite("Event numbers and IDs")
struct EventNumberTests {
    private let folder: TemporaryDirectory
    private let clock = TestClock()
    private var data: DataDirectory { DataDirectory(path: folder.path + "/data") }
    private var other: DataDirectory { DataDirectory(path: folder.path + "/other") }

    init() throws { folder = try TemporaryDirectory() }

    private func open(_ directory: DataDirectory) throws -> ServiceWriter {
        try ServiceWriter(directory, purpose: "test", clock: clock)
    }

    private func events(_ service: ServiceWriter, after: Int64 = 0) throws -> [Event] {
        var events: [Event] = []
        var filter = Queries.EventFilter()
        filter.after = after
        try service.forEachEvent(filter) { events.append($0) }
        return events
    }

    /// Creates `count` events: a device enters and leaves in turn, once a minute.
    private func happen(_ count: Int, from step: Int, _ service: ServiceWriter, device: String = "anna") throws {
        if try !service.store.hasKnownGeofence(id: "home") {
            let circle = Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 100)
            try service.apply([.save(Geofence(id: "home", name: "Home", shape: .circle(circle)))])
        }
        var batch = FixBatch()
        for number in step..<step + count {
            let place = Coordinate(latitude: number % 2 == 0 ? 52.5 : 52.6, longitude: 13.4)
            let time = Instant("2026-05-01T10:00:00Z")! + Double(number * 60)
            batch.rows.append(.init(fix: Fix(time: time, coordinate: place), device: batch.number(ofDevice: device), line: 1))
        }
        #expect(try service.accept(batch, policy: .exact).events.count == count)
    }

    private func mismatch(_ service: ServiceWriter, _ cursor: EventCursor) throws -> (EventCursor.Mismatch, EventCursor)? {
        var filter = Queries.EventFilter()
        filter.cursor = cursor
        do {
            try service.convertCursor(&filter)
            return nil
        } catch {
            guard case .cursorGone(cursor, let reason, let resume, _) = error else { throw error }
            return (reason, resume)
        }
    }

    @Test("A follower at number 20 gets the number to continue from after a restore to 18, and misses nothing")
    func follower() throws {
        let backup = folder.path + "/all.backup"
        let follower: EventCursor
        do {
            let service = try open(data)
            try happen(18, from: 0, service)
            _ = try service.backup(to: backup)
            try happen(2, from: 18, service)
            #expect(try service.newestSequence() == 20)
            follower = try service.epochs().cursor(20)
        }
        let restored = try Restoration.restore(backup, into: data, clock: clock)
        #expect(restored.epoch.branch == 18 && restored.totals.events == 18)
        let service = try open(data)
        for cursor in [follower, EventCursor(20, of: nil), EventCursor(19, of: nil)] {
            let (reason, resume) = try #require(try mismatch(service, cursor))
            #expect(reason == .restored && resume == EventCursor(18, of: restored.epoch.id))
        }
        #expect(try mismatch(service, EventCursor(18, of: nil)) == nil)
        // New events have numbers that no reader has seen.
        try happen(3, from: 30, service)
        let news = try events(service, after: 18)
        #expect(news.map(\.sequence) == (1...3).map { clock.now().milliseconds + $0 })
        #expect(try service.checkStore().isSound)
        #expect(try service.identity().newest == news.last?.sequence)
        #expect(try service.totals().events == 21, "counts do not count numbers")
    }

    @Test("No event number is given twice, however often an old backup is restored, here or elsewhere")
    func never() throws {
        let backup = folder.path + "/old.backup"
        var seen: [Int64: String] = [:]
        var step = 0
        func live(_ directory: DataDirectory, _ from: Int64) throws {
            let service = try open(directory)
            step += 10
            try happen(4, from: step, service)
            for event in try events(service, after: from) {
                #expect(seen.updateValue("\(event)", forKey: event.sequence) == nil, "\(event.sequence) twice")
            }
            _ = try service.rewrite()
            #expect(try service.checkStore().isSound)
        }
        try live(data, 0)
        do { _ = try open(data).backup(to: backup) }
        try live(data, 4)
        for round in 0..<3 {
            // The clock first stops, then goes back, then goes forward.
            clock.set(clock.now() + [0.0, -3600, 60][round])
            for directory in [data, other] {
                let restored = try Restoration.restore(backup, into: directory, clock: clock)
                try live(directory, restored.epoch.start)
                clock.set(clock.now() + 5)
            }
        }
        // Even backups of an abandoned epoch can be restored.
        let kept = try FileManager.default.contentsOfDirectory(atPath: data.path).filter { $0.hasPrefix("before-restore") }
        #expect(kept.count == 3)
        for name in kept.sorted() {
            let restored = try Restoration.restore(data.path + "/" + name, into: data, clock: clock)
            try live(data, restored.epoch.start)
        }
        #expect(seen.count == 4 * (2 + 6 + 3))
    }

    @Test("Numbers of an abandoned epoch are recognized as such")
    func leftBehind() throws {
        let backup = folder.path + "/all.backup"
        do {
            let service = try open(data)
            try happen(5, from: 0, service)
            _ = try service.backup(to: backup)
        }
        let first = try Restoration.restore(backup, into: data, clock: clock)
        do { try happen(2, from: 11, open(data)) }
        clock.set(clock.now() + 100)
        let second = try Restoration.restore(backup, into: data, clock: clock)
        let service = try open(data)
        let (reason, resume) = try #require(
            try mismatch(service, EventCursor(first.epoch.start + 2, of: first.epoch.id)))
        #expect(reason == .restored && resume == EventCursor(5, of: second.epoch.id))
        #expect(try mismatch(service, EventCursor(first.epoch.start + 1, of: nil))?.1.sequence == 5)
        #expect(try service.identity().restores == 1, "the one that was left behind is not among its own")
        #expect(try mismatch(service, EventCursor(3, of: "ffff"))?.0 == .otherStore)
    }

    @Test("After another store is replaced, the numbers are those of the backup's store")
    func replaced() throws {
        let backup = folder.path + "/all.backup"
        let id: String
        do {
            let service = try open(data)
            try happen(5, from: 0, service)
            _ = try service.backup(to: backup)
            id = try service.identity().id
        }
        let old: EventCursor
        do {
            let service = try open(other)
            try happen(3, from: 0, service)
            old = try service.epochs().cursor(3)
        }
        _ = try Restoration.restore(backup, into: other, clock: clock)
        let service = try open(other)
        #expect(try service.identity().id == id)
        #expect(try mismatch(service, old).map { [$0.0.rawValue, "\($0.1.sequence)"] } == ["otherStore", "0"])
    }

    @Test("When the previous store is unreadable, numbers continue beyond the clock")
    func damaged() throws {
        let backup = folder.path + "/all.backup"
        do {
            let service = try open(data)
            try happen(5, from: 0, service)
            _ = try service.backup(to: backup)
        }
        try Data("garbage".utf8).write(to: URL(filePath: data.storePath))
        unlink(data.storePath + "-wal")
        let restored = try Restoration.restore(backup, into: data, clock: clock)
        #expect(restored.epoch.start == clock.now().milliseconds)
    }

    @Test("A device with the name of an erased one gets other event IDs")
    func erased() throws {
        let service = try open(data)
        try happen(4, from: 0, service, device: "ben")
        try happen(4, from: 0, service)
        let before = try events(service)
        _ = try service.eraseDevice(id: "anna")
        #expect(try service.totals().events == 4)
        try happen(4, from: 0, service)
        let after = try events(service)
        let old = Set(before.map(\.id))
        let new = after.filter { $0.deviceId == "anna" }
        #expect(new.map(\.sequence) == [9, 10, 11, 12])
        #expect(new.allSatisfy { !old.contains($0.id) })
        // Events of other devices do not change.
        try happen(2, from: 20, service, device: "ben")
        let elsewhere = try open(other)
        try happen(4, from: 0, elsewhere, device: "ben")
        try happen(2, from: 20, elsewhere, device: "ben")
        #expect(try events(service).filter { $0.deviceId == "ben" }.map(\.id) == events(elsewhere).map(\.id))
        #expect(try service.checkStore().isSound)
    }

    @Test("After a power cut that may have lost reported events, numbers continue in a new epoch")
    func powerCut() throws {
        do {
            let service = try open(data)
            try happen(3, from: 0, service)
            try service.store.beginUnsyncedCommits(boot: "another run of the machine")
        }
        let service = try open(data)
        try happen(1, from: 11, service)
        #expect(try events(service).last?.sequence == clock.now().milliseconds + 1)
        #expect(try mismatch(service, EventCursor(4, of: nil))?.1.sequence == 3)
        #expect(try service.checkStore().isSound)
    }

    @Test("After a normal end of a service with durability normal, numbers continue without a gap")
    func normal() throws {
        do { try happen(3, from: 0, open(data)) }
        let writer = try Writer(data, purpose: "test", durability: .normal, clock: clock)
        #expect(try unsyncedRecordCount() == 1)
        writer.stop()
        #expect(try unsyncedRecordCount() == 0)
        #expect(try open(data).newestSequence() == 3)
    }

    private func unsyncedRecordCount() throws -> Int {
        try Connection(path: data.storePath, access: .read).uncachedStatement(
            "SELECT count(*) FROM setting WHERE name = 'unsynced_in'"
        )
        .firstNumber
    }

    @Test("The ID of a retraction depends on the event that it retracts")
    func retractions() throws {
        func transition(_ time: Instant) -> Transition {
            Transition(
                type: .retracted, fence: nil, occurredAt: time, confirmedAt: time, cause: .corrected,
                fix: Fix(time: time, coordinate: Coordinate(latitude: 1, longitude: 2)))
        }
        let time = Instant("2026-05-01T10:00:00Z")!
        func id(_ retracts: String?) -> String {
            EventID.make(device: "d", erasedUpTo: 0, geofence: "g", transition(time), retracts: retracts, ordinal: 0)
        }
        #expect(Set([id(nil), id("a"), id("b")]).count == 3 && id("a") == id("a"))
    }
}
