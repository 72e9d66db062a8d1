import Core
import Foundation
import Model
import Places
import Presence
import Service
import SimulatedOS
import Store

extension Doctor {
    /// A larger file is not searched: at 200 MB a second, that would take more than five seconds.
    private static let mostBytesToRead = 1 << 30
    /// The period in days over which the growth of the store is measured.
    private static let growthDays = 7.0
    /// A warning is given if the disk will be full within this many days.
    private static let reserveDays = 30
    /// A time in the store that is at least this many seconds ahead of the clock is not a rounding error.
    private static let clockTolerance = 5.0

    /// Checks the file of the store, that of the simulated phones, and the backups beside them.
    func checkStore(_ queries: Queries) throws(Problem) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let bytes = DataDirectory.size(directory.storePath)
        if bytes > Self.mostBytesToRead {
            findings.append(.notLookedThrough(bytes: bytes))
        } else if let damage = try queries.store.quickDamage() {
            findings.append(.problem(.storeCorrupt(path: directory.storePath, details: damage), .store, source: nil))
        }
        if !queries.store.keepsChecksums { findings.append(.withoutChecksums) }
        if try directory.hasRegistryFile() {
            var phones = 0
            for flaw in try RegistryFile.findFlaws(path: directory.registryFilePath, count: &phones) {
                findings.append(.problem(.storeCorrupt(path: directory.registryFilePath, details: flaw), .store, source: nil))
            }
        }
        if let copies = try checkCopies(queries) { findings.append(copies) }
        if case .success(let settings) = settings, let schedule = settings.backups {
            if let backup = checkBackups(schedule) { findings.append(backup) }
        } else if let backup = checkBackups(in: directory.path) {
            findings.append(backup)
        }
        return findings
    }

    /// The copies and backups in the directory that were last written before a device was erased.
    private func checkCopies(_ queries: Queries) throws(Problem) -> DoctorFinding? {
        guard let erasedAt = try queries.store.lastErasure() else { return nil }
        let older = try directory.copies().filter { path in writtenAt(path).map { $0 < erasedAt } ?? false }
        return older.isEmpty ? nil : .copiesBeforeErasure(files: older.map { $0.components(separatedBy: "/").last ?? $0 })
    }

    /// Compares the clock with the newest time in the store.
    func checkClock(_ queries: Queries) throws(Problem) -> [DoctorFinding] {
        guard let newest = try queries.store.newestClockTime(), newest - now > Self.clockTolerance else { return [] }
        return [.clockBehindStore(newest: newest, seconds: newest - now)]
    }

    /// Compares the free disk space with the growth of the store.
    func checkRoom(_ queries: Queries) throws(Problem) -> [DoctorFinding] {
        guard let free = machine.freeBytes else { return [] }
        let perDay = try growth(queries)
        return free < Self.minFreeSpace || free / Self.reserveDays < perDay ? [.littleRoom(free: free, perDay: perDay)] : []
    }

    /// The bytes by which the store grows a day; 0 when as many old positions are removed as new ones arrive.
    private func growth(_ queries: Queries) throws(Problem) -> Int {
        let start = now + -Self.growthDays * 86_400
        let recent = try queries.store.recentFixes(since: start, limit: 100_000)
        guard recent.count > 0, let earliest = recent.earliest else { return 0 }
        let fixes = try queries.totals().fixes
        if case .success(let settings) = settings, let kept = settings.keepPositions,
            let oldest = try queries.store.oldestFixTime(), now - oldest > kept
        {
            return 0
        }
        // A small file says little about the size of a position.
        let bytesPerFix = fixes < 100_000 ? 100.0 : Double(DataDirectory.size(directory.storePath)) / Double(fixes)
        let days = max(1, (now - earliest) / 86_400)
        return Int(Double(recent.count) / days * bytesPerFix)
    }
}
