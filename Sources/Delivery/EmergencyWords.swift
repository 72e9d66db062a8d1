import Model

/// The texts about alarms and emergencies in one language, for messages and for the page that a message links to. No text ends with a
/// period.
package protocol EmergencyWords: Sendable {
    /// The heading of an emergency, before the device's name.
    var emergency: String { get }
    /// The heading of an alarm that is no emergency.
    var alarm: String { get }
    /// What the kinds of alarms mean, by the kind in lowercase letters; see `kind(_:)`.
    var kinds: [String: String] { get }
    /// When the alarm was raised.
    func raised(at time: String) -> String
    /// The device's last position.
    ///
    /// - Parameters:
    ///   - position: The time of the position, possibly with its coordinates.
    ///   - geofences: The names of the geofences that contained the device.
    func lastPosition(_ position: String, in geofences: [String]) -> String
    var noPosition: String { get }
    /// The label before the emergency number to call.
    var emergencyNumber: String { get }
    /// The label of the button that acknowledges an emergency.
    var acknowledge: String { get }
    /// States that the message is repeated until the alarm is acknowledged.
    var repeated: String { get }
    /// States that the message is repeated, and how to acknowledge it.
    ///
    /// - Parameter action: A link or a command.
    func repeated(until action: String) -> String
    /// When the alarm was acknowledged.
    func acknowledged(at time: String) -> String
}

extension EmergencyWords {
    /// What an alarm's kind means, such as "fall, low battery" for `fallDown,lowBattery`. An unknown kind stays as it is.
    package func kind(_ kind: String) -> String {
        kind.split(separator: ",").map { kinds[Alarm.letters(of: $0)] ?? String($0) }.joined(separator: ", ")
    }
}

extension Language {
    /// The texts about emergencies in this language.
    package var emergencyWords: any EmergencyWords {
        switch self {
        case .english: EnglishEmergencyWords()
        case .turkish: TurkishEmergencyWords()
        }
    }
}

private struct EnglishEmergencyWords: EmergencyWords {
    let emergency = "EMERGENCY"
    let alarm = "Alarm"
    private static let kindTexts = [
        "sos": "SOS", "panic": "panic button", "panicbutton": "panic button", "emergency": "emergency", "help": "call for help",
        "duress": "duress", "medical": "medical emergency", "mandown": "person down", "fall": "fall", "falldown": "fall",
        "falldetected": "fall", "accident": "accident", "crash": "crash", "fire": "fire", "general": "general alarm",
        "lowbattery": "low battery", "lowpower": "low power", "powercut": "power cut", "poweroff": "switched off",
        "tampering": "tampering", "removing": "taken off", "overspeed": "too fast", "vibration": "vibration", "tow": "towing",
    ]
    var kinds: [String: String] { Self.kindTexts }
    func raised(at time: String) -> String { "Raised \(time)" }
    func lastPosition(_ position: String, in geofences: [String]) -> String {
        "Last position: \(position), in \(geofences.isEmpty ? "no geofence" : geofences.joined(separator: ", "))"
    }
    let noPosition = "No position is known"
    let emergencyNumber = "Emergency number"
    let acknowledge = "I’ll take care of it"
    let repeated = "The message is sent again every five minutes until the alarm is acknowledged"
    func repeated(until action: String) -> String { "Repeated until the alarm is acknowledged: \(action)" }
    func acknowledged(at time: String) -> String { "Acknowledged \(time)" }
}

private struct TurkishEmergencyWords: EmergencyWords {
    let emergency = "ACİL DURUM"
    let alarm = "Alarm"
    private static let kindTexts = [
        "sos": "SOS", "panic": "panik düğmesi", "panicbutton": "panik düğmesi", "emergency": "acil durum",
        "help": "yardım çağrısı", "duress": "zor durumda", "medical": "acil sağlık durumu", "mandown": "yerde yatan kişi",
        "fall": "düşme", "falldown": "düşme", "falldetected": "düşme", "accident": "kaza", "crash": "çarpışma",
        "fire": "yangın", "general": "genel alarm", "lowbattery": "pil azaldı", "lowpower": "güç azaldı",
        "powercut": "güç kesildi", "poweroff": "kapatıldı", "tampering": "kurcalama", "removing": "çıkarıldı",
        "overspeed": "aşırı hız", "vibration": "titreşim", "tow": "çekilme",
    ]
    var kinds: [String: String] { Self.kindTexts }
    func raised(at time: String) -> String { "Zaman: \(time)" }
    func lastPosition(_ position: String, in geofences: [String]) -> String {
        "Son konum: \(position), \(geofences.isEmpty ? "hiçbir coğrafi sınırın içinde değil" : "coğrafi sınır: \(geofences.joined(separator: ", "))")"
    }
    let noPosition = "Konum bilinmiyor"
    let emergencyNumber = "Acil durum numarası"
    let acknowledge = "Ben ilgileniyorum"
    let repeated = "Alarm onaylanana dek ileti her beş dakikada bir yeniden gönderilir"
    func repeated(until action: String) -> String { "Alarm onaylanana dek yinelenir: \(action)" }
    func acknowledged(at time: String) -> String { "Onaylandı: \(time)" }
}
