import Model
import Registry
import SimulatedOS

/// Something that happens in the life of a simulated phone.
package enum ChaosEvent: Hashable, Sendable {
    // The phone and its app
    case reboot(PlatformProfile.RebootPolicy)
    case update(PlatformProfile.UpdatePolicy)
    case forceStop(PlatformProfile.UpdatePolicy)
    case reinstall
    case clearData
    /// The app is killed during its next repair.
    case appKilled

    // What a person changes
    case authorization(Authorization, PlatformProfile.PermissionPolicy)
    case location(isOn: Bool)
    case preciseLocation(isOn: Bool)
    case backgroundRefresh(isOn: Bool)
    case batteryOptimization(isOn: Bool)

    // Faults
    /// The next matching call or report fails.
    case fault(Faults.Fault)
    case dropped(RegionID)
    case drifted(RegionID, meters: Double)
    case deafened(RegionID)
    case becameZombie(RegionID)

    // Other SDKs in the app
    case foreignAdded(RegionID)
    case foreignRemoved(RegionID)

    // Edits
    case geofenceAdded(String)
    case geofenceMoved(String)
    case geofenceResized(String)
    case geofenceRemoved(String)
    case geofenceSwitched(String, isOn: Bool)

    /// A word for the kind of event.
    package var name: String {
        switch self {
        case .reboot: "reboot"
        case .update: "update"
        case .forceStop: "forceStop"
        case .reinstall: "reinstall"
        case .clearData: "clearData"
        case .appKilled: "appKilled"
        case .authorization: "authorization"
        case .location: "location"
        case .preciseLocation: "preciseLocation"
        case .backgroundRefresh: "backgroundRefresh"
        case .batteryOptimization: "batteryOptimization"
        case .fault(let fault): String(fault.description.prefix { $0 != " " })
        case .dropped: "dropped"
        case .drifted: "drifted"
        case .deafened: "deafened"
        case .becameZombie: "zombie"
        case .foreignAdded: "foreignAdded"
        case .foreignRemoved: "foreignRemoved"
        case .geofenceAdded: "geofenceAdded"
        case .geofenceMoved: "geofenceMoved"
        case .geofenceResized: "geofenceResized"
        case .geofenceRemoved: "geofenceRemoved"
        case .geofenceSwitched: "geofenceSwitched"
        }
    }

    /// The event in words, for example `the phone restarts (zombie)`.
    package var words: String {
        switch self {
        case .reboot(let policy): "the phone restarts (\(policy.rawValue))"
        case .update(let policy): "the app is updated (\(policy.rawValue))"
        case .forceStop(let policy): "the app is stopped by force (\(policy.rawValue))"
        case .reinstall: "the app is installed anew"
        case .clearData: "the app's data is cleared"
        case .appKilled: "the app is killed during its next repair"
        case .authorization(.always, _): "the permission 'always' is granted"
        case .authorization(let status, _): "the permission becomes '\(status.rawValue)'"
        case .location(let isOn): "location is switched \(isOn ? "on" : "off")"
        case .preciseLocation(let isOn): "precise location is switched \(isOn ? "on" : "off")"
        case .backgroundRefresh(let isOn): "background refresh is switched \(isOn ? "on" : "off")"
        case .batteryOptimization(let isOn): "battery optimization is switched \(isOn ? "on" : "off")"
        case .fault(let fault): fault.words
        case .dropped(let id): "the system loses \(id)"
        case .drifted(let id, let meters): "the system moves \(id) by \(Int(meters)) m"
        case .deafened(let id): "the system forgets the notifications of \(id)"
        case .becameZombie(let id): "the system no longer watches \(id)"
        case .foreignAdded(let id): "another SDK registers \(id)"
        case .foreignRemoved(let id): "another SDK removes \(id)"
        case .geofenceAdded(let id): "geofence \(id) is added"
        case .geofenceMoved(let id): "geofence \(id) is moved"
        case .geofenceResized(let id): "geofence \(id) is resized"
        case .geofenceRemoved(let id): "geofence \(id) is removed"
        case .geofenceSwitched(let id, let isOn): "geofence \(id) is switched \(isOn ? "on" : "off")"
        }
    }

    /// Whether the event is an edit of a geofence, after which a service repairs at once.
    var isEdit: Bool {
        switch self {
        case .geofenceAdded, .geofenceMoved, .geofenceResized, .geofenceRemoved, .geofenceSwitched: true
        default: false
        }
    }
}

extension Faults.Fault {
    fileprivate var words: String {
        switch self {
        case .refuse(let code): "the next registration is refused: \(RegistryError(code))"
        case .loseStart: "the next registration is lost"
        case .loseStop: "the next removal is lost"
        case .noAnswer: "the registry does not answer the next time"
        case .noState: "the next request of a state is not answered"
        case .loseReport: "the next report is lost"
        case .delayReport(let seconds): "the next report is \(Int(seconds)) s late"
        }
    }
}
