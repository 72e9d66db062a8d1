import Model

/// The result of a `Doctor`, as `GET /v1/doctor` answers it.
package struct Diagnosis: Sendable {
    private let checkedAt: Instant
    /// The version of Picket that made it.
    package let version: String
    /// The findings as JSON, the most serious first; see `DoctorFinding.output`.
    package private(set) var findings: [JSONValue] = []

    package init(version: String, at now: Instant) {
        checkedAt = now
        self.version = version
    }

    package mutating func add(_ more: [DoctorFinding], in locale: AnswerLocale) {
        findings += more.map { $0.json(in: locale) }
        func place(_ index: Int) -> (Int, Int, Int) {
            let severity = Self.severity(of: findings[index])
            let area = findings[index]["area"]?.string.flatMap(DoctorFinding.Area.init(rawValue:))
            let order: [Problem.Severity] = [.critical, .error, .warning, .info]
            return (
                order.firstIndex(of: severity) ?? order.count,
                area.flatMap { DoctorFinding.Area.allCases.firstIndex(of: $0) } ?? DoctorFinding.Area.allCases.count, index
            )
        }
        findings = findings.indices.sorted { place($0) < place($1) }.map { findings[$0] }
    }

    /// Removes the findings of certain kinds.
    package mutating func remove(codes: Set<String>) {
        findings.removeAll { $0["code"]?.string.map(codes.contains) ?? false }
    }

    package static func severity(of finding: JSONValue) -> Problem.Severity {
        finding["severity"]?.string.flatMap(Problem.Severity.init(rawValue:)) ?? .info
    }

    package func count(of severities: Problem.Severity...) -> Int {
        findings.count { severities.contains(Self.severity(of: $0)) }
    }

    private var errors: Int { count(of: .critical, .error) }
    private var warnings: Int { count(of: .warning) }
}

extension Diagnosis: JSONDescribed {
    package static let shape = JSONShape<Diagnosis>(
        "Diagnosis", summary: "What is wrong with the installation",
        .init("checkedAt", kind: .time, summary: "When it was checked", content: \.checkedAt),
        .init("version", kind: .text, summary: "The version of Picket", content: \.version),
        .init("errors", kind: .whole, summary: "The number of findings that are errors", content: \.errors),
        .init("warnings", kind: .whole, summary: "The number of findings that are warnings", content: \.warnings),
        .init(
            "findings", kind: .list(of: .object(named: DoctorFinding.output.name)), summary: "The most serious finding first",
            content: \.findings)
    ) { checkedAt, version, _, _, findings in
        var diagnosis = Diagnosis(version: version, at: checkedAt)
        diagnosis.findings = findings
        return diagnosis
    }
}
