import Model

/// Distinguishes reference systems whose coordinates can be used as longitude and latitude on WGS 84 from all others.
enum ReferenceSystem {
    /// EPSG codes of systems in degrees that differ from WGS 84 by about two meters at most, which is less than a phone can
    /// measure. NAD27 (4267) and other old systems differ by up to several hundred meters, and are not among them.
    private static let codes: Set<String> = [
        "4326", "4979", "9057", "9755",  // WGS 84 and its realizations
        "4269", "4617", "4152", "4759", "6318", "6319",  // NAD83: United States and Canada
        "4258", "4937",  // ETRS89: Europe
        "4283", "7844", "7843",  // GDA94 and GDA2020: Australia
        "4167",  // NZGD2000: New Zealand
        "4171", "4619",  // RGF93: France; SWEREF99: Sweden
        "4674", "4612", "6668", "4490", "4737",  // SIRGAS 2000, JGD2000, JGD2011, CGCS2000, Korea 2000
        "4148",  // Hartebeesthoek94: South Africa
    ]

    /// Names of such systems, in capitals and without spaces, hyphens and underscores.
    private static let names: Set<String> = [
        "CRS84", "CRS84H", "CRS83", "WGS84", "NAD83", "ETRS89", "GDA94", "GDA2020",
    ]

    /// Whether a system is in degrees and agrees with WGS 84.
    ///
    /// - Parameter name: A name such as `urn:ogc:def:crs:EPSG::4269`, `EPSG:4326`, `OGC:CRS84` or `WGS 84`.
    static func isInDegrees(_ name: String) -> Bool {
        let parts = name.uppercased().split { ":/#".contains($0) }
        // Of a compound system, the second part is for heights.
        guard let last = parts.last?.split(separator: "+").first else { return false }
        let plain = last.filter { !" _-".contains($0) }
        if plain == "84", parts.dropLast().last == "CRS" { return true }
        return codes.contains(plain) || names.contains(plain)
    }

    /// Whether a system is in degrees and agrees with WGS 84. Zero stands for an unknown system.
    ///
    /// - Parameter srid: A prefix of PostGIS such as `SRID=4326`.
    static func isInDegrees(srid: String) -> Bool {
        guard let number = srid.split(separator: "=").dropFirst().first.flatMap({ DecimalNumber.parse($0) }) else { return false }
        return number == 0 || codes.contains(JSONValue(number).description)
    }
}
