import Model

/// Finds the columns of a CSV file that hold given fields: those that a person names (`--columns timestamp=Zeit,latitude=y`), and those with
/// known names.
package enum CSVColumns {
    /// A field that a column may hold.
    struct Candidate<Field: Hashable> {
        var field: Field
        var name: String
        /// The names of its columns, the most specific first, normalized as by `CSVHeader.plain`.
        var aliases: [String]
    }

    /// Reads pairs such as `timestamp=Zeit,latitude=y` as field → column.
    ///
    /// - Parameter option: The name of the option or parameter with the pairs, for messages.
    /// - Throws: `Problem.validationFailed` for a pair without `=`.
    package static func mapping(of pairs: String, option: String = "--columns") throws(Problem) -> [String: String] {
        var columns: [String: String] = [:]
        for pair in pairs.split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { part in
                String(part).withBytes { $0.text($0.trimmed(0..<$0.count)) }
            }
            guard parts.count == 2 else {
                throw .validationFailed(field: option, value: String(pair), reason: .noEqualsSign, expected: .columnPairs)
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
    ) throws(Problem) -> [Field: Int] {
        var found: [Field: Int] = [:]
        for (name, column) in columns.sorted(by: { $0.key < $1.key }) {
            let plain = CSVHeader.plain(name)
            guard let candidate = candidates.first(where: { $0.aliases.contains(plain) }) else {
                throw .validationFailed(
                    field: "--columns", value: "\(name)=\(column)", reason: .noField(name),
                    expected: .oneOf(candidates.map(\.name)))
            }
            let exact = header.names.firstIndex(of: column)
            guard let index = exact ?? header.column([CSVHeader.plain(column)]) else {
                throw .validationFailed(
                    field: "--columns", value: "\(name)=\(column)", reason: .noColumn(source, column),
                    expected: .oneOfColumns(header.names))
            }
            found[candidate.field] = index
        }
        for candidate in candidates where found[candidate.field] == nil {
            guard let index = header.column(candidate.aliases), !found.values.contains(index) else { continue }
            found[candidate.field] = index
        }
        return found
    }
}
