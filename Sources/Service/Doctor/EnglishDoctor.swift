import Model
import Reconciler
import Registry

/// The English texts about what a diagnosis finds.
struct EnglishDoctor: DoctorCatalog {
    private let language = Language.english

    func message(_ finding: DoctorFinding, in zone: LocalTimeZone) -> String {
        switch finding {
        case .problem(let problem, _, let source):
            (source.map { "\($0): " } ?? "") + problem.message.text(in: language)
        case .autoRepairNever(let devices):
            "Automatic repair is on for \(Format.count(devices, one: "device", many: "devices")), but auto-repair-interval is 0, "
                + "so this never happens."
        case .brokerWithoutTLS(let broker): "The password for the MQTT broker \(broker) is sent without TLS."
        case .plainHTTPBesideProxy(let address):
            "public-url is HTTPS, but \(address) also accepts HTTP without TLS from other machines."
        case .certificateExpires(let moment, let days):
            days < 0
                ? "The certificate expired on \(Format.time(moment, in: zone))."
                : "The certificate expires on \(Format.time(moment, in: zone)), in \(Format.count(days, one: "day", many: "days"))."
        case .certificateForOthers(let host): "The certificate does not name \(host), so clients refuse it."
        case .clockBehindStore(let newest, let seconds):
            "The clock is \(language.duration(seconds)) behind the newest time in the store, \(Format.time(newest, in: zone))."
        case .clockNotSynchronized: "The clock of this machine is not synchronized with a time server."
        case .littleRoom(let free, let perDay):
            "\(Format.size(free)) of disk space is free"
                + (perDay > 0
                    ? ", and the store grows by \(Format.size(perDay)) a day: it is full in "
                        + "\(Format.count(free / perDay, one: "day", many: "days"))." : ".")
        case .notWritable(let path, let reason): "'\(path)' cannot be written: \(reason)."
        case .foreignOwner(let files):
            "Files belong to another user than the data directory, so a service may not be able to write them: \(list(files))."
        case .openToOthers(let files): "Other users of this machine can use these files: \(list(files))."
        case .noStore(let path): "There is no store in '\(path)' yet."
        case .notLookedThrough(let bytes): "The store was not checked completely, because its size is \(Format.size(bytes))."
        case .withoutChecksums:
            "The store has no checksums, because another program created its file, so damage to its pages may not be noticed."
        case .leftOvers(let files): "A command that was killed left incomplete files: \(list(files))."
        case .oldCopies(let files, let bytes):
            "Copies of the store from before restores are at least a month old, and take \(Format.size(bytes)): "
                + "\(list(files))."
        case .copiesBeforeErasure(let files):
            "These copies are older than the last erasure of a device, and may still contain it: \(list(files))."
        case .noBackup: "No backup was found."
        case .oldBackup(let file, let days): "The newest backup, \(file), is \(days) days old."
        case .notRunning: "The service is not running."
        case .notAnswering(let process): "The service (process \(process)) is running, but does not answer."
        case .otherVersion(let service, let program):
            "The service has version \(service), and this program has version \(program)."
        case .neverReported(let device): "\(device) has never reported a position."
        case .refusedInput(let device, let field, let reason, let count, let lastAt):
            "\(device.isEmpty ? "An unknown device" : device) has sent invalid data "
                + "(\(Format.count(count, one: "time", many: "times")), last at \(Format.time(lastAt, in: zone))): "
                + "\(field): \(reason.text(in: language))."
        case .clockAhead(let device, let seconds):
            "The clock of \(device) is \(language.duration(seconds)) ahead."
        case .silent(let device, let since): "\(device) has been silent since \(Format.time(since, in: zone))."
        case .neverMet(let geofence, let name):
            "No device has ever been in or near the geofence \(name)"
                + (geofence == name ? "." : " (\(geofence)).")
        case .phoneSetting(let device, let platform, let cause):
            "\(device): \(language.registration.cause(cause, PlatformProfile(platform)))."
        case .monitoringMode(let device, .quiet):
            "The OwnTracks app of \(device) is in quiet mode, in which it sends nothing."
        case .monitoringMode(let device, .manual):
            "The OwnTracks app of \(device) is in manual mode, in which it sends positions only on request."
        }
    }

    func advice(_ finding: DoctorFinding, _ contact: SupportContact?) -> String {
        switch finding {
        case .problem(let problem, _, let source): advice(problem, source: source, contact, in: language)
        case .autoRepairNever: "Set auto-repair-interval, for example to 15m, or: picket device edit ID --auto-repair off"
        case .brokerWithoutTLS: "Use mqtts:// in the setting mqtt."
        case .plainHTTPBesideProxy: "Set listen to 127.0.0.1, or block the port in the firewall."
        case .certificateExpires: "Renew the certificate, then: systemctl reload picket"
        case .certificateForOthers: "Get a certificate for this name, or set public-url to a name in the certificate."
        case .clockBehindStore: "Set the clock. Until then, new events have earlier times than recorded ones."
        case .clockNotSynchronized: "timedatectl set-ntp true"
        case .littleRoom: "Free disk space, or keep positions for less time with the setting keep-positions."
        case .notWritable: "Allow the service's user to write there, and check whether the file system is mounted read-only."
        case .foreignOwner: "Change the owner of the files to the owner of the directory (chown)."
        case .openToOthers: "Run chmod 600 on them. The next command that writes there does that as well."
        case .noStore: "The first command that writes creates it. For another directory: --data DIR"
        case .notLookedThrough: "picket check checks all of it, while the service is running."
        case .withoutChecksums: "picket compact adds checksums."
        case .leftOvers: "The next command that writes to the directory removes them."
        case .oldCopies: "Delete them when you do not need them."
        case .copiesBeforeErasure: "Delete them. If you need a backup: picket backup FILE"
        case .noBackup: "picket backup FILE. If your backups are in another folder: picket doctor --backups DIR"
        case .oldBackup: "picket backup FILE"
        case .notRunning: "picket serve, or: systemctl start picket"
        case .notAnswering: "Check its log, then: systemctl restart picket"
        case .otherVersion: "Restart the service: systemctl restart picket"
        case .neverReported(let device): "Set up its app: picket device enroll \(device.shellQuoted)"
        case .refusedInput(let device, _, _, _, _):
            device.isEmpty
                ? "Set the device or user in the app." : "Correct its settings. Details: picket device show \(device.shellQuoted)"
        case .clockAhead: "Set the device to synchronize its clock automatically."
        case .silent: "Check that its app is running, has a network connection, and may use the location in the background."
        case .neverMet(let geofence, _):
            "Check on the map whether it is in the right place: latitude and longitude may be swapped. Or: "
                + "picket geofence edit \(geofence.shellQuoted) --inactive"
        case .phoneSetting(_, let platform, let cause): Self.advice(cause, platform)
        case .monitoringMode: "Choose the mode 'Significant' or 'Move' in the app."
        }
    }

    private static func advice(_ cause: Finding.Cause, _ platform: Device.Platform) -> String {
        switch (cause, platform) {
        case (.locationOff, .ios): "On the phone: Settings, Privacy & Security, Location Services: on."
        case (.locationOff, .android): "On the phone: Settings, Location: on."
        case (.authorization, .ios): "On the phone: Settings, the app, Location: Always."
        case (.authorization, .android): "On the phone: Settings, Apps, the app, Permissions, Location: Allow all the time."
        case (.imprecise, .ios): "On the phone: Settings, the app, Location: Precise Location on."
        case (.imprecise, .android): "On the phone: Settings, Apps, the app, Permissions, Location: Use precise location."
        case (.noBackgroundRefresh, _): "On the phone: Settings, General, Background App Refresh: on, also for the app."
        case (.batteryOptimized, .ios): "On the phone: Settings, Battery: Low Power Mode off."
        case (.batteryOptimized, .android): "On the phone: Settings, Apps, the app, Battery: Unrestricted."
        default: "Check the settings of the phone."
        }
    }

    func area(_ area: DoctorFinding.Area) -> String { area.rawValue }

    func severity(_ severity: Problem.Severity) -> String {
        switch severity {
        case .critical, .error: "error"
        case .warning: "warning"
        case .info: "remark"
        }
    }

    func summary(errors: Int, warnings: Int, remarks: Int) -> String {
        let notes = remarks == 0 ? "" : " " + Format.count(remarks, one: "remark", many: "remarks") + "."
        guard errors + warnings > 0 else { return "Nothing is wrong." + notes }
        return Format.count(errors, one: "error", many: "errors") + ", "
            + Format.count(warnings, one: "warning", many: "warnings") + "." + notes
    }
}
