import Foundation
import Geodesy
import Model
import Registry
import Service
import SimulatedOS

/// `picket registry …`: what happens to a simulated phone.
enum RegistryCommands {
    static let all = [show, authorize, location, setting, drop, addOrphan, addForeign, reboot, reinstall, fail]

    private static let device = Option("--device", "ID", "Whose phone; needed when several are simulated")

    /// The device that is meant: the one named, or the only one that is simulated.
    private static func device(_ invocation: Invocation, _ service: GeofenceService) throws(Problem) -> Device {
        if let id = invocation.value("--device") { return try service.device(id: id) }
        let simulated = try service.devices().filter { $0.registry == .simulated }
        guard simulated.count == 1 else {
            throw .usage(
                reason: simulated.isEmpty
                    ? "There is no simulated phone; make one with 'picket device add ID --platform ios'"
                    : "There are \(simulated.count) simulated phones; say which with --device",
                help: "picket \(invocation.command.name) --help")
        }
        return simulated[0]
    }

    /// Lets something happen to the phone, and says how it is then.
    private static func operate(
        _ invocation: Invocation, _ body: @escaping (inout SimulatedOS) throws(Problem) -> String
    ) throws(Problem) -> ExitStatus {
        // What happens to a phone asks nobody's leave: its file is changed beside whoever works on the store.
        let service = try invocation.readingService()
        let device = try device(invocation, service)
        let result: Result<(String, JSONValue), Problem> = try service.operate(device) { os in
            do throws(Problem) {
                return .success((try body(&os), json(os, device)))
            } catch {
                return .failure(error)
            }
        }
        let (sentence, state) = try result.get()
        invocation.output.print(
            invocation.isJSON ? state.description : "\(device.id)\(Wording.simulated(device.registry)): \(sentence)")
        return .done
    }

    /// The shape that `registry show --json` has.
    private static func json(_ os: SimulatedOS, _ device: Device) -> JSONValue {
        [
            "deviceId": .string(device.id), "platform": .string(os.profile.platform.rawValue),
            "limit": JSONValue(os.profile.limit),
            "authorizationStatus": .string(os.settings.authorization.rawValue),
            "locationServicesEnabled": .bool(os.settings.locationServicesEnabled),
            "regions": .array(
                os.regions.map { region in
                    [
                        "identifier": .string(region.id.shortText), "latitude": JSONValue(region.circle.center.latitude),
                        "longitude": JSONValue(region.circle.center.longitude), "radius": JSONValue(region.circle.radius),
                        "notifyOnEntry": .bool(region.notifyOnEntry), "notifyOnExit": .bool(region.notifyOnExit),
                        "foreign": .bool(!region.id.isOurs),
                    ]
                }),
        ]
    }

    // MARK: - Show

    static let show = Command(
        name: "registry show", summary: "What a simulated phone's system holds.", options: [device],
        examples: ["picket registry show --device anna-phone"]
    ) { invocation throws(Problem) in
        let service = try invocation.readingService()
        let device = try device(invocation, service)
        let os = try service.operate(device) { $0 }
        let output = invocation.output
        if invocation.isJSON {
            output.print(json(os, device).description)
            return .done
        }
        output.print(
            "\(Color.bold(device.id, on: output)) (\(os.profile.name))\(Wording.simulated(device.registry)): \(os.regions.count) of \(os.profile.limit) regions, "
                + "authorization '\(os.settings.authorization.rawValue)', location \(os.settings.locationServicesEnabled ? "on" : "off")"
        )
        var table = Table(["IDENTIFIER", "LATITUDE", "LONGITUDE", "RADIUS", ""], numeric: [1, 2, 3])
        for region in os.regions {
            var remarks: [String] = region.id.isOurs ? [] : ["another SDK's"]
            if !region.notifyOnEntry { remarks.append("no entry") }
            if !region.notifyOnExit { remarks.append("no exit") }
            table.add([
                region.id.description, Wording.decimal(region.circle.center.latitude, 6),
                Wording.decimal(region.circle.center.longitude, 6), Wording.length(region.circle.radius),
                remarks.joined(separator: ", "),
            ])
        }
        if !os.regions.isEmpty { table.print(to: output) }
        return .done
    }

    // MARK: - What a person does

    static let authorize = Command(
        name: "registry authorize", summary: "The person changes the location permission.", arguments: "STATUS", count: 1...1,
        choices: Authorization.allCases.map(\.rawValue), options: [device],
        discussion: "STATUS: \(Authorization.allCases.map(\.rawValue).joined(separator: ", ")).",
        examples: ["picket registry authorize whenInUse --device anna-phone"]
    ) { invocation throws(Problem) in
        let word = invocation.words[0].lowercased()
        guard let status = Authorization.allCases.first(where: { $0.rawValue.lowercased() == word }) else {
            throw .validationFailed(
                field: "STATUS", value: invocation.words[0], reason: "there is no such status",
                expected: Authorization.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return try operate(invocation) { os in
            os.authorize(status)
            return "Authorization is now '\(status.rawValue)'."
        }
    }

    /// `on` or `off`.
    private static func flag(_ invocation: Invocation, _ position: Int = 0) throws(Problem) -> Bool {
        switch invocation.words[position] {
        case "on": return true
        case "off": return false
        case let other:
            throw .validationFailed(field: "switch", value: other, reason: "it is neither on nor off", expected: "on or off")
        }
    }

    static let location = Command(
        name: "registry location", summary: "The person switches location services.", arguments: "on|off", count: 1...1,
        choices: ["on", "off"], options: [device], examples: ["picket registry location off --device anna-phone"]
    ) { invocation throws(Problem) in
        let isOn = try flag(invocation)
        return try operate(invocation) { os in
            os.setLocationServices(isOn)
            return "Location services are now \(isOn ? "on" : "off")."
        }
    }

    static let setting = Command(
        name: "registry set", summary: "The person changes another setting, or the system's ways.", arguments: "SETTING VALUE",
        count: 2...2, options: [device],
        discussion: """
            SETTING: precise, background or battery (on or off); reboot-policy (\(PlatformProfile.RebootPolicy.allCases.map(\.rawValue).joined(separator: ", "))),
            update-policy (keep, drop), permission-policy (dormant, cleared).
            """,
        examples: ["picket registry set precise off --device anna-phone", "picket registry set reboot-policy zombie"]
    ) { invocation throws(Problem) in
        let (name, value) = (invocation.words[0], invocation.words[1])
        func policy<Policy: RawRepresentable & CaseIterable>(_ type: Policy.Type) throws(Problem) -> Policy
        where Policy.RawValue == String {
            guard let policy = Policy(rawValue: value) else {
                throw .validationFailed(
                    field: name, value: value, reason: "there is no such policy",
                    expected: Policy.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return policy
        }
        let change: (inout SimulatedOS) -> Void
        switch name {
        case "precise", "background", "battery":
            let isOn = try flag(invocation, 1)
            change = { os in
                switch name {
                case "precise": os.setPreciseLocation(isOn)
                case "background": os.setBackgroundRefresh(isOn)
                default: os.setBatteryOptimized(isOn)
                }
            }
        case "reboot-policy":
            let policy = try policy(PlatformProfile.RebootPolicy.self)
            change = { $0.policies.reboot = policy }
        case "update-policy":
            let policy = try policy(PlatformProfile.UpdatePolicy.self)
            change = { $0.policies.update = policy }
        case "permission-policy":
            let policy = try policy(PlatformProfile.PermissionPolicy.self)
            change = { $0.policies.permission = policy }
        default:
            throw .validationFailed(
                field: "SETTING", value: name, reason: "there is no such setting",
                expected: "precise, background, battery, reboot-policy, update-policy or permission-policy")
        }
        return try operate(invocation) { os throws(Problem) in
            let isKnown =
                switch name {
                case "background": os.profile.platform == .ios
                case "battery": os.profile.platform == .android
                case "reboot-policy": os.profile.reboot.contains { $0.rawValue == value }
                case "update-policy": os.profile.update.contains { $0.rawValue == value }
                case "permission-policy": os.profile.permission.contains { $0.rawValue == value }
                default: true
                }
            guard isKnown else {
                throw .validationFailed(
                    field: name, value: value, reason: "\(os.profile.name) has no such way",
                    expected: "a setting or policy of this platform; --help lists them")
            }
            change(&os)
            return "\(name) is now \(value)."
        }
    }

    // MARK: - What happens to regions

    static let drop = Command(
        name: "registry drop", summary: "The system loses regions, without a word.", arguments: "[N|ID…]", count: 0...10_000,
        options: [device], discussion: "A number loses so many of ours, picked by the phone's seed; nothing loses one.",
        examples: ["picket registry drop 2 --device anna-phone", "picket registry drop home school"]
    ) { invocation throws(Problem) in
        try operate(invocation) { os throws(Problem) in
            let words = invocation.words
            if words.count <= 1, let count = words.first.map(Int.init) ?? 1, count >= 0 {
                let lost = os.drop(count)
                return "Dropped \(lost.isEmpty ? "nothing" : lost.map(\.description).joined(separator: ", "))."
            }
            let ids = words.map { RegionID(geofence: $0) }
            for (word, id) in zip(words, ids) where !os.regions.contains(where: { $0.id == id }) {
                throw .validationFailed(
                    field: "ID", value: word, reason: "the phone holds no such region",
                    expected: "an identifier that 'picket registry show' lists")
            }
            os.drop(ids)
            return "Dropped \(words.joined(separator: ", "))."
        }
    }

    private static func add(_ id: RegionID, isOurs: Bool, _ invocation: Invocation) throws(Problem) -> ExitStatus {
        guard !invocation.words[0].isEmpty, id.isOurs == isOurs else {
            throw .validationFailed(
                field: "ID", value: invocation.words[0],
                reason: invocation.words[0].isEmpty ? "it is empty" : "what begins with picket/ is ours",
                expected: isOurs ? "the id of a geofence that is no more" : "an identifier as another SDK would give it")
        }
        let circle = try Invocation.circle(invocation.words[1], field: "LAT,LON,RADIUS")
        return try operate(invocation) { os throws(Problem) in
            guard os.add(Region(id: id, circle: circle)) else {
                throw .validationFailed(
                    field: "region", value: invocation.words.joined(separator: " "),
                    reason:
                        "the phone does not take it: its \(os.profile.limit) slots are full, or it is no circle that it watches",
                    expected: "a free slot, a place, and a radius that \(os.profile.name) watches")
            }
            return "\(os.profile.name) now holds \(id)\(id.isOurs ? "" : ", another SDK's")."
        }
    }

    static let addOrphan = Command(
        name: "registry add-orphan", summary: "A region of ours is left over that no geofence is saved for.",
        arguments: "ID LAT,LON,RADIUS", count: 2...2, options: [device],
        examples: ["picket registry add-orphan old-home 52.5163,13.3777,100"]
    ) { invocation throws(Problem) in try add(RegionID(geofence: invocation.words[0]), isOurs: true, invocation) }

    static let addForeign = Command(
        name: "registry add-foreign", summary: "Another SDK in the app registers a region.", arguments: "ID LAT,LON,RADIUS",
        count: 2...2, options: [device], examples: ["picket registry add-foreign com.ads/42 52.5163,13.3777,500"]
    ) { invocation throws(Problem) in try add(RegionID(invocation.words[0]), isOurs: false, invocation) }

    // MARK: - What happens to the phone

    static let reboot = Command(
        name: "registry reboot", summary: "The phone restarts.", options: [device],
        discussion: "What becomes of the regions is the platform's way, or the reboot-policy that was set.",
        examples: ["picket registry reboot --device anna-phone"]
    ) { invocation throws(Problem) in
        try operate(invocation) { os in
            os.reboot()
            return "Restarted; the system holds \(Wording.count(os.regions.count, "region", "regions"))."
        }
    }

    static let reinstall = Command(
        name: "registry reinstall", summary: "The app is installed anew, or moves to a new phone.", options: [device],
        examples: ["picket registry reinstall --device anna-phone"]
    ) { invocation throws(Problem) in
        try operate(invocation) { os in
            os.reinstall()
            return "Installed anew; the system holds \(Wording.count(os.regions.count, "region", "regions"))."
        }
    }

    static let fail = Command(
        name: "registry fail", summary: "Something goes wrong, now or with the next call.", arguments: "FAULT…", count: 1...20,
        options: [device],
        discussion: """
            At once: drift ID METRES (the system holds a region elsewhere), deafen ID (without its notifications), zombify ID (listed,
            not watched), update, forceStop, clearData.
            With the next call of its kind: refuse CODE (a vendor's number or name: 4, 5, 6, 7 on iOS; 1000, 1001, 1004, 1005 on
            Android), loseStart, loseStop, noAnswer, noState, loseReport, delayReport SECONDS.
            """,
        examples: ["picket registry fail refuse 5 --device anna-phone", "picket registry fail zombify home"]
    ) { invocation throws(Problem) in
        let name = try FaultName(invocation.words)
        let text = invocation.words.joined(separator: " ")
        if let misfortune = try misfortune(invocation.words) {
            return try operate(invocation) { os throws(Problem) in
                if let id = misfortune.region, !os.regions.contains(where: { $0.id == id }) {
                    throw .validationFailed(
                        field: "ID", value: id.description, reason: "the phone holds no such region",
                        expected: "an identifier that 'picket registry show' lists")
                }
                misfortune.happen(&os)
                return
                    "Done: \(Wording.printable(text)); the system holds \(Wording.count(os.regions.count, "region", "regions"))."
            }
        }
        guard let fault = Faults.Fault(text) else {
            throw .validationFailed(
                field: name.values.first ?? "FAULT", value: invocation.words.last ?? "", reason: "it is out of range or unknown",
                expected: name.expected)
        }
        return try operate(invocation) { os throws(Problem) in
            if case .refuse(let code) = fault, let number = code.number, (number < 10) != (os.profile.platform == .ios) {
                throw .validationFailed(
                    field: "CODE", value: "\(number)", reason: "\(os.profile.name) does not know it",
                    expected: os.profile.platform == .ios ? "4, 5, 6 or 7" : "1000, 1001, 1004 or 1005")
            }
            os.faults.next.append(fault)
            return "Will go wrong once: \(fault)."
        }
    }

    /// What happens to a phone at once.
    private struct Misfortune {
        var region: RegionID?
        var happen: (inout SimulatedOS) -> Void
    }

    /// The misfortune that the words name; nil when they name none.
    private static func misfortune(_ words: [String]) throws(Problem) -> Misfortune? {
        let id = words.count > 1 ? RegionID(geofence: words[1]) : nil
        switch (words[0], words.count) {
        case ("update", 1): return Misfortune { $0.update() }
        case ("forceStop", 1): return Misfortune { $0.forceStop() }
        case ("clearData", 1): return Misfortune { $0.clearData() }
        case ("deafen", 2): return id.map { id in Misfortune(region: id) { $0.deafen(id) } }
        case ("zombify", 2): return id.map { id in Misfortune(region: id) { $0.zombify(id) } }
        case ("drift", 3):
            guard let metres = Double(words[2]), metres > 0, metres <= 1_000_000 else {
                throw .validationFailed(
                    field: "METRES", value: words[2], reason: "it is no distance", expected: "metres, up to 1000000")
            }
            return id.map { id in Misfortune(region: id) { $0.drift(id, metres: metres) } }
        default: return nil
        }
    }
}
