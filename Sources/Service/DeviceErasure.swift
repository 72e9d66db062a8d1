import Foundation
import Model
import Settings
import SimulatedOS
import Store

/// The result of erasing a device.
package struct DeviceErasure: Sendable {
    package var deviceId: String
    package var fixes: Int
    package var events: Int
    /// Whether all traces are removed from the files. False while another process or thread reads an earlier state; then call `rewrite()`
    /// again later.
    package var isGone: Bool
    /// The paths of copies in the data directory that may still contain the device: those made before an update or a restore.
    package var copies: [String]

    package init(deviceId: String, fixes: Int, events: Int, isGone: Bool, copies: [String]) {
        self.deviceId = deviceId
        self.fixes = fixes
        self.events = events
        self.isGone = isGone
        self.copies = copies
    }
}

extension ServiceWriter {
    /// Erases a device and all of its data: positions, state, events, visits, rules about only this device, registrations, repairs, health,
    /// evidence, its simulated phone, and the tokens made only for it.
    ///
    /// No events follow: open visits are removed as if they had never existed. The other events keep their numbers, and the numbers of the
    /// erased ones are left out of every list. The id is free and can be used for another device.
    ///
    /// Data is removed from the files: deleted rows are overwritten, the write-ahead log is emptied, and the files are rewritten, which
    /// temporarily needs the same disk space again. Backups, copies and the storage medium may still contain the data.
    ///
    /// - Parameter rewriting: Whether the files are rewritten, which blocks other writers. Without it, SQLite has overwritten the deleted
    ///   rows in place, but does not guarantee that no other traces remain. Call `rewrite()` later to remove them.
    /// - Throws: `Problem.notFound` if the device is unknown.
    package func eraseDevice(id: String, rewriting: Bool = true) throws(Problem) -> DeviceErasure {
        guard let (stored, _) = try store.knownDevice(id: id) else { throw try noDevice(id) }
        let erased = try transaction { () throws(Problem) in
            try eraseRules(ofDevice: id)
            let erased = try store.erase(stored)
            uncommittedGroups[id] = []
            if let slot = slotNumbers[id] {
                keepForUndo(slot)
                release(slot)
            }
            try removePhone(of: id)
            interruptReplay(ofDevice: stored.key)
            try readRules()
            if !erased.geofences.isEmpty {
                // The revision of these geofences stays the same, but they no longer name the device.
                fencesToRead.formUnion(erased.geofences)
                uncommittedCatalogChanges.append(.other)
            }
            return erased
        }
        let isGone = try rewrite(isWhole: rewriting)
        return DeviceErasure(
            deviceId: id, fixes: erased.fixes, events: erased.events, isGone: isGone, copies: try directory.copies())
    }

    /// Rewrites the store and the registry file to their smallest size without traces of removed data, and empties their write-ahead logs.
    /// This temporarily needs the same disk space again.
    ///
    /// While a service runs, the registry file is not changed here; see `SimulatedPhones.truncateLog(rewritingFile:)`.
    ///
    /// - Parameter isWhole: Whether the files are rewritten; otherwise only their logs are emptied.
    /// - Returns: Whether the logs are empty. They are not while another connection reads an earlier state.
    @discardableResult
    package func rewrite(isWhole: Bool = true) throws(Problem) -> Bool {
        if isWhole { onRewrite?() }
        let isStoreDone = try store.truncateLog(rewritingFile: isWhole)
        if phones.isServing { return isStoreDone }
        let arePhonesDone = try phones.rewriteNow(isWhole: isWhole)
        return isStoreDone && arePhonesDone
    }
}

extension DataDirectory {
    /// The paths of the copies of the store that Picket itself created beside it, sorted.
    func copies() throws(Problem) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
                .filter { StoreFileName.isCopy($0) }.sorted().map { path + "/" + $0 }
        } catch {
            throw .fileFailed(path: path, reason: error.systemReason)
        }
    }
}

extension DeviceErasure: JSONDescribed {
    package static let shape = JSONShape<DeviceErasure>(
        "Erasure",
        summary: "What was erased",
        .init("erased", kind: .text, summary: "The device's id", content: \.deviceId),
        .init("fixes", kind: .whole, summary: "Positions", content: \.fixes),
        .init("events", kind: .whole, summary: "Events", content: \.events),
        .init("isGone", kind: .flag, summary: "Whether the data is also gone from the files", content: \.isGone),
        .init("copies", kind: .list(of: .text), summary: "The copies of the store that still contain the data", content: \.copies)
    ) { deviceId, fixes, events, isGone, copies in
        DeviceErasure(deviceId: deviceId, fixes: fixes, events: events, isGone: isGone, copies: copies)
    }
}
