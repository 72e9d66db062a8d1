import Model

/// A problem as the content of an answer (RFC 9457).
package struct ProblemDocument: Sendable {
    let problem: Problem
    /// The HTTP status.
    let status: Int
}

extension ProblemDocument: JSONWritable {
    package static let output = JSONOutput<ProblemDocument>(
        "Problem", summary: "A problem (RFC 9457)",
        .init("type", kind: .text, summary: "urn:picket:problem: and the code") { "urn:picket:problem:\($0.problem.code)" },
        .init("status", kind: .whole, summary: "The HTTP status", content: \.status),
        .init("detail", kind: .text, summary: "The same as message") { $0.problem.message.text(in: $1.language) },
        .init(membersOf: Problem.output, content: \.problem))
}
