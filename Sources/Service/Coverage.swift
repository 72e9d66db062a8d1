import Model
import Reconciler
import Registry
import SimulatedOS

/// What a phone's own system would tell of a track, by way of choosing the regions that it watches.
public enum Coverage {
    /// How the regions are chosen.
    public enum Selection: Sendable {
        /// A phone that watches any number: the measure of the others.
        case withoutLimit
        /// Picket's choice, repaired at each exit of the sentinel.
        case repaired
        /// As many as there is room for, by id, registered once: what an app does that knows no better.
        case onceAndForAll
    }

    /// The enters and exits that the phone tells, in order.
    ///
    /// - Parameter fixes: in order of time.
    public static func reports(
        of fixes: [Fix], device: Device, fences: [Geofence], platform: Device.Platform, way: Selection
    ) -> [RegistryReport] {
        guard let first = fixes.first else { return [] }
        var profile = PlatformProfile(platform)
        if way == .withoutLimit { profile.limit = .max }
        var phone = Phone(
            os: SimulatedOS(profile, at: first.time), device: device, catalogue: FenceCatalogue(fences, profile: profile))
        for (number, fix) in fixes.enumerated() {
            while let due = phone.os.nextDeadline, due <= fix.time {
                phone.os.advance(to: due)
                phone.listen(repairing: way == .repaired)
            }
            phone.os.observe(fix)
            phone.newest = fix
            if number == 0 { way == .repaired ? phone.repair() : phone.registerAll() }
            phone.listen(repairing: way == .repaired)
        }
        return phone.told
    }

    /// A phone without faults, and what it has told.
    private struct Phone {
        var os: SimulatedOS
        let device: Device
        let catalogue: FenceCatalogue
        var newest: Fix?
        var inside: Set<String> = []
        var told: [RegistryReport] = []

        init(os: SimulatedOS, device: Device, catalogue: FenceCatalogue) {
            self.os = os
            self.device = device
            self.catalogue = catalogue
        }

        mutating func listen(repairing: Bool) {
            var isLeft = false
            for report in os.takeReports() {
                if report.region == .sentinel {
                    isLeft = isLeft || report.kind == .exited
                } else if let fence = report.region.geofence {
                    switch report.kind {
                    case .entered: inside.insert(fence)
                    case .exited: inside.remove(fence)
                    case .failed: continue
                    }
                    told.append(report)
                }
            }
            if isLeft && repairing { repair() }
        }

        mutating func registerAll() {
            for entry in catalogue.entries where entry.applies(to: device) && os.regions.count < os.profile.limit {
                call { os throws(RegistryError) in try os.startMonitoring(entry.region) }
                if os.profile.canTellState { ask(entry.regionID) }
            }
        }

        mutating func repair() {
            let catalogue = catalogue
            let context = DeviceContext(device: device, fixes: newest.map { [$0] } ?? [], openVisits: inside)
            var added: [RegionID] = []
            call { os throws(RegistryError) in
                for operation in Assessment(try os.snapshot(), context, catalogue, RegistryJournal()).plan {
                    switch operation.kind {
                    case .start(let region):
                        try os.startMonitoring(region)
                        added.append(region.id)
                    case .stop(let id): try os.stopMonitoring(id)
                    case .requestState: break
                    }
                }
            }
            // A region that the device is in already when it is added is told by its state alone (iOS).
            for id in added where os.profile.canTellState { ask(id) }
        }

        private mutating func ask(_ id: RegionID) {
            var state = RegionState.unknown
            call { os throws(RegistryError) in state = try os.requestState(id) }
            guard state == .inside, let fence = id.geofence, inside.insert(fence).inserted else { return }
            told.append(RegistryReport(region: id, kind: .entered, at: os.now, fix: newest))
        }

        /// A phone without faults refuses only what it cannot watch at all, and then the region is not watched.
        private mutating func call(_ body: (inout SimulatedOS) throws(RegistryError) -> Void) {
            do throws(RegistryError) {
                try body(&os)
            } catch {
                return
            }
        }
    }
}
