import PicketModel
import Registry

/// The regions that Core Location monitors for the app.
///
/// Core Location calls its delegate on the main thread, so this class belongs to the main actor. Create it when the app is launched: the
/// callback that launched the app goes to the delegate that exists then.
@MainActor
public final class CoreLocationRegistry: RegionRegistry {
    public nonisolated let profile: PlatformProfile
    /// Seconds to wait for the answer to a state request. Core Location does not answer for a region that it does not monitor.
    public nonisolated static let longestAnswer = 10.0

    private let manager: any LocationManaging
    private let clock: any RegistryClock
    private var states: [RegionID: RegionState] = [:]
    private var failures: [RegionID: RegistrySnapshot.Failure] = [:]
    private var stateRequests: [RegionID: [AsyncStream<RegionState>.Continuation]] = [:]
    private var subscribers: [Int: AsyncStream<RegistryReport>.Continuation] = [:]
    private var subscriptionCount = 0

    /// - Parameter profile: How the operating system handles regions. Tests can lower its limit.
    public init(
        _ manager: any LocationManaging, clock: any RegistryClock = SystemRegistryClock(), profile: PlatformProfile = .ios
    ) {
        self.manager = manager
        self.clock = clock
        self.profile = profile
        manager.delegate = self
    }

    public func snapshot() async throws(RegistryError) -> RegistrySnapshot {
        let isLocationOn = await manager.locationServicesEnabled()
        let now = await clock.now
        return RegistrySnapshot(
            takenAt: now, authorization: manager.authorizationStatus, locationServicesEnabled: isLocationOn,
            preciseLocation: manager.isPrecise, backgroundRefresh: manager.isBackgroundRefreshOn,
            regions: manager.monitoredRegions, states: states, failures: Array(failures.values))
    }

    public func startMonitoring(_ region: Region) async throws(RegistryError) {
        failures[region.id] = nil
        states[region.id] = nil
        manager.startMonitoring(for: region)
    }

    public func stopMonitoring(_ id: RegionID) async throws(RegistryError) {
        failures[id] = nil
        states[id] = nil
        manager.stopMonitoring(for: id)
    }

    public func requestState(_ id: RegionID) async throws(RegistryError) -> RegionState {
        let (answers, answer) = AsyncStream.makeStream(of: RegionState.self)
        stateRequests[id, default: []].append(answer)
        manager.requestState(for: id)
        let deadline = Task { [clock] in
            // When the task is canceled, the answer has come.
            try await clock.sleep(until: await clock.now + Self.longestAnswer)
            answer.finish()
        }
        defer { deadline.cancel() }
        for await state in answers { return state }
        throw RegistryError(.unavailable)
    }

    public var reports: AsyncStream<RegistryReport> {
        let (stream, continuation) = AsyncStream.makeStream(of: RegistryReport.self)
        subscriptionCount += 1
        let number = subscriptionCount
        subscribers[number] = continuation
        continuation.onTermination = { _ in
            Task { @MainActor [weak self] in self?.subscribers[number] = nil }
        }
        return stream
    }

    private func send(_ report: RegistryReport) {
        for subscriber in subscribers.values { subscriber.yield(report) }
    }
}

extension CoreLocationRegistry: LocationManagingDelegate {
    public func didEnterRegion(_ id: RegionID, at time: Instant) {
        states[id] = .inside
        send(RegistryReport(region: id, kind: .entered, at: time, fix: manager.latestFix))
    }

    public func didExitRegion(_ id: RegionID, at time: Instant) {
        states[id] = .outside
        send(RegistryReport(region: id, kind: .exited, at: time, fix: manager.latestFix))
    }

    public func didDetermineState(_ state: RegionState, for id: RegionID) {
        states[id] = state
        for request in stateRequests.removeValue(forKey: id) ?? [] {
            request.yield(state)
            request.finish()
        }
    }

    public func monitoringDidFail(for id: RegionID, with error: RegistryError, at time: Instant) {
        failures[id] = .init(id: id, error: error, at: time)
        send(RegistryReport(region: id, kind: .failed(error), at: time))
    }
}
