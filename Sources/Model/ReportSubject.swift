/// A thing that each row of a report is about, in each period.
package enum ReportSubject: String, CaseIterable, Sendable {
    case geofence, device, group

    /// The maximum number of subjects of a report, which are different.
    package static let most = 2
}

extension ReportSubject: Named {
    /// The heading of a column.
    package var phrase: Phrase {
        switch self {
        case .geofence: Phrase("Geofence")
        case .device: Phrase("Device")
        case .group: Phrase("Group")
        }
    }
}

extension FieldKind<[ReportSubject]> {
    /// One or two different subjects.
    package static var reportSubjects: Self {
        .list(of: .word) { subjects, field in
            if (1...ReportSubject.most).contains(subjects.count), Set(subjects).count == subjects.count { return nil }
            return .validationFailed(
                field: field, value: subjects.map(\.rawValue).joined(separator: ","), reason: .noSuchValue,
                expected: .reportSubjects)
        }
    }
}

extension Phrase {
    package static let reportSubjects = Phrase(
        "one or two of \(Phrase.oneOf(ReportSubject.allCases.map(\.rawValue))), for example device,geofence")
}
