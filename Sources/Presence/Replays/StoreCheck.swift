import Core
import Model
import SimulatedOS
import Store
import Timeline

/// The result of a check of all stored data.
package struct StoreCheck: Sendable {
    /// Something in a store that cannot be right.
    package typealias Flaw = StoreFlaw

    /// The result of evaluating all stored fixes again.
    package typealias Replay = ReplayReport

    /// The stages of a check, in order.
    package enum Stage: String, CaseIterable, Sendable {
        case pages, events, visits, order, replay, phones
    }

    package var totals = Queries.Totals(geofences: 0, devices: 0, fixes: 0, events: 0)
    package var openVisits = 0
    var phones = 0
    package var replay = Replay()
    package var flaws = StoreFlaws()
    /// The pages of the store that have no checksum: damage to them is found only if it makes the store inconsistent.
    package var pagesWithoutChecksum = 0

    init() {}

    /// Whether no flaw was found. Devices whose events a replay cannot verify are listed in `replay`.
    package var isSound: Bool { flaws.count == 0 }
}

extension Queries {
    /// Checks all stored data: the file, the numbering of events, the balance of enters and exits, and whether an evaluation of the stored
    /// fixes results in the stored events and states. All data is from one moment, and the writer is not blocked.
    ///
    /// While the check reads, the write-ahead log of the store grows, because it cannot be checkpointed.
    ///
    /// - Parameter progress: Receives the stage, and for a replay the number of evaluated fixes and their total number.
    /// - Complexity: O(n log n) for n fixes and O(m log m) for m events. Memory for the devices, the geofences, and the events of one
    ///   device with corrections.
    package func checkStore(
        progress: @escaping (StoreCheck.Stage, _ done: Int, _ of: Int?) -> Void = { _, _, _ in }
    ) throws(Problem) -> StoreCheck {
        var check = StoreCheck()
        do {
            try store.snapshot { () throws(Problem) in
                progress(.pages, 0, nil)
                check.pagesWithoutChecksum = try store.findDamage(&check.flaws)
                // With damaged pages, no other result would be reliable.
                guard check.flaws.count == 0 else { return }
                // Include what a running service has not written yet.
                if store.pendingStateWriter == nil { try computeUnwrittenStates() }
                check.totals = try totals()
                progress(.events, 0, nil)
                try store.findGaps(&check.flaws)
                progress(.visits, 0, nil)
                check.openVisits = try store.findAlternationFlaws(&check.flaws)
                progress(.order, 0, nil)
                try store.findOrderFlaws(&check.flaws)
                let fixes = check.totals.fixes
                progress(.replay, 0, fixes)
                check.replay = try HistoryReplay.run(store, policy: policy, flaws: &check.flaws) {
                    progress(.replay, $0, fixes)
                }
            }
        } catch {
            guard case .storeCorrupt(_, let details) = error else { throw error }
            check.flaws.add(.damaged, details)
        }
        progress(.phones, 0, nil)
        try checkPhones(&check)
        return check
    }

    private func checkPhones(_ check: inout StoreCheck) throws(Problem) {
        guard try directory.hasRegistryFile() else { return }
        do {
            for reason in try RegistryFile.findFlaws(path: directory.registryFilePath, count: &check.phones) {
                check.flaws.add(.phone, reason)
            }
        } catch {
            guard case .storeCorrupt(_, let details) = error else { throw error }
            check.flaws.add(.phone, details)
        }
    }

    /// The check result for a store that cannot be opened; nil for problems that do not concern the store's content.
    package static func failedCheck(_ problem: Problem) -> StoreCheck? {
        guard case .storeCorrupt(let path, let details) = problem else { return nil }
        var check = StoreCheck()
        check.flaws.add(.damaged, "\(path): \(details)")
        return check
    }
}
