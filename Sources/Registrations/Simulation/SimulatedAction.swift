import Core
import Geodesy
import Model
import Registry
import SimulatedOS

/// Something that happens to a simulated phone: an action of a person, a change of regions by the operating system, or a fault.
///
/// A region is identified by the id of its geofence, or by its identifier in the operating system.
package enum SimulatedAction: Hashable, Sendable {
    /// The operating system loses this number of Picket's regions, selected at random.
    case drop(count: Int)
    /// The operating system loses these regions.
    case dropRegions([String])
    /// A region appears that the app did not register; see `adding(_:_:isOurs:)`.
    case add(Region)
    /// The phone restarts.
    case reboot
    /// The app is reinstalled, or restored to a new phone.
    case reinstall
    /// The person changes the location permission.
    case authorize(Authorization)
    /// The person switches location services on or off.
    case location(isOn: Bool)
    /// The person changes another setting, or the test changes a policy of the operating system.
    case set(SimulatedSetting)
    /// A fault happens now or at the next call.
    case fail(SimulatedFault)
    /// The phone is exchanged for one that handles regions in this way.
    case useProfile(SimulatedProfile)

    /// A region appears that belongs to no saved geofence (an orphan of Picket), or that another SDK registers.
    ///
    /// - Parameter identifier: For an orphan the geofence's id, for another SDK the whole identifier.
    /// - Throws: `Problem.validationFailed` for an empty identifier, and for another SDK's identifier with Picket's prefix.
    package static func adding(_ identifier: String, _ circle: Circle, isOurs: Bool) throws(Problem) -> SimulatedAction {
        let id = isOurs ? RegionID(geofence: identifier) : RegionID(identifier)
        guard !identifier.isEmpty, id.isOurs == isOurs else {
            throw .validationFailed(
                field: "identifier", value: identifier,
                reason: identifier.isEmpty ? .empty : Phrase("identifiers that start with \(RegionID.prefix) are reserved"),
                expected: isOurs
                    ? Phrase("the id of a geofence that no longer exists") : Phrase("an identifier such as another SDK uses"))
        }
        return .add(Region(id: id, circle: circle))
    }

    /// Applies the action to a phone.
    ///
    /// - Returns: The regions that the operating system has lost because of `drop`.
    /// - Throws: `Problem.validationFailed` for a region that the phone does not hold or accept, and for anything that its platform does
    ///   not support. The phone is then unchanged.
    func apply(to phone: inout SimulatedOS) throws(Problem) -> [RegionID] {
        switch self {
        case .drop(let count): return phone.dropRandomRegions(count)
        case .dropRegions(let names):
            var lost: [RegionID] = []
            for name in names { lost.append(try phone.region(named: name)) }
            phone.dropRegions(lost)
            return lost
        case .add(let region):
            guard phone.add(region) else {
                throw .validationFailed(
                    field: "region", value: region.id.description,
                    reason:
                        Phrase(
                            """
                            the phone cannot monitor it: its \(phone.profile.limit) slots are in use, or it is not a circle \
                            that the phone supports
                            """),
                    expected: Phrase("a free slot, coordinates, and a radius that \(phone.profile.name) supports"))
            }
        case .reboot: phone.reboot()
        case .reinstall: phone.reinstall()
        case .authorize(let status): phone.authorize(status)
        case .location(let isOn): phone.setLocationServices(isOn)
        case .set(let setting): try setting.apply(to: &phone)
        case .fail(let fault): try fault.apply(to: &phone)
        case .useProfile(let choice): phone.use(try choice.profile(on: phone.profile.platform))
        }
        return []
    }
}

extension SimulatedOS {
    /// The region with this geofence id or with this identifier in the operating system.
    ///
    /// - Throws: `Problem.validationFailed` if the phone holds no such region.
    func region(named name: String) throws(Problem) -> RegionID {
        let names = [RegionID(geofence: name), RegionID(name)]
        guard let found = names.first(where: { id in regions.contains { $0.id == id } }) else {
            throw .validationFailed(
                field: "identifier", value: name, reason: Phrase("the phone has no such region"),
                expected: Phrase("an identifier of a region that the phone's registry lists"))
        }
        return found
    }
}

extension Queries {
    /// Changes a device's simulated operating system on the calling thread. For a process without a service.
    ///
    /// - Throws: `Problem.validationFailed` if the device's registry is not simulated, because a real phone cannot be changed from here.
    package func changeSimulatedOS<Result>(
        of device: Device, _ body: (inout SimulatedOS) -> Result
    ) throws(Problem) -> Result {
        try device.checkSimulated()
        try passMissedPositions(of: storedDevice(id: device.id).key)
        return try phones.onThisThread { file throws(Problem) in try file.change(device, at: clock.now(), body) }
    }

    /// Applies an action to a device's simulated phone.
    ///
    /// - Returns: The resulting phone, and the regions that its operating system has lost because of `drop`.
    /// - Throws: `Problem.validationFailed` if the device's registry is not simulated, and the errors of `SimulatedAction.apply(to:)`.
    package func simulate(
        _ action: SimulatedAction, on device: Device
    ) throws(Problem) -> (phone: SimulatedOS, lost: [RegionID]) {
        try changeSimulatedOS(of: device) { action.applied(to: &$0) }.get()
    }
}

extension SimulatedPhones {
    /// Applies an action to a device's simulated phone through the owner of the phones in a running service.
    func simulate(_ action: SimulatedAction, on device: Device, at now: Instant) async throws(Problem) {
        try device.checkSimulated()
        _ = try await change(device, at: now) { action.applied(to: &$0) }.get()
    }
}

extension SimulatedAction {
    /// Applies the action to a phone, and returns what `simulate(_:on:)` returns.
    fileprivate func applied(to phone: inout SimulatedOS) -> Result<(phone: SimulatedOS, lost: [RegionID]), Problem> {
        Result { () throws(Problem) in
            let lost = try apply(to: &phone)
            return (phone, lost)
        }
    }
}

extension Device {
    /// Checks that the device's phone is simulated, because a real one cannot be changed from here. Throws `Problem.validationFailed`.
    package func checkSimulated() throws(Problem) {
        guard registry == .simulated else {
            throw .validationFailed(
                field: "device", value: id,
                reason: registry == .none
                    ? .notManaged
                    : Phrase("its registry is not simulated, and a real phone cannot be controlled from here"),
                expected: Phrase("a device created with 'picket device add ID --platform ios' or android"))
        }
    }
}
