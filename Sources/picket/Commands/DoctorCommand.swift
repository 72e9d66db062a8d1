import Client
import Core
import HTTPServer
import Model
import Operations
import Server
import Settings
import ToolSupport

/// `picket doctor`: says what is wrong with an installation, and what to do about it.
enum DoctorCommand {
    static let command = Command(
        name: "doctor", summary: "Diagnose this installation.",
        options: [Option("--backups", value: "DIR", help: "Folder of your backups; default: the data directory")] + Option.client,
        discussion: """
            Checks settings, certificate, clock, disk, store, service, devices, phones and geofences. Lists what is wrong, the most serious
            first, and what to do. It only reads. A running service does the checks itself; without one, this program does, even if the
            service cannot start. The exit status is 0 if nothing is wrong, and 1 for errors and warnings; remarks do not count.
            """,
        examples: ["picket doctor", "picket doctor --backups /var/backups/picket --json"]
    ) { invocation throws(Problem) in
        var diagnosis = diagnose(invocation)
        if let folder = invocation.value("--backups") {
            diagnosis.remove(codes: ["noBackup", "oldBackup", "lateBackup"])
            let doctor = localDoctor(invocation, Result { () throws(Problem) in try invocation.settings() })
            diagnosis.add([doctor.checkBackups(in: folder)].compactMap(\.self), in: locale(invocation))
        }
        if invocation.isJSON {
            invocation.output.print(diagnosis.json.description)
        } else {
            print(diagnosis, invocation)
        }
        return diagnosis.count(of: .critical, .error, .warning) == 0 ? .done : .needsAttention
    }

    // MARK: - Who looks

    /// Seconds to wait for a service, which may have to read a gigabyte.
    private static let patience = 120.0

    private static func diagnose(_ invocation: Invocation) -> Diagnosis {
        let settings = Result { () throws(Problem) in try invocation.settings() }
        var unreachable: [DoctorFinding] = []
        do throws(Problem) {
            // Settings that cannot be used do not name a service either.
            if case .success = settings, let service = try invocation.namedService(patience: patience) {
                return try diagnosis(of: service, invocation)
            }
        } catch {
            // The service is elsewhere, so the data directory here is another one.
            return diagnosis(of: [.problem(error, .service, source: nil)], invocation, contact: nil)
        }
        do throws(Problem) {
            if let file = try ServiceFile(in: invocation.directory), DirectoryLock.isHeld(invocation.directory) {
                unreachable = [.notAnswering(process: Int(file.process))]
                let service = try ServiceClient(ServiceAddress(file), patience: patience, in: invocation.language)
                var diagnosis = try diagnosis(of: service, invocation)
                // The hardened unit of systemd does not let the service ask for the state of the clock.
                diagnosis.remove(codes: [DoctorFinding.clockNotSynchronized.code])
                if MachineFacts(of: invocation.directory).isClockSynchronized == false {
                    diagnosis.add([.clockNotSynchronized], in: locale(invocation))
                }
                return diagnosis
            }
            unreachable = [.notRunning]
        } catch {
            if unreachable.isEmpty { unreachable = [.problem(error, .service, source: nil)] }
        }
        var doctor = localDoctor(invocation, settings)
        doctor.examine(
            Result { () throws(Problem) -> Queries in
                let reader = try ServiceReader(invocation.directory)
                if case .success(let settings) = settings { reader.appReportMaxAge = settings.appReportMaxAge }
                return reader
            })
        let contact: SupportContact? = if case .success(let settings) = settings { settings.supportContact } else { nil }
        return diagnosis(of: doctor.findings + unreachable, invocation, contact: contact)
    }

    /// Times in JSON are UTC, including those in sentences.
    private static func locale(_ invocation: Invocation, contact: SupportContact? = nil) -> AnswerLocale {
        AnswerLocale(invocation.language, zone: invocation.isJSON ? .utc : invocation.timeZone, contact: contact)
    }

    private static func localDoctor(_ invocation: Invocation, _ settings: Result<Settings, Problem>) -> Doctor {
        let now = SystemClock().now()
        return Doctor(
            of: invocation.directory, settings: settings, machine: MachineFacts(of: invocation.directory), at: now
        ) {
            ServerCertificate.findings($0, at: now)
        }
    }

    private static func diagnosis(
        of findings: [DoctorFinding], _ invocation: Invocation, contact: SupportContact?
    ) -> Diagnosis {
        var diagnosis = Diagnosis(version: Picket.version, at: SystemClock().now())
        diagnosis.add(findings, in: locale(invocation, contact: contact))
        return diagnosis
    }

    /// What a running service says.
    private static func diagnosis(of service: ServiceClient, _ invocation: Invocation) throws(Problem) -> Diagnosis {
        var diagnosis: Diagnosis = try service.connection.send(
            "GET", ["doctor"], query: [("timezone", locale(invocation).zone.queryName)]
        ).decoded()
        if diagnosis.version != Picket.version {
            diagnosis.add(
                [.otherVersion(service: diagnosis.version, program: Picket.version)], in: locale(invocation))
        }
        return diagnosis
    }

    // MARK: - Printing

    /// The maximum number of findings of one kind that are printed.
    private static let mostOfKind = 20

    private static func print(_ diagnosis: Diagnosis, _ invocation: Invocation) {
        let output = invocation.output
        let language = invocation.language
        var printed: [String: Int] = [:]
        for finding in diagnosis.findings {
            let code = finding["code"]?.string ?? ""
            printed[code, default: 0] += 1
            guard printed[code, default: 0] <= mostOfKind else { continue }
            let severity = Diagnosis.severity(of: finding)
            let (color, word): (Color, Phrase) =
                switch severity {
                case .critical, .error: (.red, Phrase("error"))
                case .warning: (.yellow, Phrase("warning"))
                case .info: (.dim, Phrase("remark"))
                }
            let area = finding["area"]?.string ?? ""
            let label = DoctorFinding.Area(rawValue: area)?.phrase.text(in: language) ?? area
            output.print(
                "\(color(word.text(in: language).padding(8), on: output)) \(label.padding(12)) "
                    + Format.printable(finding["message"]?.string ?? "", atMost: 2000))
            if let advice = finding["advice"]?.string, !advice.isEmpty {
                output.print("\("".padding(21)) → \(Format.printable(advice, atMost: 2000))")
            }
        }
        let hidden = printed.values.reduce(0) { $0 + max(0, $1 - mostOfKind) }
        if hidden > 0 { invocation.print(Phrase("and \(hidden) more; --json names them")) }
        invocation.print(summary(diagnosis))
    }

    /// How many findings there are.
    private static func summary(_ diagnosis: Diagnosis) -> Phrase {
        let (errors, warnings) = (diagnosis.count(of: .critical, .error), diagnosis.count(of: .warning))
        let remarks = diagnosis.count(of: .info)
        let notes = remarks == 0 ? Phrase("") : Phrase(remarks, one: " \(remarks) remark.", other: " \(remarks) remarks.")
        if errors + warnings == 0 { return Phrase("Nothing is wrong.\(notes)") }
        let (failed, doubtful) = (
            Phrase(errors, one: "\(errors) error", other: "\(errors) errors"),
            Phrase(warnings, one: "\(warnings) warning", other: "\(warnings) warnings")
        )
        return Phrase("\(failed), \(doubtful).\(notes)")
    }
}
