/// The value of a field in a column of the store.
@usableFromInline package enum StoredValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    /// Text, or JSON as text.
    case text(String)

    package var text: String? { if case .text(let text) = self { text } else { nil } }
    package var number: Double? {
        switch self {
        case .real(let number): number
        case .integer(let number): Double(number)
        case .null, .text: nil
        }
    }
}
