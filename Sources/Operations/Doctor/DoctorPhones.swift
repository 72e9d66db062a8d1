import Core
import Model
import Reconciler
import Registrations
import Registry
import Store

extension Doctor {
    /// Checks the registrations of real phones, and the settings of phones that lose reports.
    func checkPhones(_ queries: Queries) throws(Problem) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let modes = try queries.store.newestMonitoringModes(limit: 100_000)
        for device in try queries.devices() {
            findings +=
                Self.isRealPhone(device)
                ? try checkHealth(of: device, queries) : try checkStatusMessage(of: device, queries)
            let key = try queries.storedDevice(id: device.id).key
            if let mode = modes[key].flatMap(OwnTracksMode.init(rawValue:)) {
                findings.append(.monitoringMode(device: device.id, mode))
            }
        }
        return findings
    }

    /// The settings of a managed phone that lose reports, and else the problem of its registrations.
    private func checkHealth(of device: Device, _ queries: Queries) throws(Problem) -> [DoctorFinding] {
        let status = try queries.health(of: device).status
        let settings = status.findings.filter { $0.kind == .blocked || $0.kind == .degraded }.map {
            DoctorFinding.phoneSetting(device: device.id, platform: device.platform ?? .ios, $0.cause)
        }
        guard settings.isEmpty, let problem = status.problem else { return settings }
        return [.problem(problem, .phones, source: Queries.DeviceProblem.registry.source(of: device.id))]
    }

    /// The settings that lose reports according to the newest `status` message of the OwnTracks app of a device that is not managed.
    private func checkStatusMessage(of device: Device, _ queries: Queries) throws(Problem) -> [DoctorFinding] {
        guard device.registry == .none,
            let message = try queries.store.newestStatusMessage(of: queries.storedDevice(id: device.id).key)
        else { return [] }
        var report = OwnTracksReport()
        guard report.storeStatus(message) else { return [] }
        let snapshot = report.snapshot([], states: [:], at: now)
        var causes: [Finding.Cause] = []
        if snapshot.authorization != .always { causes.append(.authorization(snapshot.authorization)) }
        if !snapshot.preciseLocation { causes.append(.imprecise) }
        if snapshot.backgroundRefresh == false { causes.append(.noBackgroundRefresh) }
        if snapshot.batteryOptimized == true { causes.append(.batteryOptimized) }
        let platform: Device.Platform = message["iOS"] == nil ? .android : .ios
        return causes.map { .phoneSetting(device: device.id, platform: platform, $0) }
    }
}
