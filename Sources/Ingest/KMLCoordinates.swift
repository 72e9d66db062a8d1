/// Reads coordinates of KML: longitude, latitude and optionally altitude, in this order.
enum KMLCoordinates {
    /// The tuples of a `coordinates` element, such as `13.37,52.51,0 13.38,52.52,0`.
    static func tuples(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }

    /// The two or three numbers of a tuple; nil for anything else.
    ///
    /// - Parameter isSeparator: A comma in `coordinates`, white space in `coord` of a track.
    static func numbers(_ tuple: some StringProtocol, separator isSeparator: (Character) -> Bool) -> [Double]? {
        let parts = tuple.split(omittingEmptySubsequences: false, whereSeparator: isSeparator)
        guard parts.count == 2 || parts.count == 3 else { return nil }
        let numbers = parts.compactMap { DecimalNumber.parse($0) }
        return numbers.count == parts.count ? numbers : nil
    }
}
