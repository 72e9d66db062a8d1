import DatabaseProblems
import Model
import Registry
import SQLite

/// The file with the simulated operating systems of all phones. It is separate from the store, because a real operating system's registry
/// outlives the app.
///
/// Every change is one transaction, so another process sees each simulated operating system before or after a change, never in between. An
/// instance must be used by one thread at a time.
package final class RegistryFile {
    let connection: Connection
    let path: String
    /// Called with the id of the device of each phone that is about to be saved or removed.
    var willChange: ((String) -> Void)?
    /// The version of the file at the last call of `hasForeignChange()`; nil before the first call.
    private var seenVersion: Int?

    static let migrations = Migrations([
        "CREATE TABLE phone (device TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID"
    ])

    /// Opens the file, and creates it if it does not exist.
    ///
    /// - Parameter patience: Milliseconds to wait for another process that writes to the file.
    package init(path: String, patience: Int32 = 5000) throws(Problem) {
        self.path = path
        do {
            connection = try Connection(path: path, access: .write, busyTimeout: patience)
            try RegistryFile.migrations.run(on: connection)
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// Checks that the file is still at its path. Otherwise SQLite continues with the open file, which is lost when the process ends.
    ///
    /// - Throws: `Problem.storeReplaced` if the file was deleted, moved or replaced.
    func checkFile() throws(Problem) {
        if connection.hasMoved { throw .storeReplaced(path: path) }
    }

    /// Whether another process has changed the file since the last call, or this is the first call.
    func hasForeignChange() throws(Problem) -> Bool {
        try Problem.catching(at: path) {
            let version = try connection.dataVersion()
            defer { seenVersion = version }
            return version != seenVersion
        }
    }

    /// Calls `body` with the simulated operating system of a device, and saves the changed state. A device without a phone gets a new one.
    ///
    /// - Parameter now: The current time, to which the operating system's clock is advanced. A clock that is ahead is not changed.
    package func change<Result>(
        _ device: Device, at now: Instant, _ body: (inout SimulatedOS) -> Result
    ) throws(Problem) -> Result {
        try Problem.catching(at: path) {
            try connection.transaction(failure: { $0 as any Error }) { try changeInTransaction(device, at: now, body) }
        }
    }

    /// The simulated operating system of a device at a moment. Changes nothing in the file.
    package func phone(of device: Device, at now: Instant) throws(Problem) -> SimulatedOS {
        try Problem.catching(at: path) {
            var os = try load(device) ?? Self.newPhone(of: device, at: now)
            os.advance(to: now)
            return os
        }
    }

    /// The positions of one device, sorted by time.
    package struct Positions: Sendable {
        package var device: Device
        package var fixes: [Fix]

        package init(_ device: Device, _ fixes: [Fix]) {
            self.device = device
            self.fixes = fixes
        }
    }

    /// The result of passing positions to phones.
    package struct ObservationResult: Sendable {
        /// The reports that each phone has sent and that were not removed yet.
        package var reports: [(device: Device, reports: [RegistryReport])] = []
        /// The problems of phones whose stored state is unreadable. These phones received no positions.
        package var problems: [Problem] = []
    }

    /// Passes positions to the phones of their devices in one transaction. A phone ignores positions that are older than its newest one, so
    /// the same positions may be passed again.
    ///
    /// A phone's reports stay in the file until they are removed with `removeReports(_:of:)`.
    package func observe(_ positions: [Positions]) throws(Problem) -> ObservationResult {
        var shown = ObservationResult()
        try Problem.catching(at: path) {
            try connection.transaction(failure: { $0 as any Error }) {
                for one in positions {
                    do {
                        let reports = try changeInTransaction(one.device, at: .earliest) { os in
                            for fix in one.fixes where !os.hasSeen(fix) { os.observe(fix) }
                            return os.outbox
                        }
                        if !reports.isEmpty { shown.reports.append((one.device, reports)) }
                    } catch let problem as Problem {
                        shown.problems.append(problem)
                    }
                }
            }
        }
        return shown
    }

    /// Removes reports of a phone that have been recorded elsewhere.
    package func removeReports(_ reports: [RegistryReport], of device: Device) throws(Problem) {
        try change(device, at: .earliest) { $0.remove(reports) }
    }

    /// The ids of the devices that have a phone.
    package func deviceIDs() throws(Problem) -> [String] {
        try Problem.catching(at: path) { try connection.statement("SELECT device FROM phone").values(String.self) }
    }

    /// Removes the phone of a removed device.
    package func remove(_ device: String) throws(Problem) {
        willChange?(device)
        try Problem.catching(at: path) {
            try connection.statement("DELETE FROM phone WHERE device = ?", device).run()
        }
    }

    /// Does the work of `changeState(_:at:_:)` within a transaction that is already open.
    private func changeInTransaction<Result>(
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

    /// A new phone in its initial state.
    static func newPhone(of device: Device, at now: Instant) -> SimulatedOS {
        // The seed is derived from the device's id (FNV-1a hash), so that the same commands always have the same results.
        let seed = device.id.utf8.reduce(into: UInt64(0xCBF2_9CE4_8422_2325)) { $0 = ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return SimulatedOS(PlatformProfile(device.platform ?? .ios), seed: seed, at: now)
    }

    /// The stored phone of a device; nil if there is none, or if it has another platform than the device has now.
    private func load(_ device: Device) throws -> SimulatedOS? {
        let statement = try connection.statement("SELECT state FROM phone WHERE device = ?", device.id)
        guard let stored = try statement.value(String.self) else { return nil }
        do throws(UnreadablePhone) {
            let os = try SimulatedOS(stored: stored)
            return os.profile.platform == device.platform ?? .ios ? os : nil
        } catch {
            throw Problem.storeCorrupt(path: path, details: "the phone of \(device.id): \(error.reason)")
        }
    }

    private func save(_ state: JSONValue, _ device: String) throws {
        willChange?(device)
        try connection.statement("INSERT OR REPLACE INTO phone VALUES (?, ?)", device, state.description).run()
    }
}

extension SimulatedOS {
    /// Whether the phone has already processed this position. Two positions with the same time and different coordinates are both
    /// processed.
    fileprivate func hasSeen(_ fix: Fix) -> Bool {
        guard let lastFix else { return false }
        return fix.time < lastFix.time || fix.time == lastFix.time && fix.coordinate == lastFix.coordinate
    }
}
