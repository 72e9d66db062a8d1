import Model
import Store

/// How a person wants the dashboard to be.
public struct Preferences: Hashable, Sendable {
    public enum Theme: String, CaseIterable, Sendable { case system, light, dark }

    /// `system`: as the browser says.
    public enum PageLanguage: String, CaseIterable, Sendable { case system, en, tr }

    public enum Units: String, CaseIterable, Sendable { case metric, imperial }

    public var theme = Theme.system
    public var language = PageLanguage.system
    public var units = Units.metric
    /// An IANA name, or `system`: as the browser says.
    public var timeZone = Self.systemTimeZone

    public static let systemTimeZone = "system"

    public init() {}

    /// - Throws: `Problem.validationFailed` for a value or a name that cannot be used.
    public init(_ json: JSONValue) throws(Problem) {
        var fields = try JSONFields(json, of: "preferences")
        theme = try fields.oneOf("theme", Theme.self) ?? .system
        language = try fields.oneOf("language", PageLanguage.self) ?? .system
        units = try fields.oneOf("units", Units.self) ?? .metric
        timeZone = try fields.text("timeZone") ?? Self.systemTimeZone
        try fields.finish()
        if timeZone != Self.systemTimeZone { _ = try LocalTimeZone(named: timeZone) }
    }

    public var json: JSONValue {
        [
            "theme": .string(theme.rawValue), "language": .string(language.rawValue), "units": .string(units.rawValue),
            "timeZone": .string(timeZone),
        ]
    }
}

extension Queries {
    /// What whoever has a token prefers; the standard when that was never said.
    ///
    /// - Parameter token: The token's id; nil: whoever shows none.
    public func preferences(ofToken token: String?) throws(Problem) -> Preferences {
        try store.preferences(ofToken: token).map { json throws(Problem) in try Preferences(json) } ?? Preferences()
    }
}

extension ServiceWriter {
    /// Saves what whoever has a token prefers.
    public func save(_ preferences: Preferences, ofToken token: String?) throws(Problem) {
        try store.transaction { () throws(Problem) in try store.save(preferences: preferences.json, ofToken: token) }
    }
}
