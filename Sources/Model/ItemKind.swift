/// A kind of thing that people name by id, such as a geofence. The raw values are in the parameters of problems. The words of each language
/// are in its catalog.
public enum ItemKind: String, CaseIterable, Sendable {
    case address
    case alarm
    case clientID = "client id"
    case device
    case directory
    case file
    case geofence
    case group
    case parkedEvent = "parked event"
    case placeInTrack = "place in a track"
    case problem
    case repair
    case rule
    case sink
    case token
    case total
    case visit
}
