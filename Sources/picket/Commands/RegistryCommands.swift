import Core
import Foundation
import Geodesy
import Model
import Registrations
import Registry
import SimulatedOS
import ToolSupport

/// The commands `picket registry …`: simulate events on a simulated phone.
enum RegistryCommands {
    static let all = [
        show, authorize, location, setting, drop, addOrphan, addForeign, reboot, reinstall, fail,
    ]

    private static let device = Option("--device", value: "ID", help: "The device; required if several phones are simulated")

    /// The device named by `--device`, else the only one with a simulated phone.
    ///
    /// - Throws: `Problem.usage` when there is no simulated phone or more than one.
    private static func device(_ invocation: Invocation, _ service: Queries) throws(Problem) -> Device {
        if let id = invocation.value("--device") { return try service.device(id: id) }
        let simulated = try service.devices().filter { $0.registry == .simulated }
        guard simulated.count == 1 else {
            throw .usage(
                reason: simulated.isEmpty
                    ? Phrase("There is no simulated phone; create one with 'picket device add ID --platform ios'")
                    : Phrase("There are \(simulated.count) simulated phones; choose one with --device"),
                help: "picket \(invocation.command.name) --help")
        }
        return simulated[0]
    }

    /// Performs an action on the simulated phone, and prints its result.
    private static func performAction(
        _ invocation: Invocation, action: SimulatedAction, sentence: (SimulatedOS, [RegionID]) -> Phrase
    ) throws(Problem) -> ExitStatus {
        // A simulated phone has its own file, which can be changed while another process writes to the store.
        let service = try invocation.readingService()
        let device = try device(invocation, service)
        let (phone, lost) = try service.simulate(action, on: device)
        invocation.output.print(
            invocation.isJSON
                ? json(phone, device).description
                : "\(device.id)\(Format.simulated(device.registry, in: invocation.language)): "
                    + invocation.text(sentence(phone, lost)))
        return .done
    }

    /// The JSON of `registry show --json`.
    private static func json(_ os: SimulatedOS, _ device: Device) -> JSONValue {
        [
            "deviceId": .string(device.id), "platform": .string(os.profile.platform.rawValue),
            "profile": .string(os.profile.variant.rawValue), "limit": JSONValue(os.profile.limit),
            "authorizationStatus": .string(os.settings.authorization.rawValue),
            "locationServicesEnabled": .bool(os.settings.locationServicesEnabled),
            "regions": .array(
                os.regions.map { region in
                    [
                        "identifier": .string(region.id.shortText), "latitude": JSONValue(region.circle.center.latitude),
                        "longitude": JSONValue(region.circle.center.longitude), "radius": JSONValue(region.circle.radius),
                        "notifyOnEntry": .bool(region.notifyOnEntry), "notifyOnExit": .bool(region.notifyOnExit),
                        "foreign": .bool(!region.id.isOurs),
                        "isMonitored": .bool(!os.currentSnapshot.unmonitored.contains(region.id)),
                    ]
                }),
        ]
    }

    // MARK: - Show

    static let show = Command(
        name: "registry show", summary: "Show the regions and settings of a simulated phone.", options: [device],
        noServer: .simulatesPhone, examples: ["picket registry show --device anna-phone"]
    ) { invocation throws(Problem) in
        let service = try invocation.readingService()
        let device = try device(invocation, service)
        let os = try service.changeSimulatedOS(of: device) { $0 }
        let output = invocation.output
        if invocation.isJSON {
            output.print(json(os, device).description)
            return .done
        }
        let language = invocation.language
        let phone =
            "\(Color.bold(device.id, on: output)) (\(os.profile.fullName))\(Format.simulated(device.registry, in: language))"
        let (count, limit, status) = (os.regions.count, os.profile.limit, os.settings.authorization.rawValue)
        invocation.print(
            os.settings.locationServicesEnabled
                ? Phrase("\(phone): \(plain: count) of \(plain: limit) regions, authorization '\(status)', location on")
                : Phrase("\(phone): \(plain: count) of \(plain: limit) regions, authorization '\(status)', location off"))
        let unmonitored = os.currentSnapshot.unmonitored
        var table = Table(Phrase("IDENTIFIER|LATITUDE|LONGITUDE|RADIUS|"), numeric: [1, 2, 3], in: language)
        for region in os.regions {
            var remarks: [Phrase] = region.id.isOurs ? [] : [Phrase("another SDK's")]
            if !region.notifyOnEntry { remarks.append(Phrase("no entry")) }
            if !region.notifyOnExit { remarks.append(Phrase("no exit")) }
            if unmonitored.contains(region.id) { remarks.append(Phrase("not monitored: over the limit")) }
            table.add([
                region.id.description, Format.decimal(region.circle.center.latitude, 6),
                Format.decimal(region.circle.center.longitude, 6),
                Phrase("\(length: region.circle.radius)").text(in: language),
                Phrase.joined(remarks, separator: ", ").text(in: language),
            ])
        }
        if !os.regions.isEmpty { table.print(to: output) }
        return .done
    }

    // MARK: - What a person does

    static let authorize = Command(
        name: "registry authorize", summary: "Change the location permission of a simulated phone.", arguments: "STATUS",
        count: 1...1,
        choices: Authorization.allCases.map(\.rawValue), options: [device],
        discussion: "STATUS: \(Authorization.allCases.map(\.rawValue).joined(separator: ", ")).",
        noServer: .simulatesPhone, examples: ["picket registry authorize whenInUse --device anna-phone"]
    ) { invocation throws(Problem) in
        let word = invocation.words[0].lowercased()
        guard let status = Authorization.allCases.first(where: { $0.rawValue.lowercased() == word }) else {
            throw .validationFailed(
                field: "STATUS", value: invocation.words[0], reason: Phrase("there is no such status"),
                expected: .oneOf(Authorization.allCases.map(\.rawValue)))
        }
        return try performAction(invocation, action: .authorize(status)) { _, _ in
            Phrase("Authorization is now '\(status.rawValue)'.")
        }
    }

    static let location = Command(
        name: "registry location", summary: "Switch the location services of a simulated phone on or off.", arguments: "on|off",
        count: 1...1,
        choices: ["on", "off"], options: [device], noServer: .simulatesPhone,
        examples: ["picket registry location off --device anna-phone"]
    ) { invocation throws(Problem) in
        let isOn = try SimulatedSetting.isOn(invocation.words[0], of: "switch")
        return try performAction(invocation, action: .location(isOn: isOn)) { _, _ in
            isOn ? Phrase("Location services are now on.") : Phrase("Location services are now off.")
        }
    }

    static let setting = Command(
        name: "registry set", summary: "Change another setting of a simulated phone, or its operating system's behavior.",
        arguments: "SETTING VALUE",
        count: 2...2, options: [device],
        discussion: """
            SETTING: precise, background or battery (on or off); reboot-policy (\(PlatformProfile.RebootPolicy.allCases.map(\.rawValue).joined(separator: ", "))),
            update-policy (keep, drop), permission-policy (dormant, cleared).
            """,
        noServer: .simulatesPhone,
        examples: ["picket registry set precise off --device anna-phone", "picket registry set reboot-policy zombie"]
    ) { invocation throws(Problem) in
        let (name, value) = (invocation.words[0], invocation.words[1])
        return try performAction(invocation, action: .set(try SimulatedSetting(name, value))) { _, _ in
            Phrase("\(name) is now \(value).")
        }
    }

    // MARK: - What happens to regions

    static let drop = Command(
        name: "registry drop", summary: "Make the operating system of a simulated phone lose regions silently.",
        arguments: "[N|ID…]", count: 0...10_000,
        options: [device],
        discussion: "With a number N, it loses N of Picket's regions, chosen by the phone's seed; without arguments, one.",
        noServer: .simulatesPhone, examples: ["picket registry drop 2 --device anna-phone", "picket registry drop home school"]
    ) { invocation throws(Problem) in
        let words = invocation.words
        if words.count <= 1, let count = words.first.map(Int.init) ?? 1, count >= 0 {
            return try performAction(invocation, action: .drop(count: count)) { _, lost in
                lost.isEmpty ? Phrase("Dropped nothing.") : Phrase("Dropped \(list: lost.map(\.description)).")
            }
        }
        return try performAction(invocation, action: .dropRegions(words)) { _, lost in
            Phrase("Dropped \(list: lost.map(\.description)).")
        }
    }

    private static func add(_ invocation: Invocation, isOurs: Bool) throws(Problem) -> ExitStatus {
        let circle = try Invocation.circle(invocation.words[1], field: "LAT,LON,RADIUS")
        let name = invocation.words[0]
        return try performAction(invocation, action: try .adding(name, circle, isOurs: isOurs)) { phone, _ in
            isOurs
                ? Phrase("\(phone.profile.name) now has \(RegionID(name).description).")
                : Phrase("\(phone.profile.name) now has \(RegionID(name).description), another SDK's.")
        }
    }

    static let addOrphan = Command(
        name: "registry add-orphan", summary: "Register a region of Picket without a geofence on a simulated phone.",
        arguments: "ID LAT,LON,RADIUS", count: 2...2, options: [device],
        noServer: .simulatesPhone, examples: ["picket registry add-orphan old-home 52.5163,13.3777,100"]
    ) { invocation throws(Problem) in try add(invocation, isOurs: true) }

    static let addForeign = Command(
        name: "registry add-foreign", summary: "Register a region of another SDK on a simulated phone.",
        arguments: "ID LAT,LON,RADIUS",
        count: 2...2, options: [device], noServer: .simulatesPhone,
        examples: ["picket registry add-foreign com.ads/42 52.5163,13.3777,500"]
    ) { invocation throws(Problem) in try add(invocation, isOurs: false) }

    // MARK: - What happens to the phone

    static let reboot = Command(
        name: "registry reboot", summary: "Restart a simulated phone.", options: [device],
        discussion: "Whether regions survive depends on the platform, or on the reboot-policy that was set.",
        noServer: .simulatesPhone, examples: ["picket registry reboot --device anna-phone"]
    ) { invocation throws(Problem) in
        try performAction(invocation, action: .reboot) { phone, _ in Phrase("Restarted; \(regionCount(phone)).") }
    }

    static let reinstall = Command(
        name: "registry reinstall", summary: "Reinstall the app on a simulated phone, or move it to a new phone.",
        options: [device],
        noServer: .simulatesPhone, examples: ["picket registry reinstall --device anna-phone"]
    ) { invocation throws(Problem) in
        try performAction(invocation, action: .reinstall) { phone, _ in Phrase("Reinstalled; \(regionCount(phone)).") }
    }

    static let fail = Command(
        name: "registry fail", summary: "Make a simulated phone fail, now or at the next call.", arguments: "FAULT…",
        count: 1...20,
        options: [device],
        discussion: """
            Immediately: drift ID METERS (the system moves a region), deafen ID (it sends no notifications), zombify ID (it is listed, but
            not monitored), update, forceStop, clearData.
            At the next call of that kind: refuse CODE (a vendor's number or name: 4, 5, 6, 7 on iOS; 1000, 1001, 1004, 1005 on
            Android), loseStart, loseStop, noAnswer, noState, loseReport, delayReport DURATION.
            """,
        noServer: .simulatesPhone,
        examples: ["picket registry fail refuse 5 --device anna-phone", "picket registry fail zombify home"]
    ) { invocation throws(Problem) in
        let fault = try fault(invocation.words)
        let text = invocation.words.joined(separator: " ")
        return try performAction(invocation, action: .fail(fault)) { phone, _ in
            if case .next(let next) = fault { return Phrase("Will fail once: \(next.description).") }
            return Phrase("Done: \(Format.printable(text)); \(regionCount(phone)).")
        }
    }

    private static func regionCount(_ phone: SimulatedOS) -> Phrase {
        let count = phone.regions.count
        return Phrase(count, one: "the system has \(count) region", other: "the system has \(count) regions")
    }

    /// The placeholder of a value in a help text.
    private static func placeholder(_ value: SimulatedFault.Name.Value) -> String {
        switch value {
        case .identifier: "ID"
        case .meters: "METERS"
        case .code: "CODE"
        case .seconds: "DURATION"
        }
    }

    /// The fault that the arguments of `registry fail` name.
    ///
    /// - Throws: `Problem.validationFailed` for an unknown fault or an invalid value; `Problem.usage` for a missing or an extra argument.
    private static func fault(_ words: [String]) throws(Problem) -> SimulatedFault {
        guard let word = words.first, let name = SimulatedFault.Name(rawValue: word) else {
            throw .validationFailed(
                field: "FAULT", value: words.first ?? "", reason: Phrase("there is no such fault"),
                expected: .oneOf(SimulatedFault.Name.allCases.map(\.rawValue)))
        }
        let help = "picket registry fail --help"
        let values = name.values.map(placeholder)
        let given = words.count - 1
        if given < values.count {
            throw .usage(
                reason: .faultNeeds(
                    name.rawValue, Array(values[given...]),
                    example: "picket registry fail \(name.rawValue) \(values.joined(separator: " "))"),
                help: help)
        }
        if given > values.count { throw .usage(reason: .wordTooMany(words[values.count + 1]), help: help) }
        do throws(Problem) {
            return try SimulatedFault(name, Array(words.dropFirst()))
        } catch {
            guard case .validationFailed(let field, let value, let reason, let expected) = error else { throw error }
            // The field is named as `--help` names it.
            let named = SimulatedFault.Name.Value(rawValue: field).map(placeholder) ?? field.uppercased()
            throw .validationFailed(field: named, value: value, reason: reason, expected: expected)
        }
    }
}

extension Command.NoServer {
    fileprivate static let simulatesPhone = Self.worksOnFilesOfService(
        Phrase(
            """
            it works on the file of the simulated phones beside the store; over HTTP, use POST /v1/devices/{id}/registry:simulate
            """))
}
