import Model
import Monitor
import Registry
import SimulatedOS
import Store

// Passes committed positions to the simulated phones: on the thread of their owner while a service runs, otherwise at once.

extension Queries {
    /// Passes the positions that were committed after a number to the phones, on the calling thread.
    ///
    /// - Returns: Why a phone could not process its positions, and the number of the last position that was passed.
    func passPositions(after number: Int64, of device: DeviceKey?) throws(Problem) -> (problem: Problem?, upTo: Int64) {
        var problem: Problem?
        var from = number
        while true {
            let missing = try store.missingPositions(after: from, of: device, atMost: PicketStore.missedAtOnce)
            if !missing.positions.isEmpty { problem = try passPositionsNow(missing.positions) ?? problem }
            from = missing.upTo
            if !missing.hasMore { return (problem, from) }
        }
    }

    /// Passes positions to the phones on the calling thread, and records the phones' reports.
    func passPositionsNow(_ positions: [RegistryFile.Positions]) throws(Problem) -> Problem? {
        let shown = try phones.onThisThread { file throws(Problem) in try file.observe(positions) }
        for (device, reports) in shown.reports { try recordReports(reports, ofPhone: device) }
        return shown.problems.last
    }
}

extension ServiceWriter {
    /// Passes committed positions to the simulated phones of a running service. Returns at once.
    ///
    /// - Parameters:
    ///   - seen: The positions by index, sorted by time.
    ///   - number: The number of the newest committed position; nil if positions are not stored.
    package func queueForPhones(_ seen: [Int: [Fix]], upTo number: Int64?) { phones.committed(positions(seen), upTo: number) }

    /// Passes committed positions to the simulated phones; see `queueForPhones(_:upTo:)` for the parameters. While a service runs, the owner of the
    /// phones processes them later.
    ///
    /// - Returns: The first error from a simulated phone, as far as it is known now. The positions are stored regardless, and the other
    ///   phones are still updated.
    package func passToPhones(_ seen: [Int: [Fix]], upTo number: Int64?) throws(Problem) -> Problem? {
        let positions = positions(seen)
        if phones.isServing {
            phones.committed(positions, upTo: number)
            return nil
        }
        do {
            let missed = try passMissedPositions()
            let problem = positions.isEmpty ? nil : try passPositionsNow(positions)
            if let number { phonesShown = number }
            return problem ?? missed
        } catch {
            guard error.concernsRegistryFile(of: directory) else { throw error }
            return error
        }
    }

    private func positions(_ seen: [Int: [Fix]]) -> [RegistryFile.Positions] {
        let positions = seen.sorted { $0.key < $1.key }.map { deviceIndex, fixes in
            RegistryFile.Positions(loadedDevices[deviceIndex].state.device, fixes)
        }
        for one in positions where one.device.autoRepair {
            if let newest = one.fixes.last { repairHints.moved[one.device.id] = newest.coordinate }
        }
        return positions
    }

    /// Records reports of a phone. Reports of a removed device are ignored.
    ///
    /// - Returns: The phones, from which the reports can be removed after the transaction is committed.
    package func recordReports(_ reports: [RegistryReport], ofPhone device: Device) throws(Problem) -> SimulatedPhones {
        if let stored = try store.device(id: device.id), stored.device.registry == .simulated {
            try recordReports(reports, of: stored)
        }
        return phones
    }

    /// Saves how far phones have processed the positions.
    func savePhonesShown(in transaction: borrowing Transaction) throws(Problem) {
        if let number = phones.isServing ? phones.shownUpTo : phonesShown, number != storedPhonesShown {
            try store.setPhonesShown(upTo: number, in: transaction)
            storedPhonesShown = number
        }
    }

    /// Starts to save how far phones have processed the positions. In a new store, there are none yet.
    func initializePhonesShown(in transaction: borrowing Transaction) throws(Problem) {
        storedPhonesShown = try store.phonesShown()
        guard storedPhonesShown == nil else { return }
        let newest = try store.newestFixNumber()
        try store.setPhonesShown(upTo: newest, in: transaction)
        storedPhonesShown = newest
    }
}

extension PicketStore {
    /// The committed positions that simulated phones have not processed yet, read beside the writer.
    ///
    /// - Parameter number: The number after which to begin; nil for the last one that is recorded as processed.
    package static func missingPositions(after number: Int64?, in path: String) throws(Problem) -> PhoneObserver.MissedPositions {
        let store = try PicketStore(reading: path)
        let newest = try store.newestFixNumber()
        let shown = try store.phonesShown()
        return try store.missingPositions(after: number ?? shown ?? newest, atMost: missedAtOnce)
    }

    /// The number of positions to examine in one part.
    static let missedAtOnce: Int64 = 50_000

    /// The committed positions after a number that belong to simulated phones.
    ///
    /// - Parameter limit: The maximum range of numbers to examine.
    func missingPositions(
        after number: Int64, of device: DeviceKey? = nil, atMost limit: Int64
    ) throws(Problem) -> PhoneObserver.MissedPositions {
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
