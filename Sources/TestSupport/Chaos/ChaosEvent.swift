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

    /// Whether the event is an edit of a geofence, after which a service repairs at once.
    var isEdit: Bool {
        switch self {
        case .geofenceAdded, .geofenceMoved, .geofenceResized, .geofenceRemoved, .geofenceSwitched: true
        default: false
        }
    }
}
