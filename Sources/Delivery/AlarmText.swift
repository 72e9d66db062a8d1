import Model

/// Texts about alarms, for messages and for the page that a message links to. No text ends with a period.
package enum AlarmText {
    /// The heading of an emergency, before the device's name.
    package static let emergency = Phrase("EMERGENCY")
    package static let noPosition = Phrase("No position is known")
    /// The label before the emergency number to call.
    package static let emergencyNumber = Phrase("Emergency number")
    /// The label of the button that acknowledges an emergency.
    package static let acknowledge = Phrase("I’ll take care of it")

    /// The device's last position.
    ///
    /// - Parameters:
    ///   - position: The time of the position, possibly with its coordinates.
    ///   - geofences: The names of the geofences that contained the device.
    package static func lastPosition(_ position: String, in geofences: [String]) -> Phrase {
        geofences.isEmpty
            ? Phrase("Last position: \(position), in no geofence") : Phrase("Last position: \(position), in \(list: geofences)")
    }

    /// What an alarm's kind means, such as "fall, low battery" for `fallDown,lowBattery`. An unknown kind stays as it is.
    package static func kind(_ kind: String) -> Phrase {
        .joined(kind.split(separator: ",").map { kinds[Alarm.letters(of: $0)] ?? .verbatim(String($0)) }, separator: ", ")
    }

    /// What the kinds of alarms mean, by the kind in lowercase letters.
    package static let kinds: [String: Phrase] = [
        "sos": Phrase("SOS"), "panic": Phrase("panic button"), "panicbutton": Phrase("panic button"),
        "emergency": Phrase("emergency"), "help": Phrase("call for help"), "duress": Phrase("duress"),
        "medical": Phrase("medical emergency"), "mandown": Phrase("person down"), "fall": Phrase("fall"),
        "falldown": Phrase("fall"), "falldetected": Phrase("fall"), "accident": Phrase("accident"), "crash": Phrase("crash"),
        "fire": Phrase("fire"), "general": Phrase("general alarm"), "lowbattery": Phrase("low battery"),
        "lowpower": Phrase("low power"), "powercut": Phrase("power cut"), "poweroff": Phrase("switched off"),
        "tampering": Phrase("tampering"), "removing": Phrase("taken off"), "overspeed": Phrase("too fast"),
        "vibration": Phrase("vibration"), "tow": Phrase("towing"),
    ]
}
