import Foundation
import Model
import Settings
import SimulatedOS
import Store

/// What came of erasing a device.
public struct DeviceErasure: Sendable {
    public var deviceId: String
    public var fixes: Int
    public var events: Int
    /// Whether its traces are gone from the files. They are not while somebody reads an earlier state beside it: `rewrite()`
    /// again when nobody does.
    public var isGone: Bool
    /// Copies in the data directory that may still hold it: of before an update, and of before a restore.
    public var copies: [String]

    public init(deviceId: String, fixes: Int, events: Int, isGone: Bool, copies: [String]) {
        self.deviceId = deviceId
        self.fixes = fixes
        self.events = events
        self.isGone = isGone
        self.copies = copies
    }
}

extension ServiceWriter {
    /// Erases a device and all that is known of it: positions, state, events, visits, the rules about it alone, registrations, repairs, health, evidence,
    /// its simulated phone, and the tokens made for it alone.
    ///
    /// No events follow: visits that were open are as if they had never been. The numbering of events stays without a gap; the numbers
    /// of the erased ones are passed over in every list. Its id is free, and means another device from now on.
    ///
    /// Erased means gone from the files: what is deleted is overwritten, the log is emptied, and the files are written anew, which
    /// takes as much room again meanwhile. What backups, copies and the disk itself still hold is out of reach.
    ///
    /// - Parameter rewriting: Whether the files are written anew, which holds up whoever wants to write. Without, SQLite has
    ///   overwritten the rows where they lay, and does not promise that it left no other trace as it moved them about; `rewrite()` in
    ///   a quiet hour makes sure.
    /// - Throws: `Problem.notFound` for a device that nobody knows.
    public func eraseDevice(id: String, rewriting: Bool = true) throws(Problem) -> DeviceErasure {
        guard let (stored, _) = try store.knownDevice(id: id) else { throw try noDevice(id) }
        let erased = try transaction { () throws(Problem) in
            try eraseRules(ofDevice: id)
            let erased = try store.erase(stored)
            if let slot = slotNumbers[id] {
                remember(slot)
                release(slot)
            }
            try removePhone(of: id)
            interruptReplay(ofDevice: stored.key)
            try readRules()
            if !erased.geofences.isEmpty {
                // They are the same revision, and name it no more.
                fencesToRead.formUnion(erased.geofences)
                uncommittedCatalogueChanges.append(.other)
            }
            return erased
        }
        let isGone = try rewrite(isWhole: rewriting)
        return DeviceErasure(
            deviceId: id, fixes: erased.fixes, events: erased.events, isGone: isGone, copies: try directory.copies())
    }

    /// Writes the store and the phones' file anew: as small as they can be, without traces of what was removed, the logs empty.
    /// It takes as much room again meanwhile.
    ///
    /// While a service runs, the phones' file is left to its owner: `SimulatedPhones.rewrite(isWhole:)`.
    ///
    /// - Parameter isWhole: Whether the files are written anew; else only their logs are taken up.
    /// - Returns: Whether the logs are empty; they are not while somebody reads an earlier state.
    @discardableResult
    public func rewrite(isWhole: Bool = true) throws(Problem) -> Bool {
        let isStoreDone = try store.rewrite(isWhole: isWhole)
        if phones.isServing { return isStoreDone }
        let arePhonesDone = try phones.rewriteNow(isWhole: isWhole)
        return isStoreDone && arePhonesDone
    }
}

extension DataDirectory {
    /// Copies of the store that Picket itself has put beside it, by name.
    func copies() throws(Problem) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
                .filter { StoreFileName.isCopy($0) }.sorted().map { path + "/" + $0 }
        } catch {
            throw .fileFailed(path: path, reason: error.systemReason)
        }
    }
}

extension DeviceErasure {
    public var json: JSONValue {
        [
            "erased": .string(deviceId),
            "fixes": JSONValue(fixes),
            "events": JSONValue(events),
            "isGone": .bool(isGone),
            "copies": .array(copies.map(JSONValue.string)),
        ]
    }
}
