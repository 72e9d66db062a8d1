import Registry

/// How an app names its regions: the identifier of a geofence's region is a prefix followed by the geofence's id.
///
/// Identifiers that begin with `picket/` are always understood.
package struct RegionNames: Hashable, Sendable {
    /// The app's own prefix, which may be empty; nil if the app uses Picket's alone.
    package var prefix: String?

    package init(prefix: String? = nil) { self.prefix = prefix }

    /// The id of a region's geofence, which may not exist; nil for a region that is not the app's, and for the sentinel.
    package func geofence(of region: RegionID) -> String? {
        if region == .sentinel { return nil }
        if let id = region.geofence { return id }
        guard let prefix, region.text.utf8.starts(with: prefix.utf8) else { return nil }
        return String(region.text.utf8.dropFirst(prefix.utf8.count))
    }

    /// Whether the app has registered the region for a geofence, according to the prefix.
    package func isOurs(_ region: RegionID) -> Bool { geofence(of: region) != nil }

    /// The prefixes that are understood, for messages.
    package var prefixes: [String] { [RegionID.prefix] + (prefix.map { $0 == RegionID.prefix ? [] : [$0] } ?? []) }
}
