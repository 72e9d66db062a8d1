import Model
import Registry
import SQLite

/// The simulated operating systems of all phones, in a file of their own that outlives the app, as a real system does.
///
/// Every call is one transaction: another process that asks at the same time sees a system before it or after it, never in
/// between. It belongs to one thread at a time.
public final class RegistryFile {
    let connection: Connection
    let path: String

    static let migrations = Migrations([
        "CREATE TABLE phone (device TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID"
    ])

    /// Opens the file, and makes it when it is not there.
    public init(path: String) throws(Problem) {
        self.path = path
        do {
            connection = try Connection(path: path, access: .write)
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
            return try connection.transaction {
                var os = try load(device, now)
                let before = os.json
                os.advance(to: now)
                let result = body(&os)
                if os.json != before { try save(os, device.id) }
                return result
            }
        } catch {
            throw Problem(error, at: path)
        }
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

    private func load(_ device: Device, _ now: Instant) throws -> SimulatedOS {
        let statement = try connection.statement("SELECT state FROM phone WHERE device = ?")
        defer { statement.reset() }
        statement.bind(1, device.id)
        guard try statement.step() else {
            // The seed follows from the name, so that the same commands come to the same.
            let seed = device.id.utf8.reduce(into: UInt64(0xCBF2_9CE4_8422_2325)) { $0 = ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            let fresh = SimulatedOS(PlatformProfile(device.platform ?? .ios), seed: seed, at: now)
            try save(fresh, device.id)
            return fresh
        }
        do throws(UnreadablePhone) {
            return try SimulatedOS(stored: statement.text(0))
        } catch {
            throw Problem.storeCorrupt(path: path, details: "the phone of \(device.id): \(error.reason)")
        }
    }

    private func save(_ os: SimulatedOS, _ device: String) throws {
        let statement = try connection.statement("INSERT OR REPLACE INTO phone VALUES (?, ?)")
        statement.bind(1, device)
        statement.bind(2, os.json.description)
        try statement.run()
    }
}
