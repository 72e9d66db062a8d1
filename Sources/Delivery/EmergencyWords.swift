import Model

/// The words about alarms and emergencies in one language: of messages, and of the page that a message links to. None ends with a
/// full stop.
public protocol EmergencyWords: Sendable {
    /// What stands before the name of the device in a heading.
    var emergency: String { get }
    /// The same for an alarm that is no emergency.
    var alarm: String { get }
    /// When it was raised.
    func raised(at time: String) -> String
    /// Where the device was last.
    ///
    /// - Parameters:
    ///   - position: The time of the position, perhaps with its coordinates.
    ///   - geofences: The names of the geofences that it was in.
    func lastPosition(_ position: String, in geofences: [String]) -> String
    var noPosition: String { get }
    /// What stands before the number to call.
    var numberThere: String { get }
    /// What a button says by which an emergency is acknowledged.
    var acknowledge: String { get }
    /// That the message is sent again until somebody acknowledges it.
    var repeated: String { get }
    /// The same, with what to do.
    ///
    /// - Parameter action: A link, or a command.
    func repeated(until action: String) -> String
    /// When somebody acknowledged it.
    func acknowledged(at time: String) -> String
}

extension Language {
    /// The words about emergencies in this language.
    public var emergencyWords: any EmergencyWords {
        switch self {
        case .english: EnglishEmergencyWords()
        case .turkish: TurkishEmergencyWords()
        }
    }
}

private struct EnglishEmergencyWords: EmergencyWords {
    let emergency = "EMERGENCY"
    let alarm = "Alarm"
    func raised(at time: String) -> String { "Raised \(time)" }
    func lastPosition(_ position: String, in geofences: [String]) -> String {
        "Last position: \(position), in \(geofences.isEmpty ? "no geofence" : geofences.joined(separator: ", "))"
    }
    let noPosition = "No position is known"
    let numberThere = "Emergency number there"
    let acknowledge = "I have seen it"
    let repeated = "The message is sent again every five minutes until somebody has seen it"
    func repeated(until action: String) -> String { "Repeated until somebody says that they have seen it: \(action)" }
    func acknowledged(at time: String) -> String { "Seen \(time)" }
}

private struct TurkishEmergencyWords: EmergencyWords {
    let emergency = "ACİL DURUM"
    let alarm = "Alarm"
    func raised(at time: String) -> String { "Zaman: \(time)" }
    func lastPosition(_ position: String, in geofences: [String]) -> String {
        "Son konum: \(position), \(geofences.isEmpty ? "hiçbir bölgede değil" : "bölge: \(geofences.joined(separator: ", "))")"
    }
    let noPosition = "Konumu bilinmiyor"
    let numberThere = "Oradaki acil durum numarası"
    let acknowledge = "Gördüm"
    let repeated = "Biri görene dek ileti her beş dakikada bir yeniden gönderilir"
    func repeated(until action: String) -> String { "Biri gördüğünü bildirene dek yinelenir: \(action)" }
    func acknowledged(at time: String) -> String { "Görüldü: \(time)" }
}
