import Geodesy
import Model
import ServiceTestSupport
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence
@testable import Store

/// Positions of devices that move among geofences and become silent, some of them out of order.
struct SilentHistory {
    let devices: [Device]
    let home = Coordinate(latitude: 52.5, longitude: 13.4)
    private(set) var time = Instant("2026-05-01T10:00:00Z")!
    /// The times of all valid positions that were sent, by device: the expected result.
    private(set) var seen: [String: Set<Int64>] = [:]
    private var places: [Double]
    private var random: SeededRandom

    /// - Parameter keeping: `keepPositions` of each device.
    init(seed: UInt64, keeping: [Double?]) {
        random = SeededRandom(seed: seed)
        var devices: [Device] = []
        for (number, keeping) in keeping.enumerated() {
            let policy: DecisionPolicy.Name = [.exact, .balanced, .phone].randomElement(using: &random)!
            devices.append(
                Device(
                    id: "device-\(number)", policy: PolicyOverride(base: policy),
                    silentAfter: [60, 600, 21_600].randomElement(using: &random)!, keepPositions: keeping))
        }
        self.devices = devices
        places = devices.map { _ in 0 }
    }

    var fences: [Geofence] {
        [(0.0, 120.0), (100, 200), (-300, 150), (500, 300)].enumerated().map { number, place in
            Geofence(id: "f\(number)", name: "F\(number)", shape: .circle(Circle(center: home.north(place.0), radius: place.1)))
        }
    }

    /// The next positions of all devices; those of a device are ordered by time, except for some late ones.
    mutating func batch() -> FixBatch {
        var batch = FixBatch()
        for device in devices { _ = batch.number(ofDevice: device.id) }
        for _ in 0..<Int.random(in: 1...40, using: &random) {
            let number = Int.random(in: 0..<devices.count, using: &random)
            time = time + [1, 5, 20, 59, 60, 61, 300, 600, 4000, 30_000].randomElement(using: &random)!
            places[number] = max(-900, min(900, places[number] + Double.random(in: -300...300, using: &random)))
            let accuracy: Double? = [nil, 5, 40].randomElement(using: &random)!
            let isValid = Int.random(in: 0..<12, using: &random) > 0
            let row = FixBatch.Row(
                fix: Fix(time: time, coordinate: home.north(places[number]), accuracy: accuracy),
                device: batch.number(ofDevice: devices[number].id), line: batch.rows.count, isValid: isValid)
            if isValid { seen[devices[number].id, default: []].insert(time.milliseconds) }
            if Int.random(in: 0..<6, using: &random) == 0 { late.append(row) } else { batch.rows.append(row) }
        }
        return batch
    }

    private var late: [FixBatch.Row] = []

    /// The positions that were held back, in random order.
    mutating func lateBatch() -> FixBatch {
        var batch = FixBatch()
        for device in devices { _ = batch.number(ofDevice: device.id) }
        batch.rows = late.shuffled(using: &random)
        late.removeAll()
        return batch
    }

    mutating func isChosen(_ oneOf: Int) -> Bool { Int.random(in: 0..<oneOf, using: &random) == 0 }
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
}

@Suite("Seen time of visits")
struct SeenTimeTests {
    /// The seconds between two moments in gaps between positions that are not longer than `silentAfter`, computed gap by gap.
    private static func seconds(_ times: [Int64], _ silentAfter: Double, from start: Instant, to end: Instant?) -> Double {
        var sum: Int64 = 0
        for (a, b) in zip(times, times.dropFirst()) where Double(b - a) <= silentAfter * 1000 {
            sum += max(0, min(b, end?.milliseconds ?? .max) - max(a, start.milliseconds))
        }
        return Double(sum) / 1000
    }

    /// The seconds of a visit, or of its part between two moments: up to its last position inside.
    private static func seconds(
        _ times: [Int64], _ silentAfter: Double, in visit: Visit, since: Instant? = nil, until: Instant? = nil
    ) -> Double {
        var end = until
        if let exit = visit.exitedAt {
            let isAtExit = visit.exitCause == .deviceRemoved
            let last = times.last { $0 < exit.milliseconds || isAtExit && $0 == exit.milliseconds } ?? 0
            end = min(max(Instant(milliseconds: last), visit.enteredAt), until ?? .latest)
        }
        return seconds(times, silentAfter, from: max(visit.enteredAt, since ?? visit.enteredAt), to: end)
    }

    /// Compares all visits with the positions that were sent.
    ///
    /// - Returns: The number of visits that have ended, and the number of those whose last seen time is unknown.
    private func compare(
        _ service: ServiceWriter, _ history: SilentHistory, at now: Instant, _ comment: Comment
    ) throws -> (ended: Int, unknown: Int) {
        var ended = 0
        var unknown = 0
        var open: [Visit] = []
        try service.forEachVisit(.init()) { visit in
            guard let device = history.devices.first(where: { $0.id == visit.deviceId }) else { return }
            let times = (history.seen[visit.deviceId] ?? []).sorted()
            #expect(visit.seenSeconds == Self.seconds(times, device.silentAfter, in: visit), comment)
            let last = times.last { time in
                time >= visit.enteredAt.milliseconds && visit.exitedAt.map { time < $0.milliseconds } ?? true
            }.map(Instant.init(milliseconds:))
            if visit.exitedAt == nil { open.append(visit) } else { ended += 1 }
            if last != nil, visit.lastSeenAt == nil {
                unknown += 1
                #expect(visit.exitedAt != nil && visit.notSeenSince == nil && device.keepPositions == 0, comment)
            } else {
                #expect(visit.lastSeenAt == last, comment)
                let seen = last ?? visit.enteredAt
                #expect(visit.notSeenSince == ((visit.exitedAt ?? now) - seen > device.silentAfter ? seen : nil), comment)
            }
        }
        // The visits in the status of the devices are the same.
        #expect(Set(try service.deviceStatuses(counting: true).flatMap(\.inside)) == Set(open), comment)
        return (ended, unknown)
    }

    @Test(
        "The seen time agrees with the positions one by one, also late ones, kept, removed or never kept",
        arguments: Histories.seeds(1...40))
    func oracle(seed: UInt64) throws {
        // Removed positions are older than any that may still become an exit.
        var history = SilentHistory(seed: seed, keeping: [nil, .infinity, 90_000, 200_000, 0])
        let bench = try Workbench()
        bench.clock.set(history.time)
        try bench.add(history.fences)
        for device in history.devices { try bench.service.save(device) }
        let comment = Comment(rawValue: "seed \(seed)")
        for _ in 0..<30 {
            let batch = history.batch()
            bench.clock.set(history.time)
            _ = try bench.service.accept(batch)
            if history.isChosen(3) { _ = try bench.service.accept(history.lateBatch()) }
            if history.isChosen(3) { _ = try bench.service.replayLate(all: true) { _ in } }
            if history.isChosen(4) { _ = try bench.service.fireDeadlines(upTo: history.time) }
            if history.isChosen(4) { try bench.service.sortFixes(atMost: history.number(1...300)) }
            if history.isChosen(3) {
                try bench.service.trimPositions(keeping: 400_000, now: history.time, limit: history.number(1...400))
            }
            if history.isChosen(9) { try bench.service.forget() }
            if history.isChosen(6) {
                _ = try bench.service.accept(history.lateBatch())
                _ = try compare(bench.service, history, at: history.time, comment)
            }
        }
        _ = try bench.service.accept(history.lateBatch())
        _ = try bench.service.replayLate(all: true) { _ in }
        _ = try compare(bench.service, history, at: history.time, comment)
        bench.clock.set(history.time + 50_000)
        while try bench.service.trimPositions(keeping: 400_000, now: history.time + 50_000).hasMore {}
        let (ended, unknown) = try compare(bench.service, history, at: history.time + 50_000, comment)
        #expect(ended > 10 && unknown == 0, comment)
        #expect(try bench.service.totals().fixes < history.seen.values.map(\.count).reduce(0, +), comment)
        try checkTotals(bench.service, history, comment)
        try checkMinimum(bench.service, comment)

        // The visits of a removed device do not change.
        let before = try visits(bench.service, of: "device-0")
        _ = try bench.service.removeDevice(id: "device-0")
        let after = try visits(bench.service, of: "device-0")
        #expect(before.filter { $0.exitedAt != nil } == after.filter { $0.exitCause != .deviceRemoved }, comment)
        _ = try compare(bench.service, history, at: history.time + 50_000, comment)
        #expect(try bench.service.checkStore().isSound, comment)
    }

    private func visits(_ service: ServiceWriter, of device: String) throws -> [Visit] {
        var filter = Queries.EventFilter()
        filter.deviceId = device
        var found: [Visit] = []
        try service.forEachVisit(filter) { found.append($0) }
        return found
    }

    /// Compares what is left out by a minimum with all visits, in pages and in one list.
    private func checkMinimum(_ service: ServiceWriter, _ comment: Comment) throws {
        var all: [Visit] = []
        try service.forEachVisit(.init()) { all.append($0) }
        for shortest in [1, 60, 600, 1e9] {
            var filter = Queries.EventFilter()
            filter.minDuration = shortest
            let long = all.filter { $0.seenSeconds.map { $0 >= shortest } ?? false }
            var found: [Visit] = []
            var omitted = try service.forEachVisit(filter) { found.append($0) }
            #expect(found == long && omitted == all.count - long.count, comment)
            for isNewestFirst in [false, true] {
                (found, omitted) = ([], 0)
                var after: String?
                repeat {
                    let page = try service.visits(filter, after: after, isNewestFirst: isNewestFirst, limit: 3)
                    found += page.items
                    omitted += page.omitted
                    after = page.next
                } while after != nil
                #expect((isNewestFirst ? found.reversed() : found) == long && omitted == all.count - long.count, comment)
            }
            filter.limit = 4
            found = []
            try service.forEachVisit(filter) { found.append($0) }
            #expect(found == long.suffix(4), comment)
            filter.limit = nil
            var (visits, totalsOmitted, after) = (0, 0, String?.none)
            repeat {
                let page = try service.visitTotals(filter, onlyOpen: false, after: after, limit: 2)
                #expect(page.items.allSatisfy { $0.visits > 0 }, comment)
                visits += page.items.reduce(0) { $0 + $1.visits }
                totalsOmitted += page.omitted
                after = page.next
            } while after != nil
            #expect(visits == long.count && totalsOmitted == all.count - long.count, comment)
        }
    }

    /// Compares totals with the visits, for adjacent periods.
    private func checkTotals(_ service: ServiceWriter, _ history: SilentHistory, _ comment: Comment) throws {
        let now = service.clock.now()
        var visits: [Visit] = []
        try service.forEachVisit(.init()) { visits.append($0) }
        func total(_ since: Instant?, _ until: Instant?) throws -> [String: VisitTotal] {
            var filter = Queries.EventFilter()
            filter.since = since
            filter.until = until
            var found: [String: VisitTotal] = [:]
            try service.forEachVisitTotal(filter) { found["\($0.deviceId) \($0.geofenceId)"] = $0 }
            return found
        }
        let whole = try total(nil, nil)
        #expect(Set(whole.keys) == Set(visits.map { "\($0.deviceId) \($0.geofenceId)" }), comment)
        for (key, total) in whole {
            let own = visits.filter { "\($0.deviceId) \($0.geofenceId)" == key }
            let silentAfter = history.devices.first { $0.id == total.deviceId }?.silentAfter ?? 0
            let times = (history.seen[total.deviceId] ?? []).sorted()
            let seen = own.reduce(0) { $0 + Self.seconds(times, silentAfter, in: $1) }
            #expect(total.visits == own.count && abs(total.seenSeconds - seen) < 1e-6, comment)
            let elapsed = own.reduce(0) { $0 + (($1.exitedAt ?? now) - $1.enteredAt) }
            #expect(abs(total.elapsedSeconds - elapsed) < 1e-6, comment)
        }
        let span = now - Instant("2026-05-01T10:00:00Z")!
        let borders = [0.2, 0.5, 0.8].map { now + -span * $0 }.sorted()
        var parts: [String: (seen: Double, elapsed: Double)] = [:]
        for (since, until) in zip([nil] + borders.map(Optional.some), borders.map(Optional.some) + [nil]) {
            for (key, total) in try total(since, until) {
                parts[key, default: (0, 0)].seen += total.seenSeconds
                parts[key, default: (0, 0)].elapsed += total.elapsedSeconds
            }
        }
        for (key, total) in whole {
            let sum = parts[key] ?? (0, 0)
            #expect(abs(sum.seen - total.seenSeconds) < 1e-6 && abs(sum.elapsed - total.elapsedSeconds) < 1e-6, comment)
        }
        // Paging returns each total once.
        var paged: [VisitTotal] = []
        var after: String?
        repeat {
            let page = try service.visitTotals(.init(), onlyOpen: false, after: after, limit: 2)
            paged += page.items
            after = page.next
        } while after != nil
        #expect(paged.map { "\($0.deviceId) \($0.geofenceId)" } == whole.keys.sorted(), comment)
        #expect(paged.allSatisfy { whole["\($0.deviceId) \($0.geofenceId)"] == $0 }, comment)
    }
}

extension SeenTimeTests {
    private static let start = Instant("2026-05-01T12:00:00Z")!

    /// Positions of a device that is inside a geofence for 25 minutes, then silent for months, then elsewhere.
    private func fallSilent(_ bench: Workbench, keeping: Double? = nil) throws {
        let home = Coordinate(latitude: 52.5, longitude: 13.4)
        try bench.add([Geofence(id: "depot", name: "Depot", shape: .circle(Circle(center: home, radius: 100)))])
        try bench.service.save(Device(id: "van", policy: PolicyOverride(base: .exact), keepPositions: keeping))
        var batch = FixBatch()
        for (line, minute) in [0.0, 10, 25, 220_020].enumerated() {
            let place = line == 3 ? home.north(2000) : home
            batch.rows.append(
                .init(
                    fix: Fix(time: Self.start + minute * 60, coordinate: place), device: batch.number(ofDevice: "van"), line: line
                ))
        }
        _ = try bench.service.accept(batch)
    }

    @Test("Silence does not count as seen time, however long the visit lasts", arguments: [nil, 3600, 0])
    func silence(keeping: Double?) throws {
        let bench = try Workbench()
        try fallSilent(bench, keeping: keeping)
        for _ in 0..<2 {
            let visit = try #require(visits(bench.service, of: "van").first)
            #expect(visit.duration == 220_020.0 * 60)
            #expect(visit.seenSeconds == 1500)
            #expect(visit.lastSeenAt == Self.start + 1500 && visit.notSeenSince == Self.start + 1500)
            try bench.service.trimPositions(keeping: nil, now: bench.clock.now())
        }
        #expect(try bench.service.totals().fixes == (keeping == nil ? 4 : 0))
    }

    @Test("A visit that rests on one position has no seen time, however late the next one comes", arguments: [nil, 0])
    func single(keeping: Double?) throws {
        let home = Coordinate(latitude: 52.5, longitude: 13.4)
        let bench = try Workbench()
        try bench.add([Geofence(id: "site", name: "Site", shape: .circle(Circle(center: home, radius: 100)))])
        // A van that reports each 5 minutes drives by at 5, and stays from 15 to 30.
        let places = [1000.0, 0, 1000, 10, 20, 0, 30, 1000, 1000]
        for policy in [DecisionPolicy.Name.exact, .balanced] {
            try bench.service.save(Device(id: "\(policy)", policy: PolicyOverride(base: policy), keepPositions: keeping))
            for (step, meters) in places.enumerated() {
                var batch = FixBatch()
                let fix = Fix(time: Self.start + Double(step) * 300, coordinate: home.north(meters), accuracy: 8)
                batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: "\(policy)"), line: 0))
                bench.clock.set(fix.time)
                _ = try bench.service.accept(batch)
            }
            let visits = try visits(bench.service, of: "\(policy)")
            // With `balanced`, the single position elsewhere at 10 is no exit, because the next one is inside again.
            #expect(visits.map(\.duration) == (policy == .exact ? [300, 1200] : [1800]), "\(policy)")
            #expect(visits.map(\.seenSeconds) == (policy == .exact ? [0, 900] : [1500]), "\(policy)")
        }
    }

    @Test("A visit that an edit ends counts up to the newest position, which was inside")
    func edited() throws {
        let home = Coordinate(latitude: 52.5, longitude: 13.4)
        let bench = try Workbench()
        try bench.add([Geofence(id: "site", name: "Site", shape: .circle(Circle(center: home, radius: 100)))])
        var batch = FixBatch()
        for step in 0..<3 {
            let fix = Fix(time: Self.start + Double(step) * 300, coordinate: home)
            batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: "van"), line: step))
        }
        _ = try bench.service.accept(batch)
        try bench.service.removeGeofence("site")
        #expect(try visits(bench.service, of: "van").map(\.seenSeconds) == [600])
    }

    @Test("The seen time follows the device's current silentAfter, as far as positions are stored")
    func setting() throws {
        let bench = try Workbench()
        try fallSilent(bench)
        func seen() throws -> Double? { try visits(bench.service, of: "van").first?.seenSeconds }
        try bench.service.save(Device(id: "van", policy: PolicyOverride(base: .exact), silentAfter: 600))
        #expect(try seen() == 600)
        try bench.service.save(Device(id: "van", policy: PolicyOverride(base: .exact), silentAfter: 599))
        #expect(try seen() == 0)
        try bench.service.save(Device(id: "van", policy: PolicyOverride(base: .exact), silentAfter: 366 * 86_400))
        #expect(try seen() == 1500)
    }

    @Test("An open visit says since when its device has not been seen, by the clock")
    func open() throws {
        let bench = try Workbench()
        let home = Coordinate(latitude: 52.5, longitude: 13.4)
        try bench.add([Geofence(id: "depot", name: "Depot", shape: .circle(Circle(center: home, radius: 100)))])
        var batch = FixBatch()
        batch.rows.append(.init(fix: Fix(time: Self.start, coordinate: home), device: batch.number(ofDevice: "van"), line: 0))
        bench.clock.set(Self.start + 10)
        _ = try bench.service.accept(batch)
        for (seconds, isSilent) in [(10.0, false), (21_600, false), (21_600.001, true), (1e7, true)] {
            bench.clock.set(Self.start + seconds)
            let expected = isSilent ? Self.start : nil
            #expect(try visits(bench.service, of: "van").map(\.notSeenSince) == [expected])
            #expect(try bench.service.deviceStatuses().first?.inside.map(\.notSeenSince) == [expected])
            #expect(try bench.service.deviceStatus(of: "van").inside.map(\.notSeenSince) == [expected])
        }
    }
}
