import Model

extension Problem {
    /// A failed measurement. The benchmarks are a tool for developers and have English words only.
    static func benchmark(_ words: String) -> Problem { .unknown(details: .verbatim(words)) }
}
