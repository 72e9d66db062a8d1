import Model

/// The result of a `Doctor` as JSON, as `GET /v1/doctor` answers it: `{"checkedAt","version","errors","warnings","findings"}`.
package struct Diagnosis: Sendable {
    /// When it was made, and by which version of Picket.
    private var head: [JSONValue.Member]
    /// The findings as JSON, the most serious first; see `DoctorFinding.json(in:contact:)`.
    package private(set) var findings: [JSONValue] = []

    package init(version: String, at now: Instant) {
        head = [.init("checkedAt", JSONValue(now)), .init("version", .string(version))]
    }

    /// Reads the answer of a service.
    package init(json: JSONValue) {
        head = (json.members ?? []).filter { ["checkedAt", "version"].contains($0.name) }
        findings = json["findings"]?.array ?? []
    }

    /// The version of Picket that made it; nil if an answer does not say.
    package var version: String? { head.first { $0.name == "version" }?.value.string }

    package mutating func add(_ more: [DoctorFinding], in language: Language, contact: SupportContact?) {
        findings += more.map { $0.json(in: language, contact: contact) }
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

    package var json: JSONValue {
        .object(
            head + [
                .init("errors", JSONValue(count(of: .critical, .error))), .init("warnings", JSONValue(count(of: .warning))),
                .init("findings", .array(findings)),
            ])
    }
}
