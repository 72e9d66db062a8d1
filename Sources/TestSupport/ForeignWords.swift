import Model

// In tests a literal stands for the words of the system or of another service.

extension Phrase: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self = .verbatim(value) }
}

extension ProblemSubject: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self = .verbatim(value) }
}

extension Phrase {
    /// Why a value cannot be used, without what is expected instead.
    package var withoutExpectation: Phrase {
        isSameText(as: .expecting(.missing, .missing)) ? phrases.first ?? self : self
    }
}
