import Model

/// How an app names its regions: which identifier in its operating system belongs to which geofence.
///
/// Picket itself calls the region of a geofence `picket/` and the geofence's id. The operator's own app may have another prefix,
/// or an identifier for each geofence. This type translates where regions come in and go out, so nothing else has to know the
/// app's names.
public struct RegionIdentifiers: Hashable, Sendable {
    /// The prefix of the identifiers of regions without an assigned identifier. The geofence's id follows it.
    public let prefix: String
    /// The app's identifiers by geofence id. The sentinel's key is `sentinelKey`.
    public let assigned: [String: String]
    /// The keys of `assigned` by identifier.
    private let keys: [String: String]

    /// The identifiers of an app that names its regions as Picket does.
    public static let picket = RegionIdentifiers(prefix: RegionID.prefix, uniqueIdentifiers: [:])

    /// The key of the sentinel, and the part of its identifier after the prefix. No geofence has this id.
    public static let sentinelKey = RegionID.sentinel.shortText
    /// The longest identifier on platforms without their own maximum, in UTF-16 code units.
    public static let usualLongestIdentifier = 200
    /// The longest id of a geofence.
    static let longestGeofenceID = 64
    /// What is put before the identifier of a foreign region that begins as Picket's own regions do.
    private static let foreignMark = "app:"

    private init(prefix: String, uniqueIdentifiers: [String: String]) {
        self.prefix = prefix
        assigned = uniqueIdentifiers
        keys = Dictionary(uniqueIdentifiers.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    }

    /// Checks the identifiers.
    ///
    /// - Parameters:
    ///   - prefix: Nil for Picket's own.
    ///   - assigned: The app's identifiers by geofence id.
    ///   - longest: The platform's longest identifier; nil if it has no maximum.
    /// - Throws: `Problem.validationFailed` with the field `identifierPrefix`, `identifiers`, or `identifiers` with the key that has the
    ///   invalid identifier.
    public init(prefix: String?, assigned: [(geofence: String, identifier: String)], longest: Int?) throws(Problem) {
        let longest = longest ?? Self.usualLongestIdentifier
        let own = prefix ?? RegionID.prefix
        // The prefix must leave room for the id of every geofence, including ones that are created later.
        if let flaw = Self.flaw(in: own, longest: longest - Self.longestGeofenceID) {
            throw .validationFailed(
                field: "identifierPrefix", value: own, reason: flaw, expected: .textOfCharacters(longest - Self.longestGeofenceID)
            )
        }
        var identifiers: [String: String] = [:]
        var owners: [String: String] = [:]
        for (geofence, identifier) in assigned {
            let field = "identifiers.\(geofence)"
            if geofence != Self.sentinelKey, let flaw = Identifier.flaw(inGeofence: geofence) {
                throw .validationFailed(
                    field: "identifiers", value: geofence, reason: flaw, expected: Phrase("the id of a geofence, or #sentinel"))
            }
            if let flaw = Self.flaw(in: identifier, longest: longest) {
                throw .validationFailed(field: field, value: identifier, reason: flaw, expected: .textOfCharacters(longest))
            }
            if let other = owners[identifier] {
                throw .validationFailed(
                    field: field, value: identifier, reason: .identifierOf(other), expected: .identifierOfItsOwn)
            }
            owners[identifier] = geofence
            identifiers[geofence] = identifier
        }
        for (geofence, identifier) in assigned where identifier.utf8.starts(with: own.utf8) {
            let rest = String(identifier.unicodeScalars.dropFirst(own.unicodeScalars.count))
            // The prefix gives this identifier to another geofence, which has no assigned identifier.
            if rest != geofence, identifiers[rest] == nil, rest == Self.sentinelKey || Identifier.flaw(inGeofence: rest) == nil {
                throw .validationFailed(
                    field: "identifiers.\(geofence)", value: identifier, reason: .identifierOf(rest),
                    expected: .identifierOfItsOwn)
            }
        }
        self.init(prefix: own, uniqueIdentifiers: identifiers)
    }

    /// The identifier of a region in the app's operating system.
    public func identifier(of region: RegionID) -> String {
        if region.isOurs {
            let key = region.shortText
            return assigned[key] ?? prefix + key
        }
        let marked = Self.foreignMark + RegionID.prefix
        return region.text.utf8.starts(with: marked.utf8)
            ? String(region.text.unicodeScalars.dropFirst(Self.foreignMark.unicodeScalars.count)) : region.text
    }

    /// The region with an identifier in the app's operating system. A region that these identifiers do not cover is foreign.
    public func region(of identifier: String) -> RegionID {
        if let key = keys[identifier] { return RegionID(geofence: key) }
        if identifier.utf8.starts(with: prefix.utf8) {
            let key = String(identifier.unicodeScalars.dropFirst(prefix.unicodeScalars.count))
            // A geofence with its own identifier has no second one.
            if assigned[key] == nil { return RegionID(geofence: key) }
        }
        return RegionID(RegionID(identifier).isOurs ? Self.foreignMark + identifier : identifier)
    }

    /// A copy of the region with its identifier in the app's operating system.
    public func inApp(_ region: Region) -> Region {
        var region = region
        region.id = RegionID(identifier(of: region.id))
        return region
    }

    private static func flaw(in identifier: String, longest: Int) -> Phrase? {
        if identifier.isEmpty { return .empty }
        let length = identifier.utf16.count
        if length > longest { return .tooManyCharacters(length, longest) }
        let isControl = identifier.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return isControl ? .controlCharacter : nil
    }
}
