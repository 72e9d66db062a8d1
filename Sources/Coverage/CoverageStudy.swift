import Model
import Reconciler
import Registry

/// Replays tracks through simulated phones, and compares what the operating system reports to an app, depending on how the app
/// selects regions.
package struct CoverageStudy {
    /// The progress of a study, in fixes that phones have processed.
    package typealias Progress = (_ done: Int, _ of: Int) -> Void

    private let candidates: RegionCandidates
    package private(set) var report: CoverageReport

    /// - Parameters:
    ///   - geofences: Those of all devices; each has its own id.
    ///   - profile: How the phones behave, with their limit of regions (at least 2).
    ///   - strategies: The strategies to compare, in the order of the report.
    package init(
        _ geofences: [Geofence], profile: PlatformProfile, strategies: [RegionStrategy] = RegionStrategy.allCases
    ) {
        candidates = RegionCandidates(geofences, profile: profile)
        report = CoverageReport(
            profile: profile, geofenceCount: geofences.count { $0.isActive },
            strategies: strategies.map { StrategyCoverage($0) })
    }

    /// Adds the track of a device.
    ///
    /// - Parameter fixes: Sorted by time.
    package mutating func add(_ fixes: [Fix], of device: Device, progress: Progress = { _, _ in }) {
        guard !fixes.isEmpty else { return }
        let fences = WatchedFences(candidates, for: device)
        let total = fixes.count * (report.strategies.count + 1)
        var done = 0
        func run(_ choice: AppOnPhone.Choice) -> AppOnPhone {
            var app = AppOnPhone(fences, choice, at: fixes[0].time)
            for fix in fixes {
                app.observe(fix)
                done += 1
                progress(done, total)
            }
            app.finish()
            return app
        }
        let reference = run(.all(fences.met(by: fixes))).transitions
        report.deviceCount += 1
        report.fixCount += fixes.count
        report.transitionCount += reference.count
        for index in report.strategies.indices {
            report.strategies[index].add(run(.by(report.strategies[index].strategy)), reference: reference)
        }
    }
}
