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
    case rejectedEvent = "parked event"
    case placeInTrack = "place in a track"
    case problem
    case repair
    case rule
    case sink
    case token
    case total
    case visit
}

extension ItemKind: Named {
    package var phrase: Phrase {
        switch self {
        case .address: Phrase("address")
        case .alarm: Phrase("alarm")
        case .clientID: Phrase("client id")
        case .device: Phrase("device")
        case .directory: Phrase("directory")
        case .file: Phrase("file")
        case .geofence: Phrase("geofence")
        case .group: Phrase("group")
        case .rejectedEvent: Phrase("rejected event")
        case .placeInTrack: Phrase("point of a track")
        case .problem: Phrase("problem")
        case .repair: Phrase("repair")
        case .rule: Phrase("rule")
        case .sink: Phrase("sink")
        case .token: Phrase("token")
        case .total: Phrase("total")
        case .visit: Phrase("visit")
        }
    }
}
