import Model

/// Finds the columns of a CSV file that hold given fields: those named by an option (`--columns timestamp=Zeit,latitude=y`), and
/// those with known names.
package enum CSVColumns {
    /// A field that a column may hold.
    struct Candidate<Field: Hashable & Sendable>: Sendable {
        var field: Field
        var name: String
        /// The names of its columns, the most specific first, normalized as by `CSVHeader.plain`.
        var aliases: [String]
        /// The units that may follow in the name of a column, such as `km` in `radius_km`.
        var units: [String] = []

        /// The unit in a normalized column name, and the name's rank among the aliases; nil if the name is not one of this
        /// field's.
        func match(_ plain: String) -> (unit: String?, rank: Int)? {
            if let rank = aliases.firstIndex(of: plain) { return (nil, rank) }
            guard let (base, unit) = split(plain), let rank = aliases.firstIndex(of: base) else { return nil }
            return (unit, aliases.count + rank)
        }

        /// The unit at the end of a normalized name; nil without one.
        func unit(in plain: String) -> String? { split(plain)?.unit }

        private func split(_ plain: String) -> (base: String, unit: String)? {
            for unit in units where plain.hasSuffix(unit) && plain.utf8.count > unit.utf8.count {
                let base = plain.dropLast(unit.count)
                if base.hasSuffix("_") { return (String(base.dropLast()), unit) }
                // The E of `latitudeE7` begins a word.
                if unit == CSVColumns.e7 { return (String(base), unit) }
            }
            return nil
        }
    }

    /// The column of a field.
    struct Found: Hashable {
        var index: Int
        /// The unit in its name, or in the name of the field in the options; nil for none.
        var unit: String?
    }

    /// The "unit" of coordinates in degrees × 10⁷.
    static let e7 = "e7"
    /// The units of coordinates.
    static let angles = [e7, "deg", "degrees"]
    /// The units of lengths.
    static let lengths = LengthUnit.allCases.flatMap(\.names)

    /// Reads pairs such as `timestamp=Zeit,latitude=y` as field → column.
    ///
    /// - Parameter option: The name of the option or parameter with the pairs, for messages.
    /// - Throws: `Problem.validationFailed` for a pair without `=`.
    package static func mapping(of pairs: String, option: String = "--columns") throws(Problem) -> [String: String] {
        var columns: [String: String] = [:]
        for pair in pairs.split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
            guard parts.count == 2 else {
                throw .validationFailed(
                    field: option, value: String(pair), reason: .noEqualsSign,
                    expected: Phrase("FIELD=COLUMN pairs, for example timestamp=Zeit,latitude=y,longitude=x"))
            }
            columns[parts[0]] = parts[1]
        }
        return columns
    }

    /// The columns of the fields: first those of `columns` (field → column), then those with known names.
    ///
    /// - Throws: `Problem.validationFailed` if `columns` names an unknown field or column.
    static func find<Field>(
        _ candidates: [Candidate<Field>], in header: CSVHeader, mapping columns: [String: String], source: ProblemSubject
    ) throws(Problem) -> [Field: Found] {
        var found: [Field: Found] = [:]
        for (name, column) in columns.sorted(by: { $0.key < $1.key }) {
            let plain = CSVHeader.plain(name)
            guard let candidate = candidates.first(where: { $0.match(plain) != nil }) else {
                throw .validationFailed(
                    field: "--columns", value: "\(name)=\(column)", reason: Phrase("there is no field '\(name)'"),
                    expected: .oneOf(candidates.map(\.name)))
            }
            guard let index = index(of: column, in: header) else {
                throw .validationFailed(
                    field: "--columns", value: "\(name)=\(column)", reason: Phrase("\(source) has no column '\(column)'"),
                    expected: Phrase("one of its columns: \(list: header.names)"))
            }
            let unit = candidate.match(plain)?.unit ?? candidate.unit(in: CSVHeader.plain(header.names[index]))
            found[candidate.field] = Found(index: index, unit: unit)
        }
        let plain = header.names.map(CSVHeader.plain)
        for candidate in candidates where found[candidate.field] == nil {
            let matches = plain.indices.compactMap { index in candidate.match(plain[index]).map { (index: index, match: $0) } }
            guard let best = matches.min(by: { ($0.match.rank, $0.index) < ($1.match.rank, $1.index) }),
                !found.values.contains(where: { $0.index == best.index })
            else { continue }
            found[candidate.field] = Found(index: best.index, unit: best.match.unit)
        }
        return found
    }

    /// The number of columns in a header that hold a field, according to the options or to their names.
    static func count<Field>(
        _ candidates: [Candidate<Field>], in header: CSVHeader, mapping columns: [String: String]
    ) -> Int {
        let named = columns.values.filter { index(of: $0, in: header) != nil }
        let plain = Set(header.names.map(CSVHeader.plain))
        return named.count + candidates.count { candidate in plain.contains { candidate.match($0) != nil } }
    }

    private static func index(of column: String, in header: CSVHeader) -> Int? {
        header.names.firstIndex(of: column) ?? header.column([CSVHeader.plain(column)])
    }
}

/// The columns of a CSV file that change the meaning of others.
struct ModifyingColumns {
    /// The columns that name the hemispheres of coordinates, such as `N/S`.
    private(set) var hemispheres: [Int] = []
    /// The columns that give the unit of another column, by the normalized name of that column. The name is empty for a column
    /// such as `unit`.
    private(set) var units: [String: Int] = [:]

    /// Finds the columns.
    ///
    /// - Parameter taken: The columns that hold a field.
    /// - Throws: `Problem.decodingFailed` if minutes or seconds of coordinates are in separate columns, which Picket does not
    ///   read.
    init(_ header: CSVHeader, except taken: [Int], source: ProblemSubject) throws(Problem) {
        var parts: [Int] = []
        var hasExtremes = false
        for (index, name) in header.names.enumerated() where !taken.contains(index) {
            let plain = CSVHeader.plain(name)
            let words = plain.split(separator: "_").map(String.init)
            let isOfCoordinate = words.contains(where: Self.coordinates.contains)
            if Self.hemisphereNames.contains(plain)
                || isOfCoordinate && Self.hemisphereEnds.contains(where: { plain.hasSuffix("_" + $0) })
            {
                hemispheres.append(index)
            } else if isOfCoordinate, words.last == "max" {
                hasExtremes = true
            } else if isOfCoordinate, let last = words.last, Self.partsOfAngles.contains(last) {
                parts.append(index)
            } else if words.last == "unit" || words.last == "units" {
                units[words.dropLast().joined(separator: "_")] = index
            }
        }
        if parts.isEmpty || hasExtremes { return }
        throw Self.refusal(of: parts, in: header, source, .coordinateInOneColumn)
    }

    /// The problem for columns that change the meaning of others and that Picket does not read.
    static func refusal(
        of columns: [Int], in header: CSVHeader, _ source: ProblemSubject, _ expected: Phrase
    ) -> Problem {
        .decodingFailed(
            source: source, line: nil, reason: .expecting(.columnsChangeOthers(columns.map { header.names[$0] }), expected))
    }

    private static let coordinates: Set = ["latitude", "lat", "longitude", "lon", "lng", "long"]
    private static let hemisphereNames: Set = [
        "ns", "n_s", "ew", "e_w", "north_south", "east_west", "hemisphere", "hemi", "ns_indicator", "ew_indicator",
    ]
    private static let hemisphereEnds = ["ns", "n_s", "ew", "e_w", "dir", "direction", "hemisphere", "hemi", "ref"]
    private static let partsOfAngles: Set = ["min", "mins", "minute", "minutes", "sec", "secs", "second", "seconds"]
}
