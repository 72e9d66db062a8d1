import Geodesy
import Model
import Registry
import SimulatedOS

/// Something that happens to a simulated phone: what a person does with it, what its system does to regions, and what goes wrong.
///
/// A region is named by the id of its geofence, or as the system has it.
public enum SimulatedAction: Hashable, Sendable {
    /// The system loses so many of our regions, picked by the phone's seed.
    case drop(count: Int)
    /// The system loses these regions.
    case dropRegions([String])
    /// A region is there that the app has not registered; see `adding(_:_:isOurs:)`.
    case add(Region)
    /// The phone restarts.
    case reboot
    /// The app is installed anew, or moves to a new phone.
    case reinstall
    /// The person changes the location permission.
    case authorize(Authorization)
    /// The person switches location services.
    case location(isOn: Bool)
    /// The person changes another setting, or the test changes a policy of the system.
    case set(SimulatedSetting)
    /// Something goes wrong, now or with the next call.
    case fail(SimulatedFault)

    /// A region of ours is left over that no geofence is saved for, or another SDK registers one.
    ///
    /// - Parameter identifier: Of ours the geofence's id, of another SDK's the identifier as it is.
    /// - Throws: `Problem.validationFailed` for an empty identifier, and for another SDK's that would be ours.
    public static func adding(_ identifier: String, _ circle: Circle, isOurs: Bool) throws(Problem) -> SimulatedAction {
        let id = isOurs ? RegionID(geofence: identifier) : RegionID(identifier)
        guard !identifier.isEmpty, id.isOurs == isOurs else {
            throw .validationFailed(
                field: "identifier", value: identifier,
                reason: identifier.isEmpty ? "it is empty" : "what begins with \(RegionID.prefix) is ours",
                expected: isOurs ? "the id of a geofence that is no more" : "an identifier as another SDK would give it")
        }
        return .add(Region(id: id, circle: circle))
    }

    /// Lets it happen to a phone. One to which it cannot happen stays as it is.
    ///
    /// - Returns: The regions that the system has lost by `drop`.
    /// - Throws: `Problem.validationFailed` for a region that the phone does not hold or take, and for what its platform does not know.
    public func happen(to phone: inout SimulatedOS) throws(Problem) -> [RegionID] {
        switch self {
        case .drop(let count): return phone.drop(count)
        case .dropRegions(let names):
            var lost: [RegionID] = []
            for name in names { lost.append(try phone.region(named: name)) }
            phone.drop(lost)
            return lost
        case .add(let region):
            guard phone.add(region) else {
                throw .validationFailed(
                    field: "region", value: region.id.description,
                    reason:
                        "the phone does not take it: its \(phone.profile.limit) slots are full, or it is no circle that it watches",
                    expected: "a free slot, a place, and a radius that \(phone.profile.name) watches")
            }
        case .reboot: phone.reboot()
        case .reinstall: phone.reinstall()
        case .authorize(let status): phone.authorize(status)
        case .location(let isOn): phone.setLocationServices(isOn)
        case .set(let setting): try setting.apply(to: &phone)
        case .fail(let fault): try fault.happen(to: &phone)
        }
        return []
    }
}

extension SimulatedOS {
    /// The region of a geofence's id or of an identifier as the system has it.
    ///
    /// - Throws: `Problem.validationFailed` when the phone holds none of that name.
    func region(named name: String) throws(Problem) -> RegionID {
        let names = [RegionID(geofence: name), RegionID(name)]
        guard let found = names.first(where: { id in regions.contains { $0.id == id } }) else {
            throw .validationFailed(
                field: "identifier", value: name, reason: "the phone holds no such region",
                expected: "an identifier of a region that the phone's registry lists")
        }
        return found
    }
}

extension Queries {
    /// Lets something happen to a device's simulated phone.
    ///
    /// - Returns: The phone as it is then, and the regions that its system has lost by `drop`.
    /// - Throws: `Problem.validationFailed` for a device whose registry is not simulated, and what `SimulatedAction.happen(to:)` throws.
    public func simulate(
        _ action: SimulatedAction, on device: Device
    ) throws(Problem) -> (phone: SimulatedOS, lost: [RegionID]) {
        try operate(device) { action.outcome(of: &$0) }.get()
    }
}

extension SimulatedPhones {
    /// The same by the owner of the phones of a running service.
    public func simulate(_ action: SimulatedAction, on device: Device, at now: Instant) async throws(Problem) {
        try device.checkSimulated()
        _ = try await change(device, at: now) { action.outcome(of: &$0) }.get()
    }
}

extension SimulatedAction {
    /// What comes of it on a phone, as `ServiceWriter.simulate(_:on:)` answers it.
    fileprivate func outcome(of phone: inout SimulatedOS) -> Result<(phone: SimulatedOS, lost: [RegionID]), Problem> {
        do throws(Problem) {
            let lost = try happen(to: &phone)
            return .success((phone, lost))
        } catch {
            return .failure(error)
        }
    }
}
