import Model
import Reconciler
import Registry

/// Something that changed beside the events, for whoever watches a running service: it is told once, and not kept.
public struct ServiceNotice: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// A problem was recorded, resolved or dismissed.
        case problem
        /// The health of a device's registrations is not what it was.
        case health
        /// An operation of a repair that still runs was tried.
        case repairStep
        /// A repair of a device's registrations has ended.
        case repair
        /// A person has acknowledged an alarm.
        case alarm
        /// The connection to a sink is in another state, or another attempt has failed.
        case sink
        /// Geofences were made, changed or removed.
        case geofences
        /// A device reports without a good token that has not done so before.
        case device
    }

    public var kind: Kind
    /// Whom it is about; nil for the service as a whole.
    public var deviceId: String?
    public var json: JSONValue

    public init(_ kind: Kind, deviceId: String?, _ json: JSONValue) {
        self.kind = kind
        self.deviceId = deviceId
        self.json = json
    }
}

extension ServiceNotice {
    /// `{"deviceId","number","operation","identifier","name","reason","outcome","error"}`: the first operation of a repair has number 1.
    init(_ step: RepairReport.Step, number: Int, of device: Device) {
        let members = step.json(PlatformProfile(device.platform ?? .ios)).members ?? []
        self.init(
            .repairStep, deviceId: device.id,
            .object([.init("deviceId", .string(device.id)), .init("number", JSONValue(number))] + members))
    }

    /// The most geofences that a notice names.
    static let mostGeofences = 100

    /// Tells that geofences have changed. It names so many of them at most, and says how many there are.
    init(of edits: [Queries.GeofenceEdit]) {
        var saved: [JSONValue] = []
        var removed: [JSONValue] = []
        for edit in edits.prefix(Self.mostGeofences) {
            switch edit {
            case .put(let geofence): saved.append(.string(geofence.id))
            case .remove(let id): removed.append(.string(id))
            }
        }
        self.init(
            .geofences, deviceId: nil,
            ["saved": .array(saved), "removed": .array(removed), "count": JSONValue(edits.count)])
    }
}
