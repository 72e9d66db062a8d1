import Comparison
import Core
import Model
import Places
import Reconciler
import Registry
import Store

// The registrations of devices whose app reports its regions.

extension Queries {
    /// The registry of a device whose app reports its regions.
    func appRegistry(
        of stored: PicketStore.StoredDevice, _ platform: Device.Platform
    ) throws(Problem) -> ReportedRegistry {
        var registry = ReportedRegistry(PlatformProfile(platform))
        guard let (json, at) = try store.report(of: stored.key) else { return registry }
        let report = try AppRegionList(json: json, of: platform, at: at)
        // No app gets more than its platform allows, and a plan for many more regions takes long to make.
        if let limit = report.limit { registry.profile.limit = min(limit, registry.profile.limit) }
        var snapshot = report.snapshot
        if let loss = try store.regionLoss(of: stored.key) {
            snapshot.regions = []
            snapshot.disruptions[.locationOff] = loss.at
        }
        registry.last = RegistryReading(snapshot, reportedAt: at)
        return registry
    }

    /// The platform that an app's report states or implies, before the report is checked; nil if it does neither.
    static func platform(ofReport json: JSONValue) -> Device.Platform? { AppRegionList.platform(of: json) }

    /// How the operating system of a device names its regions: as its app has reported, or else as Picket names them.
    func regionIdentifiers(of device: Device) throws(Problem) -> RegionIdentifiers {
        guard device.registry == .app, let platform = device.platform, let stored = try store.device(id: device.id),
            let (json, at) = try store.report(of: stored.key)
        else { return .picket }
        return try AppRegionList(json: json, of: platform, at: at).identifiers
    }
}

extension ServiceWriter {
    /// Stores an app's report of its regions, and returns the device's health and the operations that the app should carry out, in order. A
    /// report that is older than the last one is not stored.
    ///
    /// An unknown device is created with the registry `app`, and a device whose registry is `none` gets the registry `app`.
    ///
    /// - Throws: `Problem.conflict` if the device has a registry of another kind, and `Problem.validationFailed` if the report is invalid,
    ///   or if the platform of a new device is not known.
    func storeReport(_ json: JSONValue, of id: String) throws(Problem) -> RegistryAnswer {
        let old = try store.device(id: id)
        let now = clock.now()
        // Reports of the same form only: those of another registry are removed with it.
        let last =
            old?.device.registry == .app ? try old.map { known throws(Problem) in try store.report(of: known.key) } ?? nil : nil
        let json = json.withIdentifiers(ofReport: last?.report)
        let report = try AppRegionList(json: json, of: old?.device.platform, at: now)
        let device = try reportingDevice(id, old?.device, report)
        if let flaw = device.flaw { throw flaw }
        let moment = report.snapshot.takenAt
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            if device != old?.device { _ = try saveChecked(device, in: transaction) }
            let stored = try storedDevice(id: id)
            let isNewest = last.map { $0.at <= moment } ?? true
            if isNewest {
                try store.save(report: json, of: stored.key, at: moment, in: transaction)
                try updateLoss(of: stored, by: report, in: transaction)
            }
            let (status, assessment) = try health(of: stored.device)
            if isNewest {
                try record(status, .attempt, at: now, in: transaction)
                let canRegister = report.snapshot.locationServicesEnabled && assessment?.plan.isEmpty == false
                if canRegister, let loss = try store.regionLoss(of: stored.key) {
                    try store.save(loss: .init(at: loss.at, isAnswered: true), of: stored.key, in: transaction)
                }
            }
            return RegistryAnswer(
                status: status, operations: assessment?.plan ?? [], identifiers: try regionIdentifiers(of: stored.device),
                isNewDevice: old == nil)
        }
    }

    /// Begins a loss of the regions that an app's report lists, or ends it. The list is what the app believes: where switching location off
    /// removes all regions, they are registered again only after the app got the operations for that.
    private func updateLoss(
        of stored: PicketStore.StoredDevice, by report: AppRegionList, in transaction: borrowing Transaction
    ) throws(Problem) {
        guard PlatformProfile(stored.device.platform ?? .ios).locationOffRemoves else { return }
        let moment = report.snapshot.takenAt
        if !report.snapshot.locationServicesEnabled || report.snapshot.failures.contains(where: \.error.code.meansAllLost) {
            try store.save(loss: .init(at: moment), of: stored.key, in: transaction)
        } else if try store.regionLoss(of: stored.key)?.isAnswered == true {
            try store.save(loss: nil, of: stored.key, in: transaction)
        }
    }

    /// Begins a loss of an app's regions if one of its observations shows it, and no newer report has listed regions since.
    func recordLosses(
        in observations: [AppObservation], of key: DeviceKey, _ device: Device, _ transaction: borrowing Transaction
    ) throws(Problem) {
        guard device.registry == .app, PlatformProfile(device.platform ?? .ios).locationOffRemoves,
            let moment = observations.lazy.filter(\.meansAllLost).map(\.at).max(), let report = try store.report(of: key),
            report.at <= moment
        else { return }
        try store.save(loss: .init(at: moment), of: key, in: transaction)
    }

    /// The device of a report as it should be: with the registry `app` and a platform.
    private func reportingDevice(_ id: String, _ old: Device?, _ report: AppRegionList) throws(Problem) -> Device {
        var device = old ?? Device(id: id, name: String(id.prefix(120)))
        guard device.registry == .app || device.registry == .none else {
            throw .conflict(kind: .device, id: id, reason: Phrase("its registry is '\(device.registry.rawValue)', not 'app'"))
        }
        if let platform = device.platform, let reported = report.platform, platform != reported {
            throw .validationFailed(
                field: "platform", value: reported.rawValue, reason: Phrase("the device's platform is '\(platform.rawValue)'"),
                expected: Phrase("\(platform.rawValue), or another device for the other phone"))
        }
        guard let platform = device.platform ?? report.platform else {
            throw .missing("platform", Phrase("ios or android: the system of the reporting phone"))
        }
        device.platform = platform
        device.registry = .app
        return try inheriting(device)
    }
}

extension AppObservation {
    /// Whether the line shows that the operating system has dropped its regions, for a system that does so while location is off.
    fileprivate var meansAllLost: Bool {
        switch content {
        case .error(let code, _): code.meansAllLost
        case .locationServices(let isEnabled): !isEnabled
        case .transition, .regions, .authorization: false
        }
    }
}

extension RegistryError.Code {
    /// Whether the error is that of Android while location is off, or the switch "Location Accuracy", when it watches no region.
    fileprivate var meansAllLost: Bool { self == .geofenceNotAvailable }
}
