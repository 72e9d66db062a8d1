import Coverage
import Model
import Registry

/// The content of a log and a snapshot, grouped by what it is about. Times are by the track's clock.
struct AppLogEvidence {
    /// A report under an identifier that no geofence has.
    struct UnknownReport {
        var kind: TransitionKind
        var id: RegionID
        var at: Instant
        /// Whether the identifier has the app's prefix.
        var isOurs: Bool
    }

    /// An error of the operating system.
    struct SystemError {
        var code: RegistryError.Code
        var at: Instant
    }

    /// The loss of all regions.
    struct Loss {
        var at: Instant
        /// The error that shows it; nil if location was switched on again.
        var error: SystemError?
        /// The number of region lists before it in the log.
        fileprivate var lists: Int
    }

    /// The reports of each geofence, by number, in order of time.
    private(set) var reports: [Int: [ReportedTransition]] = [:]
    /// In order of time.
    private(set) var unknownReports: [UnknownReport] = []
    private(set) var regions = RegionTimeline()
    private(set) var authorization = PhoneTimeline<Authorization>()
    private(set) var precision = PhoneTimeline<Bool>()
    private(set) var locationServices = PhoneTimeline<Bool>()
    /// The errors that concern all regions, in order of time.
    private var errors: [SystemError] = []
    /// When Android lost all regions, in order of time.
    private var losses: [Loss] = []
    /// The errors of each geofence, by number.
    private var errorsByFence: [Int: [SystemError]] = [:]
    /// The times of all observations, in order.
    private var times: [Instant] = []
    private var unknownCounts: [RegionID: (count: Int, isOurs: Bool)] = [:]
    private var knownCount = 0

    /// - Parameter lag: Seconds by which the log's clock is ahead.
    init(_ log: AppLog, lag: Double, snapshot: AppLogComparison.Snapshot?, fences: ComparedFences, names: RegionNames) {
        times.reserveCapacity(log.observations.count)
        var pending = snapshot.map { ($0.hasTime ? $0.content.takenAt + -lag : Instant.earliest, $0.content) }
        for observation in log.observations {
            let moment = observation.at + -lag
            if let (at, content) = pending, at <= moment {
                add(content, at: at, fences, names)
                pending = nil
            }
            times.append(moment)
            add(observation.content, at: moment, fences, names)
        }
        if let (at, content) = pending { add(content, at: at, fences, names) }
    }

    private mutating func add(
        _ content: AppObservation.Content, at moment: Instant, _ fences: ComparedFences, _ names: RegionNames
    ) {
        switch content {
        case .transition(let kind, let id):
            if let number = fences.number(of: id, names) {
                knownCount += 1
                reports[number, default: []].append(ReportedTransition(kind: kind, at: moment))
            } else if id != .sentinel {
                count(id, names)
                unknownReports.append(UnknownReport(kind: kind, id: id, at: moment, isOurs: names.isOurs(id)))
            }
        case .regions(let list): add(list, at: moment, fences, names)
        case .authorization(let status, let isPrecise):
            authorization.add(status, at: moment)
            if let isPrecise { precision.add(isPrecise, at: moment) }
        case .locationServices(let isEnabled):
            if isEnabled, locationServices.latest == false { addLoss(at: moment) }
            locationServices.add(isEnabled, at: moment)
        case .error(let code, let id):
            let error = SystemError(code: code, at: moment)
            if code == .geofenceNotAvailable { addLoss(at: moment, error) }
            guard let id else { return errors.append(error) }
            if let number = fences.number(of: id, names) { errorsByFence[number, default: []].append(error) }
        }
    }

    private mutating func addLoss(at moment: Instant, _ error: SystemError? = nil) {
        losses.append(Loss(at: moment, error: error, lists: regions.times.count))
    }

    private mutating func add(_ list: [Region], at moment: Instant, _ fences: ComparedFences, _ names: RegionNames) {
        for region in list where region.id != .sentinel {
            if fences.number(of: region.id, names) != nil { knownCount += 1 } else { count(region.id, names) }
        }
        regions.add(list, at: moment) { fences.number(of: $0, names) }
    }

    private mutating func add(
        _ content: RegistrySnapshot, at moment: Instant, _ fences: ComparedFences, _ names: RegionNames
    ) {
        if let list = content.regions { add(list, at: moment, fences, names) }
        authorization.addSnapshot(content.authorization, at: moment)
        precision.addSnapshot(content.preciseLocation, at: moment)
        locationServices.addSnapshot(content.locationServicesEnabled, at: moment)
    }

    private mutating func count(_ id: RegionID, _ names: RegionNames) {
        unknownCounts[id, default: (0, names.isOurs(id))].count += 1
    }

    // MARK: - Questions

    /// The report of the geofence before this one; nil for the first one.
    func previousReport(_ report: ReportedTransition, of number: Int) -> ReportedTransition? {
        let own = reports[number] ?? []
        let index = own.partitioningIndex { $0.at >= report.at }
        // Of reports at the same time, those before it in the log are older.
        let place = own[index...].firstIndex(of: report) ?? index
        return place > 0 ? own[place - 1] : nil
    }

    /// The last error before a moment that concerns a geofence, or all of them, within a number of seconds.
    func error(of number: Int, before moment: Instant, within seconds: Double) -> SystemError? {
        let own = errorsByFence[number]?.last { $0.at <= moment && $0.at >= moment + -seconds }
        let last = errors.element(beforeFirst: { $0.at > moment }).flatMap { $0.at >= moment + -seconds ? $0 : nil }
        guard let own else { return last }
        return last.map { $0.at > own.at ? $0 : own } ?? own
    }

    /// The last loss of all regions before a moment; nil if the log has a region list after it. Android removes all regions while
    /// location is off, and then returns the error 1000 for a call about any region.
    func loss(before moment: Instant, _ profile: PlatformProfile) -> Loss? {
        guard profile.locationOffRemoves, let last = losses.element(beforeFirst: { $0.at > moment }) else { return nil }
        return regions.times.partitioningIndex { $0 > moment } > last.lists ? nil : last
    }

    /// The time without an observation around a moment; its end is `Instant.latest` after the last one. Nil at an observation.
    func gap(at moment: Instant) -> ClosedRange<Instant>? {
        let next = times.partitioningIndex { $0 >= moment }
        if next < times.count, times[next] == moment { return nil }
        let start = next > 0 ? times[next - 1] : Instant.earliest
        return start...(next < times.count ? times[next] : .latest)
    }

    /// Adds the identifiers that no geofence has.
    func addIdentifiers(to remarks: inout AppLogRemarks) {
        remarks.unknownIdentifierCount = unknownCounts.count
        remarks.namesNoGeofence = knownCount == 0 && !unknownCounts.isEmpty
        remarks.unknownIdentifiers = unknownCounts.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
            .prefix(AppLogRemarks.mostIdentifiers).map {
                .init(identifier: String($0.key.text.prefix(200)), count: $0.value.count, isOurs: $0.value.isOurs)
            }
    }
}
