import Model

extension JSONValue {
    /// A result of a benchmark, rounded to four decimals.
    static func benchmarkFigure(_ value: Double) -> JSONValue { JSONValue((value * 10_000).rounded() / 10_000) }
}
