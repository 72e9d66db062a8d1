import Core
import Model
import Reconciler
import Registry

extension DoctorFinding {
    /// Sentences that say what is wrong, and with what.
    ///
    /// - Parameter zone: The time zone of times in the sentences.
    func message(in zone: LocalTimeZone) -> Phrase {
        func time(_ moment: Instant) -> String { Format.time(moment, in: zone) }
        return switch self {
        case .problem(let problem, _, nil): Phrase("\(problem)")
        case .problem(let problem, _, let source?): Phrase("\(source): \(problem)")
        case .autoRepairNever(let devices):
            Phrase(
                devices,
                one: "Automatic repair is on for \(devices) device, but auto-repair-interval is 0, so this never happens.",
                other: "Automatic repair is on for \(devices) devices, but auto-repair-interval is 0, so this never happens.")
        case .brokerWithoutTLS(let broker): Phrase("The password for the MQTT broker \(broker) is sent without TLS.")
        case .plainHTTPBesideProxy(let address):
            Phrase("public-url is HTTPS, but \(address) also accepts HTTP without TLS from other machines.")
        case .certificateExpires(let moment, let days) where days < 0: Phrase("The certificate expired on \(time(moment)).")
        case .certificateExpires(let moment, let days):
            Phrase(
                days, one: "The certificate expires on \(time(moment)), in \(days) day.",
                other: "The certificate expires on \(time(moment)), in \(days) days.")
        case .certificateForOthers(let host): Phrase("The certificate does not name \(host), so clients refuse it.")
        case .clockBehindStore(let newest, let seconds):
            Phrase("The clock is \(duration: seconds) behind the newest time in the store, \(time(newest)).")
        case .clockNotSynchronized: Phrase("The clock of this machine is not synchronized with a time server.")
        case .littleRoom(let free, let perDay) where perDay <= 0: Phrase("\(size: free) of disk space is free.")
        case .littleRoom(let free, let perDay):
            Phrase(
                free / perDay,
                one: """
                    \(size: free) of disk space is free, and the store grows by \(size: perDay) a day: it is full in \(free / perDay) day.
                    """,
                other: """
                    \(size: free) of disk space is free, and the store grows by \(size: perDay) a day: it is full in \(free / perDay) days.
                    """)
        case .notWritable(let path, let reason): Phrase("'\(path)' cannot be written: \(reason).")
        case .foreignOwner(let files):
            Phrase(
                """
                Files belong to another user than the data directory, so a service may not be able to write them: \(Self.list(files)).
                """)
        case .openToOthers(let files): Phrase("Other users of this machine can use these files: \(Self.list(files)).")
        case .noStore(let path): Phrase("There is no store in '\(path)' yet.")
        case .notLookedThrough(let bytes): Phrase("The store was not checked completely, because its size is \(size: bytes).")
        case .withoutChecksums:
            Phrase(
                """
                The store has no checksums, because another program created its file, so damage to its pages may not be noticed.
                """)
        case .leftOvers(let files): Phrase("A command that was killed left incomplete files: \(Self.list(files)).")
        case .oldCopies(let files, let bytes):
            Phrase(
                """
                Copies of the store from before restores and updates are at least a month old, and take \(size: bytes): \(Self.list(files)).
                """)
        case .copiesBeforeErasure(let files):
            Phrase(
                "These copies are older than the last erasure of a device, and may still contain it: \(Self.list(files)).")
        case .noBackup: Phrase("No backup was found.")
        case .oldBackup(let file, let days): Phrase("The newest backup, \(file), is \(days) days old.")
        case .lateBackup(let folder, nil, _): Phrase("There is no scheduled backup in \(folder).")
        case .lateBackup(let folder, let newest?, let interval):
            Phrase(
                "The newest scheduled backup in \(folder) is from \(time(newest)), but backup-every is \(duration: interval).")
        case .notRunning: Phrase("The service is not running.")
        case .notAnswering(let process): Phrase("The service (process \(plain: process)) is running, but does not answer.")
        case .otherVersion(let service, let program):
            Phrase("The service has version \(service), and this program has version \(program).")
        case .neverReported(let device): Phrase("\(device) has never reported a position.")
        case .refusedInput(let id, let field, let reason, let count, let lastAt):
            Phrase(
                count,
                one: "\(Self.sender(id)) has sent invalid data (\(count) time, last at \(time(lastAt))): \(field): \(reason).",
                other: "\(Self.sender(id)) has sent invalid data (\(count) times, last at \(time(lastAt))): \(field): \(reason).")
        case .clockAhead(let device, let seconds): Phrase("The clock of \(device) is \(duration: seconds) ahead.")
        case .silent(let device, let since): Phrase("\(device) has been silent since \(time(since)).")
        case .neverMet(let geofence, let name) where geofence == name:
            Phrase("No device has ever been in or near the geofence \(name).")
        case .neverMet(let geofence, let name):
            Phrase("No device has ever been in or near the geofence \(name) (\(geofence)).")
        case .phoneSetting(let device, let platform, let cause):
            Phrase("\(device): \(cause.phrase(PlatformProfile(platform))).")
        case .monitoringMode(let device, .quiet):
            Phrase("The OwnTracks app of \(device) is in quiet mode, in which it sends nothing.")
        case .monitoringMode(let device, .manual):
            Phrase("The OwnTracks app of \(device) is in manual mode, in which it sends positions only on request.")
        }
    }

    /// Sentences or a command that say what a person can do about it.
    ///
    /// - Parameter contact: See `Problem.recoveryAction(contact:)`.
    func advice(_ contact: SupportContact?) -> Phrase {
        switch self {
        case .problem(let problem, _, let source): Self.advice(on: problem, source: source, contact)
        case .autoRepairNever:
            Phrase("Set auto-repair-interval, for example to 15m, or: picket device edit ID --auto-repair off")
        case .brokerWithoutTLS: Phrase("Use mqtts:// in the setting mqtt.")
        case .plainHTTPBesideProxy: Phrase("Set listen to 127.0.0.1, or block the port in the firewall.")
        case .certificateExpires: Phrase("Renew the certificate, then: systemctl reload picket")
        case .certificateForOthers:
            Phrase("Get a certificate for this name, or set public-url to a name in the certificate.")
        case .clockBehindStore: Phrase("Set the clock. Until then, new events have earlier times than recorded ones.")
        case .clockNotSynchronized: .verbatim(RecoveryCommand.clockSynchronization)
        case .littleRoom: Phrase("Free disk space, or keep positions for less time with the setting keep-positions.")
        case .notWritable:
            Phrase("Allow the service's user to write there, and check whether the file system is mounted read-only.")
        case .foreignOwner: Phrase("Change the owner of the files to the owner of the directory (chown).")
        case .openToOthers: Phrase("Run chmod 600 on them. The next command that writes there does that as well.")
        case .noStore: Phrase("The first command that writes creates it. For another directory: --data DIR")
        case .notLookedThrough: Phrase("picket check checks all of it, while the service is running.")
        case .withoutChecksums: Phrase("picket compact adds checksums.")
        case .leftOvers: Phrase("The next command that writes to the directory removes them.")
        case .oldCopies: Phrase("Delete them when you do not need them.")
        case .copiesBeforeErasure: Phrase("Delete them. If you need a backup: picket backup FILE")
        case .noBackup:
            Phrase("picket backup FILE. If your backups are in another folder: picket doctor --backups DIR")
        case .oldBackup: Phrase("picket backup FILE")
        case .lateBackup: Phrase("Check that the service runs, and why backups fail: picket problems")
        case .notRunning: Phrase("picket serve, or: systemctl start picket")
        case .notAnswering: Phrase("Check its log, then: systemctl restart picket")
        case .otherVersion: Phrase("Restart the service: systemctl restart picket")
        case .neverReported(let device): Phrase("Set up its app: picket device enroll \(device.shellQuoted)")
        case .refusedInput("", _, _, _, _): Phrase("Set the device or user in the app.")
        case .refusedInput(let device, _, _, _, _):
            Phrase("Correct its settings. Details: picket device show \(device.shellQuoted)")
        case .clockAhead: Phrase("Set the device to synchronize its clock automatically.")
        case .silent:
            Phrase("Check that its app is running, has a network connection, and may use the location in the background.")
        case .neverMet(let geofence, _):
            Phrase(
                """
                Check on the map whether the geofence is in the right place: latitude and longitude may be swapped. If it is not needed, \
                turn it off: picket geofence edit \(geofence.shellQuoted) --inactive
                """)
        case .phoneSetting(_, let platform, let cause): Self.advice(on: cause, platform)
        case .monitoringMode: Phrase("Choose the mode 'Significant' or 'Move' in the app.")
        }
    }

    /// What to do about a problem: the text of its action, with the command that performs it, if there is one.
    private static func advice(on problem: Problem, source: String?, _ contact: SupportContact?) -> Phrase {
        let action = problem.recoveryAction(contact: contact)
        let label = action.label
        if action == .contactSupport, let contact {
            return Phrase("\(label): \(contact.hint)")
        }
        let command = source.flatMap { RecoveryCommand.command(action, for: problem, id: nil, source: $0) }
        return command.map { Phrase("\(label): \($0)") } ?? label
    }

    private static func advice(on cause: Finding.Cause, _ platform: Device.Platform) -> Phrase {
        switch (cause, platform) {
        case (.locationOff, .ios): Phrase("On the phone, open Settings > Privacy & Security > Location Services, and turn it on.")
        case (.locationOff, .android): Phrase("On the phone, open Settings > Location, and turn it on.")
        case (.authorization, .ios): Phrase("On the phone, open Settings > the app > Location, and choose Always.")
        case (.authorization, .android):
            Phrase("On the phone, open Settings > Apps > the app > Permissions > Location, and choose Allow all the time.")
        case (.imprecise, .ios): Phrase("On the phone, open Settings > the app > Location, and turn on Precise Location.")
        case (.imprecise, .android):
            Phrase("On the phone, open Settings > Apps > the app > Permissions > Location, and turn on Use precise location.")
        case (.noBackgroundRefresh, _):
            Phrase("On the phone, open Settings > General > Background App Refresh, and turn it on in general and for the app.")
        case (.batteryOptimized, .ios): Phrase("On the phone, open Settings > Battery, and turn off Low Power Mode.")
        case (.batteryOptimized, .android):
            Phrase("On the phone, open Settings > Apps > the app > Battery, and choose Unrestricted.")
        default: Phrase("Check the settings of the phone.")
        }
    }

    /// The device that has sent something; an empty id for an unknown one.
    private static func sender(_ id: String) -> Phrase { id.isEmpty ? Phrase("An unknown device") : .verbatim(id) }

    /// The names of files, at most five of them.
    private static func list(_ names: [String]) -> String {
        let most = 5
        return names.prefix(most).joined(separator: ", ") + (names.count > most ? " … (+\(names.count - most))" : "")
    }
}

extension DoctorFinding.Area: Named {
    /// The beginning of a line.
    package var phrase: Phrase {
        switch self {
        case .settings: Phrase("settings")
        case .certificate: Phrase("certificate")
        case .service: Phrase("service")
        case .store: Phrase("store")
        case .clock: Phrase("clock")
        case .disk: Phrase("disk")
        case .problems: Phrase("problems")
        case .devices: Phrase("devices")
        case .phones: Phrase("phones")
        case .geofences: Phrase("geofences")
        }
    }
}
