import Model
import Registry
import SQLite

/// The simulated operating systems of all phones, in a file of their own that outlives the app, as a real system does.
///
/// Every change is one transaction: another process that asks at the same time sees a system before it or after it, never in
/// between. It belongs to one thread at a time.
public final class RegistryFile {
    let connection: Connection
    let path: String

    static let migrations = Migrations([
        "CREATE TABLE phone (device TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID"
    ])

    /// Opens the file, and makes it when it is not there.
    ///
    /// - Parameter patience: Milliseconds to wait for another process that writes.
    public init(path: String, patience: Int32 = 5000) throws(Problem) {
        self.path = path
        do {
            connection = try Connection(path: path, access: .write, busyTimeout: patience)
            try RegistryFile.migrations.run(on: connection, keepingCopy: true)
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// Lets `body` change the system of a device, and keeps what it has become. A device that has none yet gets a new phone.
    ///
    /// - Parameters:
    ///   - now: What time it is; a system that is ahead of it stays so.
    public func change<Result>(
        _ device: Device, at now: Instant, _ body: (inout SimulatedOS) -> Result
    ) throws(Problem) -> Result {
        do {
            return try connection.transaction { try changeWithin(device, at: now, body) }
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// The system of a device as it is at a moment. Changes nothing.
    public func phone(of device: Device, at now: Instant) throws(Problem) -> SimulatedOS {
        do {
            var os = try load(device) ?? Self.newPhone(of: device, at: now)
            os.advance(to: now)
            return os
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// Positions of one device, in order of time.
    public struct Positions: Sendable {
        public var device: Device
        public var fixes: [Fix]

        public init(_ device: Device, _ fixes: [Fix]) {
            self.device = device
            self.fixes = fixes
        }
    }

    /// What came of showing positions to phones.
    public struct Shown: Sendable {
        /// What each phone has told by itself, by device, as far as nobody has taken it yet.
        public var reports: [(device: Device, reports: [RegistryReport])] = []
        /// Phones that cannot be understood. They were shown nothing.
        public var problems: [Problem] = []
    }

    /// Shows phones positions of their devices, in one transaction. A phone passes over positions that are older than the newest that it
    /// has seen, so the same may be shown again.
    ///
    /// What the phones tell stays with them until it is removed by `removeReports(_:of:)`.
    public func show(_ positions: [Positions]) throws(Problem) -> Shown {
        var shown = Shown()
        do {
            try connection.transaction {
                for one in positions {
                    do {
                        let reports = try changeWithin(one.device, at: .earliest) { os in
                            for fix in one.fixes where !os.hasSeen(fix) { os.observe(fix) }
                            return os.outbox
                        }
                        if !reports.isEmpty { shown.reports.append((one.device, reports)) }
                    } catch let problem as Problem {
                        shown.problems.append(problem)
                    }
                }
            }
        } catch {
            throw Problem(error, at: path)
        }
        return shown
    }

    /// Removes reports of a phone that have been taken note of.
    public func removeReports(_ reports: [RegistryReport], of device: Device) throws(Problem) {
        try change(device, at: .earliest) { $0.remove(reports) }
    }

    /// Forgets the phone of a device that is no more.
    public func remove(_ device: String) throws(Problem) {
        do {
            let statement = try connection.statement("DELETE FROM phone WHERE device = ?")
            statement.bind(1, device)
            try statement.run()
        } catch {
            throw Problem(error, at: path)
        }
    }

    private func changeWithin<Result>(
        _ device: Device, at now: Instant, _ body: (inout SimulatedOS) -> Result
    ) throws -> Result {
        let known = try load(device)
        var os = known ?? Self.newPhone(of: device, at: now)
        let before = known?.json
        os.advance(to: now)
        let result = body(&os)
        let after = os.json
        if after != before { try save(after, device.id) }
        return result
    }

    /// A phone fresh from the shop.
    static func newPhone(of device: Device, at now: Instant) -> SimulatedOS {
        // The seed follows from the name, so that the same commands come to the same.
        let seed = device.id.utf8.reduce(into: UInt64(0xCBF2_9CE4_8422_2325)) { $0 = ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return SimulatedOS(PlatformProfile(device.platform ?? .ios), seed: seed, at: now)
    }

    /// The stored phone of a device; nil when it has none, or one of another platform, which it had before.
    private func load(_ device: Device) throws -> SimulatedOS? {
        let statement = try connection.statement("SELECT state FROM phone WHERE device = ?")
        defer { statement.reset() }
        statement.bind(1, device.id)
        guard try statement.step() else { return nil }
        do throws(UnreadablePhone) {
            let os = try SimulatedOS(stored: statement.text(0))
            return os.profile.platform == device.platform ?? .ios ? os : nil
        } catch {
            throw Problem.storeCorrupt(path: path, details: "the phone of \(device.id): \(error.reason)")
        }
    }

    private func save(_ state: JSONValue, _ device: String) throws {
        let statement = try connection.statement("INSERT OR REPLACE INTO phone VALUES (?, ?)")
        statement.bind(1, device)
        statement.bind(2, state.description)
        try statement.run()
    }
}

extension SimulatedOS {
    /// Whether a position is not newer than the newest that the phone has seen. Two places at one time are two positions.
    fileprivate func hasSeen(_ fix: Fix) -> Bool {
        guard let lastFix else { return false }
        return fix.time < lastFix.time || fix.time == lastFix.time && fix.coordinate == lastFix.coordinate
    }
}
