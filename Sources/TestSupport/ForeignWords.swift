import Model

// In tests a literal stands for the words of the system or of another service.

extension Reason: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self = .verbatim(value) }
}

extension ProblemSubject: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self = .verbatim(value) }
}
