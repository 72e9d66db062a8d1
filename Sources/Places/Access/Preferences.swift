import Core
import Model
import Settings
import Store

/// A person's preferences for the dashboard.
package struct Preferences: Hashable, Sendable {
    enum Theme: String, CaseIterable, Sendable { case system, light, dark }

    /// The language of the dashboard. `system`: the browser's language.
    struct PageLanguage: RawRepresentable, CaseIterable, Hashable, Sendable {
        /// `system`, or the tag of an available language.
        let rawValue: String

        static let system = Self(name: "system")
        static var allCases: [Self] { [system] + Language.allCases.map { Self(name: $0.rawValue) } }

        private init(name: String) {
            rawValue = name
        }

        init?(rawValue: String) {
            self.init(name: rawValue)
            guard Self.allCases.contains(self) else { return nil }
        }
    }

    enum Units: String, CaseIterable, Sendable { case metric, imperial }

    var theme = Theme.system
    var language = PageLanguage.system
    var units = Units.metric
    /// The name of an IANA time zone, or `system` for the browser's.
    var timeZone = Self.systemTimeZone

    static let systemTimeZone = "system"

    init() {}

    /// Reads the JSON of `json`.
    ///
    /// - Throws: `Problem.validationFailed` for an unknown member or an invalid value.
    package init(_ json: JSONValue) throws(Problem) {
        var fields = try JSONFields(json, of: .preferences)
        theme = try fields.oneOf("theme", Theme.self) ?? .system
        language = try fields.oneOf("language", PageLanguage.self) ?? .system
        units = try fields.oneOf("units", Units.self) ?? .metric
        timeZone = try fields.text("timeZone") ?? Self.systemTimeZone
        try fields.finish()
        if timeZone != Self.systemTimeZone { _ = try LocalTimeZone(named: timeZone) }
    }

    package var json: JSONValue { json(in: AnswerLocale()) }
}

extension Preferences: JSONWritable {
    package static let output = JSONOutput<Preferences>(
        "Preferences", summary: "A person's preferences for the dashboard",
        .init("theme", optional: .word, summary: "system: as the browser says", content: \.theme),
        .init("language", optional: .word, summary: "system: as the browser says", content: \.language),
        .init("units", optional: .word, summary: "The units of lengths and speeds", content: \.units),
        .init(
            "timeZone", optional: .text, summary: "An IANA name, such as Europe/Berlin; system: as the browser says",
            content: \.timeZone))
}

extension Queries {
    /// The preferences of a token's owner; the default if none were saved.
    ///
    /// - Parameter token: The token's id; nil for clients without a token.
    package func preferences(ofToken token: String?) throws(Problem) -> Preferences {
        try store.preferences(ofToken: token).map { json throws(Problem) in try Preferences(json.withAvailableLanguage) }
            ?? Preferences()
    }
}

extension ServiceWriter {
    /// Saves the preferences of a token's owner.
    package func save(_ preferences: Preferences, ofToken token: String?) throws(Problem) {
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.save(preferences: preferences.json, ofToken: token, in: transaction)
        }
    }
}
