/// The identifier of a region in an operating system's registry.
///
/// The identifier can be any text, because other SDKs and earlier versions of an app choose their own identifiers.
public struct RegionID: Hashable, Comparable, Sendable {
    /// The whole identifier, as the operating system has it.
    public var text: String

    /// Creates an identifier from the text that the operating system has.
    public init(_ text: String) { self.text = text }

    /// The identifier of a geofence's region.
    public init(geofence id: String) { text = Self.prefix + id }

    /// The prefix of the identifiers of Picket's own regions. Only this prefix makes a region Picket's.
    public static let prefix = "picket/"

    /// The identifier of the sentinel: the circle around the device whose exit triggers a new selection of regions. No geofence can have
    /// this identifier, because `#` is not allowed in geofence ids.
    public static let sentinel = RegionID(prefix + "#sentinel")

    /// Whether Picket registered the region, according to the prefix.
    @inlinable
    public var isOurs: Bool { text.utf8.starts(with: Self.prefix.utf8) }

    /// The id of the region's geofence; nil for the sentinel and for foreign regions.
    public var geofence: String? {
        isOurs && self != .sentinel ? String(text.utf8.dropFirst(Self.prefix.utf8.count)) : nil
    }

    /// The identifier without Picket's prefix, as health and the command line print it.
    public var shortText: String { isOurs ? String(text.utf8.dropFirst(Self.prefix.utf8.count)) ?? text : text }

    @inlinable
    public static func < (a: RegionID, b: RegionID) -> Bool { a.text < b.text }
}

extension RegionID: CustomStringConvertible {
    /// The short text for use in a sentence: control characters are written as `\u{…}`, and the text is cut to 80 characters.
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
