import Foundation
import Model

extension LocalTimeZone {
    /// The time zone with this name in the IANA database, or `UTC`.
    ///
    /// - Throws: `Problem.validationFailed` if the name is unknown.
    package init(named name: String, field: String = "timeZone") throws(Problem) {
        guard let zone = Self.named(name) else {
            throw .validationFailed(field: field, value: name, reason: .noSuchTimeZone, expected: .timeZoneName)
        }
        self = zone
    }

    /// The time zone with this name; nil if it is unknown.
    static func named(_ name: String) -> LocalTimeZone? {
        if name == utc.name || name == "Etc/UTC" { return .utc }
        // Foundation also accepts abbreviations such as EST, which are ambiguous.
        guard name.contains("/"), let zone = TimeZone(identifier: name) else { return nil }
        return LocalTimeZone(name: name) { moment in zone.secondsFromGMT(for: Date(timeIntervalSince1970: moment.seconds)) }
    }

    /// The time zone of programs for which no other one is set: that of the variable `TZ`, or else that of the machine.
    package static func ofMachine(_ environment: [String: String]) -> LocalTimeZone {
        let name = machineZoneName(environment)
        if let zone = named(name) { return zone }
        // The C library also knows the rules that POSIX lets a person write in TZ, abbreviations, and a zone that was copied to
        // /etc/localtime without its name.
        return LocalTimeZone(name: name) { moment in
            var seconds = time_t(moment.seconds.rounded(.down))
            var local = tm()
            localtime_r(&seconds, &local)
            return local.tm_gmtoff
        }
    }

    /// The name of `ofMachine(_:)`: the value of `TZ`, or the name in the path to which `/etc/localtime` leads.
    static func machineZoneName(_ environment: [String: String]) -> String {
        if let variable = environment["TZ"] {
            // To the C library, an empty variable is UTC.
            return variable.isEmpty ? utc.name : String(variable.first == ":" ? variable.dropFirst() : variable[...])
        }
        let path = URL(filePath: "/etc/localtime").resolvingSymlinksInPath().path
        guard let folder = path.range(of: "/zoneinfo/") else { return "local" }
        return String(path[folder.upperBound...])
    }
}
