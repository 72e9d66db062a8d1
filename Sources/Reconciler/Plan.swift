import Geodesy
import Model
import Registry

extension Assessment {
    /// The operations that bring the registry to the selected regions. The order never exceeds the limit and changes no correct region: one
    /// removal if no slot is free, the sentinel, further removals as far as slots are needed, the additions by rank, and the remaining
    /// removals. A wrong region is replaced under its identifier without a removal. Where a live region cannot be replaced, it is removed
    /// right before it is added. A region that is not monitored, because others hold the slots, needs no call: the removals free a slot.
    public var plan: [RegistryOperation] {
        var removals: [RegistryOperation] = []
        var orphans: [RegistryOperation] = []
        var replacements: [RegionID: RegistryOperation] = [:]
        for known in ownRegions {
            switch known.verdict {
            case .right: break
            case .unwanted(let kind, let cause):
                let stop = RegistryOperation(.stop(known.region.id), name: name(of: known), reason: .finding(kind, cause))
                if kind == .orphaned { orphans.append(stop) } else { removals.append(stop) }
            case .wrong(let kind, let cause):
                let region = known.region.id == .sentinel ? selection.sentinel : known.number.map { wantedRegion(for: $0) }
                if let region, kind != .unmonitored || region.id == .sentinel {
                    replacements[region.id] = RegistryOperation(
                        .start(withInitialTrigger(region)), name: name(of: known), reason: .finding(kind, cause))
                }
            }
        }
        // Remove the most distant regions first.
        removals.sort { ($0.removalDistance, $1.id) > ($1.removalDistance, $0.id) }
        let absent = Set(missing.map(\.region.id))
        orphans += uncertainRegionIDs.filter { !absent.contains($0) }.map { id in
            RegistryOperation(
                .stop(id), name: journal.entries[id]?.name ?? id.shortText, reason: .finding(.orphaned, .interrupted))
        }
        var queue = (orphans + removals)[...]

        var additions: [RegistryOperation] = []
        let missing = Dictionary(uniqueKeysWithValues: missing.map { ($0.region.id, $0) })
        func start(_ id: RegionID) -> [RegistryOperation] {
            if let replacement = replacements[id] {
                if profile.replacesLiveRegions { return [replacement] }
                return [RegistryOperation(.stop(id), name: replacement.name, reason: replacement.reason), replacement]
            }
            guard let missing = missing[id] else { return [] }
            let name = missing.number.map { candidates.entries[$0].name } ?? Finding.sentinelName
            let reason: RegistryOperation.Reason =
                missing.number == nil ? .guardsLeftOutFences : .finding(.missing, missing.cause)
            return [RegistryOperation(.start(withInitialTrigger(missing.region)), name: name, reason: reason)]
        }
        for pick in selection.chosen { additions += start(candidates.entries[pick.number].regionID) }

        var operations: [RegistryOperation] = []
        var free = capacity - occupiedIDs.count
        func needsSlot(_ operation: RegistryOperation) -> Bool { !occupiedIDs.contains(operation.id) }
        func makeRoom() {
            guard let removal = queue.popFirst() else { return }
            operations.append(removal)
            free += 1
        }
        let sentinel = start(.sentinel)
        if let first = sentinel.first {
            let slots = needsSlot(first) ? 1 : 0
            while free < slots, !queue.isEmpty { makeRoom() }
            free -= slots
            operations += sentinel
        }
        let needed = additions.count(where: needsSlot)
        while free < needed, !queue.isEmpty { makeRoom() }
        operations += additions
        operations += queue
        return operations
    }

    /// Identifiers of regions that hold a slot or may hold one.
    private var occupiedIDs: Set<RegionID> { Set(ownRegions.map(\.region.id) + foreignRegionIDs + uncertainRegionIDs) }

    /// The number of slots, including those of foreign regions.
    private var capacity: Int { snapshot.regions == nil ? selection.budget : profile.limit }

    /// The geofence's name for people; if it is unknown, the name in the journal, otherwise the region's identifier.
    func name(of known: OwnRegion) -> String {
        if known.region.id == .sentinel { return Finding.sentinelName }
        return known.number.map { candidates.entries[$0].name } ?? journal.entries[known.region.id]?.name
            ?? known.region.id.description
    }
}

extension RegistryOperation {
    /// The sort key of a removal: the distance in meters of the region to remove, infinite if it was not left out because of its distance.
    fileprivate var removalDistance: Double {
        if case .finding(_, .fartherThanChosen(let meters?)) = reason { meters } else { .infinity }
    }
}
