import Model

extension SinkKind {
    /// Mail with a report about each month, week or day, as a table and as a workbook.
    package static let report = SinkKind(
        "report", .mail, title: Phrase("Report by email"), place: "ADDRESS…",
        about: "a report by --every month, week or day, and --by; otherwise like email", in: "to",
        needs: mailNeeds + [("every", .oneOf(ReportPeriodLength.allCases.map(\.rawValue))), ("by", .reportSubjects)],
        allows: mailAllows + ["period", "minDuration", "at"], editable: mailEditable,
        complete: { (target) throws(Problem) in target.at = target.at ?? ReportSchedule.usualTime },
        flaw: { target in
            if let flaw = mailFlaw(target) ?? SinkTarget.fields.flaw(in: target) { return flaw }
            // From the longest to the shortest.
            let lengths = ReportPeriodLength.allCases
            guard let period = target.period, let every = target.every, let first = lengths.firstIndex(of: every),
                !lengths[first...].contains(period)
            else { return nil }
            return .validationFailed(
                field: "period", value: period.rawValue, reason: Phrase("it is longer than the time that a report is about"),
                expected: .oneOf(lengths[first...].map(\.rawValue)))
        },
        content: .reports { target, report in
            .mail(
                OutgoingMail(
                    target: target,
                    text: MailText.message(
                        from: target.from ?? "", to: target.to, subject: report.title, body: report.text,
                        attachment: report.workbook, id: report.key, at: report.createdAt)))
        })
}

extension SinkFilter {
    /// What a sink of reports cannot have in its filter; nil if there is nothing.
    var flawOfReports: Problem? {
        let allowed = SinkFilter(geofences: geofences, notGeofences: notGeofences, devices: devices, groups: groups)
        if let field = Self.fields.first(where: { !$0.isEqual(self, allowed) }) {
            return .validationFailed(
                field: field.name, value: "", reason: Phrase("a report does not depend on it"),
                expected: Phrase("a filter of geofences, a device or a group"))
        }
        guard let (field, names) = [("devices", devices), ("groups", groups)].first(where: { $0.1.count > 1 }) else { return nil }
        return .validationFailed(
            field: field, value: names.joined(separator: ","), reason: Phrase("a report has only one such filter"),
            expected: Phrase("one name, or another sink for each"))
    }
}
