import Model
import Registry
import SimulatedOS
import Store

// Simulated phones are shown the positions that are committed: by the thread of their owner while a service runs, else at once.

extension Queries {
    /// Shows phones on this thread the positions that were committed after a number.
    ///
    /// - Returns: Why one could not be shown its own, and the number up to which all were shown.
    func showMissing(after number: Int64, of device: DeviceKey?) throws(Problem) -> (problem: Problem?, upTo: Int64) {
        var problem: Problem?
        var from = number
        while true {
            let missing = try store.missingPositions(after: from, of: device, atMost: RegionStore.missedAtOnce)
            if !missing.positions.isEmpty { problem = try showNow(missing.positions) ?? problem }
            from = missing.upTo
            if !missing.hasMore { return (problem, from) }
        }
    }

    /// Shows positions on this thread, and takes note of what the phones tell by themselves.
    func showNow(_ positions: [RegistryFile.Positions]) throws(Problem) -> Problem? {
        let shown = try phones.showNow(positions)
        for (device, reports) in shown.reports { try take(reports: reports, ofPhone: device) }
        return shown.problems.last
    }
}

extension ServiceWriter {
    /// Hands committed positions to the simulated phones of a running service. Waits for nothing.
    ///
    /// - Parameters:
    ///   - seen: The positions by slot, in order of time.
    ///   - number: Of the newest position that is committed; nil when none is kept.
    func handIn(_ seen: [Int: [Fix]], upTo number: Int64?) { phones.committed(positions(seen), upTo: number) }

    /// Shows simulated phones committed positions, as `handIn` takes them; while a service runs, its owner of the phones does.
    ///
    /// - Returns: Why one could not be shown its own, as far as that is known now. The positions are kept regardless, and the other
    ///   phones are still updated.
    func show(_ seen: [Int: [Fix]], upTo number: Int64?) throws(Problem) -> Problem? {
        let positions = positions(seen)
        if phones.isServing {
            phones.committed(positions, upTo: number)
            return nil
        }
        do {
            let missed = try showMissed()
            let problem = positions.isEmpty ? nil : try showNow(positions)
            if let number { phonesShown = number }
            return problem ?? missed
        } catch {
            guard error.isOfRegistry(directory) else { throw error }
            return error
        }
    }

    private func positions(_ seen: [Int: [Fix]]) -> [RegistryFile.Positions] {
        let positions = seen.sorted { $0.key < $1.key }.map { slot, fixes in
            RegistryFile.Positions(slots[slot].state.device, fixes)
        }
        for one in positions where one.device.autoRepair {
            if let newest = one.fixes.last { repairHints.moved[one.device.id] = newest.coordinate }
        }
        return positions
    }

    /// Takes note of what a phone has told by itself. One of a device that is no more has nothing to say.
    ///
    /// - Returns: The phones, to have the reports removed when this is kept.
    func note(_ reports: [RegistryReport], ofPhone device: Device) throws(Problem) -> SimulatedPhones {
        if let stored = try store.device(id: device.id), stored.device.registry == .simulated { try note(reports, of: stored) }
        return phones
    }

    /// Keeps how far phones have been shown positions. To be called within a transaction.
    func notePhonesShown() throws(Problem) {
        if let number = phones.isServing ? phones.shownUpTo : phonesShown, number != keptPhonesShown {
            try store.notePhonesShown(upTo: number)
            keptPhonesShown = number
        }
    }

    /// Begins to keep how far phones have been shown positions. A store of an earlier version has shown them all.
    func beginNotingPhonesShown() throws(Problem) {
        keptPhonesShown = try store.phonesShown()
        guard keptPhonesShown == nil else { return }
        let newest = try store.newestFixNumber()
        try store.notePhonesShown(upTo: newest)
        keptPhonesShown = newest
    }
}

extension RegionStore {
    /// Committed positions that simulated phones are to be shown, read beside whoever writes.
    ///
    /// - Parameter number: The number after which to begin; nil for what the store says was shown.
    static func missingPositions(after number: Int64?, in path: String) throws(Problem) -> PhoneObserver.Missing {
        let store = try RegionStore(reading: path)
        let newest = try store.newestFixNumber()
        let shown = try store.phonesShown()
        return try store.missingPositions(after: number ?? shown ?? newest, atMost: missedAtOnce)
    }

    /// Positions that are looked at in one part.
    static let missedAtOnce: Int64 = 50_000

    /// Committed positions after a number that simulated phones are to be shown.
    ///
    /// - Parameter limit: So many numbers are looked at, at most.
    func missingPositions(
        after number: Int64, of device: DeviceKey? = nil, atMost limit: Int64
    ) throws(Problem) -> PhoneObserver.Missing {
        let newest = try newestFixNumber()
        let end = min(newest, number + limit)
        guard end > number else { return .init([], upTo: min(number, newest), hasMore: false) }
        var found: [DeviceKey: RegistryFile.Positions] = [:]
        var order: [DeviceKey] = []
        try forEachPhonePosition(after: number, upTo: end, of: device) { key, fix throws(Problem) in
            if found[key] == nil {
                guard let stored = try self.device(key: key) else { return }
                found[key] = .init(stored.device, [])
                order.append(key)
            }
            found[key]?.fixes.append(fix)
        }
        return .init(order.compactMap { found[$0] }, upTo: end, hasMore: end < newest)
    }
}
