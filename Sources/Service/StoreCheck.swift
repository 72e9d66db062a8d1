import Model
import SimulatedOS
import Store
import Timeline

public typealias StoreFlaw = Store.StoreFlaw

/// What a look over everything that is kept came to.
public struct StoreCheck: Sendable {
    /// What is looked at, in this order.
    public enum Stage: String, CaseIterable, Sendable {
        case pages, events, visits, order, replay, phones
    }

    public var totals = Queries.Totals(geofences: 0, devices: 0, fixes: 0, events: 0)
    public var openVisits = 0
    public var phones = 0
    public var replay = ReplayReport()
    public var flaws = StoreFlaws()

    /// Whether all is as it should be, as far as that can be told: devices that a replay cannot prove are named in `replay`.
    public var isSound: Bool { flaws.count == 0 }
}

extension Queries {
    /// Looks over everything that is kept: the file, the numbering of events, the balance of visits, and whether the stored
    /// fixes, judged anew, give the events and states that are stored. All of one moment, beside whoever writes.
    ///
    /// The log of a store that is being written to cannot be taken up while this reads, and grows.
    ///
    /// - Parameter progress: Told the stage, and for a replay how many fixes of how many.
    /// - Complexity: O(n log n) in the fixes and O(m log m) in the events; memory for the devices and the fences, and for the events of
    ///   one device that was corrected.
    public func checkStore(
        progress: @escaping (StoreCheck.Stage, _ done: Int, _ of: Int?) -> Void = { _, _, _ in }
    ) throws(Problem) -> StoreCheck {
        var check = StoreCheck()
        do {
            try store.snapshot { () throws(Problem) in
                progress(.pages, 0, nil)
                try store.findDamage(&check.flaws)
                // On damaged pages nothing else can be told.
                guard check.flaws.count == 0 else { return }
                // What a service that runs beside has not written yet.
                if store.settleStates == nil { try settleAside() }
                check.totals = try totals()
                progress(.events, 0, nil)
                try store.findGaps(&check.flaws)
                progress(.visits, 0, nil)
                check.openVisits = try store.findUnbalanced(&check.flaws)
                progress(.order, 0, nil)
                try store.findDisorder(&check.flaws)
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
        guard try directory.hasRegistry() else { return }
        do {
            for reason in try RegistryFile.flaws(path: directory.registry, count: &check.phones) {
                check.flaws.add(.phone, reason)
            }
        } catch {
            guard case .storeCorrupt(_, let details) = error else { throw error }
            check.flaws.add(.phone, details)
        }
    }

    /// A store that cannot even be opened, as a check tells it; nil for problems that are about something else.
    public static func checkOfUnreadable(_ problem: Problem) -> StoreCheck? {
        guard case .storeCorrupt(let path, let details) = problem else { return nil }
        var check = StoreCheck()
        check.flaws.add(.damaged, "\(path): \(details)")
        return check
    }
}

extension StoreCheck {
    public var json: JSONValue {
        .compact([
            ("isSound", .bool(isSound)),
            ("geofences", JSONValue(totals.geofences)),
            ("devices", JSONValue(totals.devices)),
            ("fixes", JSONValue(totals.fixes)),
            ("events", JSONValue(totals.events)),
            ("store", totals.identity?.json),
            ("openVisits", JSONValue(openVisits)),
            ("phones", JSONValue(phones)),
            (
                "replay",
                [
                    "devices": JSONValue(replay.devices),
                    "unprovenDevices": JSONValue(replay.unprovenDevices),
                    "unproven": .object(replay.unproven.map { .init($0.reason, JSONValue($0.devices)) }),
                    "fixes": JSONValue(replay.fixes),
                    "lateFixes": JSONValue(replay.lateFixes),
                    "revisions": JSONValue(Int(replay.revisions)),
                    "decisions": JSONValue(replay.decisions),
                ]
            ),
            ("flawCount", JSONValue(flaws.count)),
            (
                "flaws",
                .array(flaws.first.map { ["kind": .string($0.kind.rawValue), "details": .string($0.details)] })
            ),
        ])
    }
}
