/// What a region is called in an operating system's registry.
///
/// Any text: another SDK's regions, and those that an earlier version of an app left, are called whatever they are called.
public struct RegionID: Hashable, Comparable, Sendable {
    public var text: String

    public init(_ text: String) { self.text = text }

    /// The region of a geofence.
    public init(geofence id: String) { text = Self.prefix + id }

    /// What the names of our own regions begin with. That, and nothing else, makes a region ours.
    public static let prefix = "picket/"

    /// The circle around the device whose exit asks for a new choice. No geofence can be called so: `#` is not allowed in their
    /// ids.
    public static let sentinel = RegionID(prefix + "#sentinel")

    /// Whether we registered it, by its name.
    @inlinable
    public var isOurs: Bool { text.utf8.starts(with: Self.prefix.utf8) }

    /// The geofence that it stands for; nil for the sentinel and for foreign regions.
    public var geofence: String? {
        isOurs && self != .sentinel ? String(text.utf8.dropFirst(Self.prefix.utf8.count)) : nil
    }

    /// The name without our prefix, as health and the command line write it.
    public var shortText: String { isOurs ? String(text.utf8.dropFirst(Self.prefix.utf8.count)) ?? text : text }

    @inlinable
    public static func < (a: RegionID, b: RegionID) -> Bool { a.text < b.text }
}

extension RegionID: CustomStringConvertible {
    /// The short text for a sentence: control characters as `\u{…}`, cut to 80 characters.
    public var description: String {
        let short = shortText
        var shown = ""
        for (count, scalar) in short.unicodeScalars.enumerated() {
            if count == 79, short.unicodeScalars.count > 80 { return shown + "…" }
            if scalar.properties.generalCategory == .control {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
