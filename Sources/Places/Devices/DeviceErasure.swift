import Core
import Foundation
import Model
import SQLite
import Secrets
import Settings
import SimulatedOS
import Store

/// The result of erasing a device.
package struct DeviceErasure: Sendable {
    var deviceId: String
    package var fixes: Int
    package var events: Int
    /// Whether all traces are removed from the files. False while another process or thread reads an earlier state; then call `rewrite()`
    /// again later.
    package var isGone: Bool
    /// The paths of copies and backups in the data directory, which may still contain the device.
    package var copies: [String]
}

extension Queries {
    /// Whether the file of the store may have remains of removed data, which only rewriting it removes. Reads the whole file.
    package func mayHaveRemains() throws(Problem) -> Bool { try store.mayHaveRemains() }
}

extension ServiceWriter {
    /// Erases a device and all of its data: positions, state, events, visits, rules about only this device, registrations, repairs, health,
    /// evidence, its simulated phone, and the tokens made only for it.
    ///
    /// No events follow: open visits are removed as if they had never existed. The other events keep their numbers, and the numbers of the
    /// erased ones are left out of every list. The id is free and can be used for another device.
    ///
    /// Deleted rows are overwritten. The erasure is recorded as unfinished until `finishErasures()` has emptied the write-ahead log, and has
    /// rewritten the files that need it. Backups, copies and the storage medium may still contain the data. For a device whose records were
    /// erased before, returns what was erased then.
    ///
    /// - Parameters:
    ///   - key: See `DeviceErasureJob`.
    ///   - rewriting: Whether the files are rewritten if they need that, which blocks other writers. Without it, remains that another
    ///     program left may stay. Call `rewrite()` later to remove them.
    /// - Throws: `Problem.notFound` if the device is unknown, and `storeFull` before these records are erased if there is no room to rewrite
    ///   the files.
    package func eraseRecords(ofDevice id: String, key: DeviceKey? = nil, rewriting: Bool) throws(Problem) -> DeviceErasure {
        // The store compares ids in this form, so each form of an id has to find the erasure.
        let digest = Digest.hexadecimal(of: id.inNormalForm)
        guard let stored = try erasableDevice(id: id, key) else {
            guard let before = try unfinishedErasures().first(where: { $0.digest == digest }) else {
                throw try noDevice(id)
            }
            return DeviceErasure(
                deviceId: id, fixes: before.fixes, events: before.events, isGone: false, copies: try directory.copies())
        }
        if rewriting { try makeRoomToRewrite(after: try store.erasureBytes(of: stored)) }
        let now = clock.now()
        let erased = try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try eraseRules(ofDevice: id, in: transaction)
            let before = try store.ongoingErasure(of: stored.key)
            var erased = try store.erase(stored, in: transaction)
            erased.fixes += before?.fixes ?? 0
            erased.events += before?.events ?? 0
            try store.add(
                UnfinishedErasure(
                    digest: digest, fixes: erased.fixes, events: erased.events, rewritesStore: rewriting,
                    rewritesPhones: rewriting),
                at: now, in: transaction)
            effects.groups[id] = []
            effects.timeZones.updateValue(nil, forKey: id)
            forgetInput(ofDevice: id, stored.key)
            publish(ServiceNotice(ofDevice: id, isRemoved: true))
            publish(RemovedData(device: stored.device.id, positionsSince: .earliest, includesEvents: true))
            if let deviceIndex = indicesByID[id] {
                keepForUndo(deviceIndex)
                release(deviceIndex)
            }
            try removePhone(of: id)
            interruptReplay(ofDevice: stored.key)
            try readRules()
            if !erased.geofences.isEmpty {
                // The revision of these geofences stays the same, but they no longer name the device.
                fencesToRead.formUnion(erased.geofences)
                effects.candidateChanges.append(.other)
            }
            return erased
        }
        return DeviceErasure(
            deviceId: id, fixes: erased.fixes, events: erased.events, isGone: false, copies: try directory.copies())
    }

    func erasableDevice(id: String, _ key: DeviceKey?) throws(Problem) -> PicketStore.StoredDevice? {
        // After an erasure, the id may be that of another device.
        try store.knownDevice(id: id).flatMap { key == nil || $0.stored.key == key ? $0.stored : nil }
    }

    /// The erasures in steps that are not complete, with the ids of their devices.
    package func ongoingErasures() throws(Problem) -> [(id: String, erasure: UnfinishedErasure)] {
        var ongoing: [(String, UnfinishedErasure)] = []
        for erasure in try store.unfinishedErasures() {
            if let key = erasure.device, let id = try store.knownID(of: key) { ongoing.append((id, erasure)) }
        }
        return ongoing
    }

    /// Rewrites the files if an erasure is not finished. Must not be called while a service runs, because the simulated phones
    /// then have their own thread.
    ///
    /// - Returns: Whether all erasures are finished. They are not while another connection reads an earlier state.
    @discardableResult
    package func finishErasures() throws(Problem) -> Bool {
        let unfinished = try unfinishedErasures()
        if unfinished.isEmpty { return true }
        var isDone = try rewriteStoreIfDue()
        if !phones.isServing {
            let arePhonesDone = try phones.onThisThreadIfFound { file throws(Problem) -> Bool in
                for id in try idsWithoutDevice(file.deviceIDs()) { try file.remove(id) }
                return try file.rewrite(isWhole: unfinished.contains { $0.rewritesPhones })
            }
            if arePhonesDone == false { isDone = false }
        }
        if isDone { try recordFinished(unfinished) } else { try recordPhonesRewritten(after: unfinished) }
        return isDone
    }

    /// The ids of phones whose device was erased, but which were not removed: the process was killed before, or the disk was full.
    package func idsWithoutDevice(_ ids: [String]) throws(Problem) -> [String] {
        var orphans: [String] = []
        for id in ids where try !hasDevice(id: id) { orphans.append(id) }
        return orphans
    }

    /// Writes the log of the store into its file, and empties the log.
    ///
    /// - Returns: Whether it is empty. It is not empty while another connection reads an earlier state.
    package func emptyLog() throws(Problem) -> Bool {
        try store.truncateLog(patience: readerPatience)
    }

    /// Performs one step of emptying the log of the store, which takes a few milliseconds.
    package func emptyLogStep() throws(Problem) -> LogTruncation { try store.truncateLogStep(patience: 0) }

    /// Empties the log of the store, and rewrites the file if an unfinished erasure needs that and the file may have remains of removed data.
    /// A rewritten store is not rewritten again only because a reader of an earlier state keeps its log.
    ///
    /// - Parameter hasRemains: Whether the file may have remains, as a reader has found after the log was emptied; nil to check
    ///   here.
    /// - Returns: Whether the log is empty.
    package func rewriteStoreIfDue(hasRemains: Bool? = nil) throws(Problem) -> Bool {
        if hasRemains == nil, try !emptyLog() { return false }
        guard try unfinishedErasures().contains(where: { $0.rewritesStore }) else { return true }
        let mustRewrite = if let hasRemains { hasRemains } else { try store.mayHaveRemains() }
        let isEmpty = try mustRewrite ? rewriteStore() : true
        try transaction { (transaction: borrowing Transaction) throws(Problem) in try store.recordStoreRewritten(in: transaction)
        }
        return isEmpty
    }

    /// Records that the file of the simulated phones was rewritten after these erasures.
    package func recordPhonesRewritten(after erasures: [UnfinishedErasure]) throws(Problem) {
        guard erasures.contains(where: { $0.rewritesPhones }) else { return }
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.recordPhonesRewritten(after: erasures, in: transaction)
        }
    }

    private func rewriteStore() throws(Problem) -> Bool {
        try makeRoomToRewrite()
        return try store.rewriteFile(patience: readerPatience)
    }

    /// Milliseconds to wait for readers of an earlier state. In a service, positions would wait as well, so it tries again later.
    private var readerPatience: Int32? { isServing ? 0 : nil }

    package typealias UnfinishedErasure = Places.UnfinishedErasure
    package typealias DeviceKey = Store.DeviceKey
    package typealias LogTruncation = SQLite.LogTruncation

    /// The erasures that may have left remains in the files, but no records.
    package func unfinishedErasures() throws(Problem) -> [UnfinishedErasure] {
        try store.unfinishedErasures().filter { $0.device == nil }
    }

    /// Records that no traces of these erasures are left in the files.
    package func recordFinished(_ erasures: [UnfinishedErasure]) throws(Problem) {
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.remove(finished: erasures, in: transaction)
        }
    }

    /// Checks that there is room to rewrite the files. SQLite builds the new content in a temporary file, and writes it to the
    /// write-ahead log before it replaces the old one (https://www.sqlite.org/lang_vacuum.html). If there is no room, empties the
    /// log, which may take much of the disk. Otherwise the log stays, because others wait while it is emptied.
    ///
    /// - Parameter bytes: What is written to the log before, and may still take room then, because a reader can keep it.
    func makeRoomToRewrite(after bytes: Int = 0) throws(Problem) {
        if try hasRoomToRewrite(after: bytes) { return }
        _ = try emptyLog()
        guard try hasRoomToRewrite(after: bytes) else { throw .storeFull(path: directory.storePath) }
    }

    private func hasRoomToRewrite(after bytes: Int) throws(Problem) -> Bool {
        guard let free = freeBytes() else { return true }
        let content = try store.usedBytes() + DataDirectory.size(directory.registryFilePath)
        let copies = directory.sharesDiskWithTemporaryFiles ? 2 : 1
        return free >= bytes + copies * content + Self.minFreeSpace
    }

    /// Rewrites the store and the registry file to their smallest size without traces of removed data, and empties their write-ahead logs.
    /// This temporarily needs the same disk space again.
    ///
    /// While a service runs, the registry file is not changed here; see `SimulatedPhones.rewrite(isWhole:)`.
    ///
    /// - Returns: Whether the logs are empty. They are not empty while another connection reads an earlier state.
    /// - Throws: `Problem.storeFull` before anything is written if there is no room for that.
    @discardableResult
    package func rewrite() throws(Problem) -> Bool {
        let isStoreDone = try rewriteStore()
        if phones.isServing { return isStoreDone }
        let arePhonesDone = try phones.onThisThreadIfFound { file throws(Problem) in try file.rewrite(isWhole: true) }
        return isStoreDone && arePhonesDone != false
    }
}

extension DataDirectory {
    /// The paths of all databases in the directory apart from the store and the registry file, sorted: copies that Picket made before
    /// a restore, incomplete ones, and backups and copies that a person made.
    package func copies() throws(Problem) -> [String] {
        let inUse = filesInUse()
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
                // The files in use must not be opened: closing a descriptor would release SQLite's locks.
                .filter { name in
                    !StoreFileName.isInUse(name) && file(name).map { !inUse.contains($0) } == true
                        && (StoreFileName.isCopy(name) || isDatabase(name))
                }.sorted().map { path + "/" + $0 }
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
