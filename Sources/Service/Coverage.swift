import Model
import Reconciler
import Registry
import SimulatedOS

/// Simulates which enters and exits a phone's operating system would report for a track, depending on how the watched regions are selected.
package enum Coverage {
    /// How the watched regions are selected.
    package enum Selection: Sendable {
        /// A phone without a limit of regions, as the reference for the other selections.
        case withoutLimit
        /// Picket's selection, with a repair at each exit from the sentinel.
        case repaired
        /// As many regions as the limit allows, by id, registered once: the behavior of an app without Picket.
        case onceAndForAll
    }

    /// The enters and exits that the phone reports, in order.
    ///
    /// - Parameter fixes: Sorted by time.
    package static func reports(
        of fixes: [Fix], device: Device, fences: [Geofence], platform: Device.Platform, way: Selection
    ) -> [RegistryReport] {
        guard let first = fixes.first else { return [] }
        var profile = PlatformProfile(platform)
        if way == .withoutLimit { profile.limit = .max }
        var phone = Phone(
            os: SimulatedOS(profile, at: first.time), device: device, catalog: FenceCatalog(fences, profile: profile))
        for (number, fix) in fixes.enumerated() {
            while let due = phone.os.nextDeadline, due <= fix.time {
                phone.os.advance(to: due)
                phone.processReports(repairing: way == .repaired)
            }
            phone.os.observe(fix)
            phone.newest = fix
            if number == 0 { way == .repaired ? phone.repair() : phone.registerAll() }
            phone.processReports(repairing: way == .repaired)
        }
        return phone.reports
    }

    /// A phone without faults, and the reports that it has sent.
    private struct Phone {
        var os: SimulatedOS
        let device: Device
        let catalog: FenceCatalog
        var newest: Fix?
        var inside: Set<String> = []
        var reports: [RegistryReport] = []

        init(os: SimulatedOS, device: Device, catalog: FenceCatalog) {
            self.os = os
            self.device = device
            self.catalog = catalog
        }

        /// Handles the new reports of the operating system.
        mutating func processReports(repairing: Bool) {
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
                    reports.append(report)
                }
            }
            if isLeft && repairing { repair() }
        }

        /// Registers geofences by id until the limit is reached.
        mutating func registerAll() {
            for entry in catalog.entries where entry.applies(to: device) && os.regions.count < os.profile.limit {
                call { os throws(RegistryError) in try os.startMonitoring(entry.region) }
                if os.profile.supportsStateRequests { requestState(entry.regionID) }
            }
        }

        /// Makes one repair.
        mutating func repair() {
            let catalog = catalog
            let context = DeviceContext(device: device, fixes: newest.map { [$0] } ?? [], openVisits: inside)
            var added: [RegionID] = []
            call { os throws(RegistryError) in
                for operation in Assessment(of: try os.snapshot(), in: context, catalog: catalog, journal: RegistryJournal())
                    .plan
                {
                    switch operation.kind {
                    case .start(let region):
                        try os.startMonitoring(region)
                        added.append(region.id)
                    case .stop(let id): try os.stopMonitoring(id)
                    case .requestState: break
                    }
                }
            }
            // If the device is already inside an added region, iOS does not report an enter. Only the region's state shows it.
            for id in added where os.profile.supportsStateRequests { requestState(id) }
        }

        /// Requests a region's state, and counts `inside` as an enter.
        private mutating func requestState(_ id: RegionID) {
            var state = RegionState.unknown
            call { os throws(RegistryError) in state = try os.requestState(id) }
            guard state == .inside, let fence = id.geofence, inside.insert(fence).inserted else { return }
            reports.append(RegistryReport(region: id, kind: .entered, at: os.now, fix: newest))
        }

        /// Makes a call and ignores its failure: a phone without faults refuses only regions that it cannot watch at all.
        private mutating func call(_ body: (inout SimulatedOS) throws(RegistryError) -> Void) {
            do throws(RegistryError) {
                try body(&os)
            } catch {
                return
            }
        }
    }
}
