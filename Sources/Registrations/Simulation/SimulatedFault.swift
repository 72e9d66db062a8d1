import Model
import Registry
import SimulatedOS

/// A fault of a simulated phone that happens at once or at the next matching call. A region is identified by the id of its geofence, or by
/// its identifier in the operating system.
package enum SimulatedFault: Hashable, Sendable {
    /// The operating system holds the region this many meters away from its place.
    case drift(String, meters: Double)
    /// The operating system holds the region without its notifications.
    case deafen(String)
    /// The operating system lists the region, but does not watch it.
    case zombify(String)
    /// The app is updated.
    case update
    /// The app is force-stopped.
    case forceStop
    /// The app's data is cleared.
    case clearData
    /// The next matching call fails.
    case next(Faults.Fault)

    /// The range of meters by which a region can drift.
    static let driftRange = 0.0...1_000_000

    /// Applies the fault to a phone.
    ///
    /// - Throws: `Problem.validationFailed` for a region that the phone does not hold, for an error code of another platform, and for a
    ///   fault that the phone cannot have.
    func apply(to phone: inout SimulatedOS) throws(Problem) {
        switch self {
        case .drift(let name, let meters): phone.drift(try phone.region(named: name), meters: meters)
        case .deafen(let name):
            let region = try phone.region(named: name)
            guard phone.profile.hasNotificationOptions else {
                throw .validationFailed(
                    field: "fault", value: Name.deafen.rawValue, reason: .noSuchWay(phone.profile.fullName),
                    expected: .settingOfPlatform)
            }
            phone.deafen(region)
        case .zombify(let name): phone.zombify(try phone.region(named: name))
        case .update: phone.update()
        case .forceStop: phone.forceStop()
        case .clearData: phone.clearData()
        case .next(let fault):
            if case .refuse(let code) = fault, let number = code.number, (number < 10) != (phone.profile.platform == .ios) {
                throw .validationFailed(
                    field: "code", value: "\(number)", reason: Phrase("it does not exist on \(phone.profile.name)"),
                    expected: phone.profile.platform == .ios ? Phrase("4, 5, 6 or 7") : Phrase("1000, 1001, 1004 or 1005"))
            }
            phone.faults.next.append(fault)
        }
    }
}

extension SimulatedFault {
    /// The names on the command line and in JSON.
    package enum Name: String, CaseIterable, Sendable {
        // Faults that happen at once
        case drift, deafen, zombify, update, forceStop, clearData
        // Faults that happen at the next matching call
        case refuse, loseStart, loseStop, noAnswer, noState, loseReport, delayReport

        /// The values that follow the name.
        package enum Value: String, Sendable {
            case identifier
            case meters = "metres"
            case code, seconds
        }

        package var values: [Value] {
            switch self {
            case .drift: [.identifier, .meters]
            case .deafen, .zombify: [.identifier]
            case .refuse: [.code]
            case .delayReport: [.seconds]
            case .update, .forceStop, .clearData, .loseStart, .loseStop, .noAnswer, .noState, .loseReport: []
            }
        }
    }

    /// - Parameter values: The values that `Name.values` lists, in that order.
    /// - Throws: `Problem.validationFailed` for a value that is missing or out of range.
    package init(_ name: Name, _ values: [String]) throws(Problem) {
        guard values.count == name.values.count else {
            let missing = name.values.dropFirst(values.count).first
            throw .validationFailed(
                field: missing?.rawValue ?? "fault", value: "", reason: .hasOtherValues(name.rawValue),
                expected: .oneOf(name.values.map(\.rawValue)))
        }
        switch name {
        case .drift:
            guard let meters = Double(values[1]), meters > Self.driftRange.lowerBound, meters <= Self.driftRange.upperBound else {
                throw .validationFailed(
                    field: "metres", value: values[1], reason: Phrase("it is not a distance"), expected: .metersIn(0, 1_000_000))
            }
            self = .drift(values[0], meters: meters)
        case .deafen: self = .deafen(values[0])
        case .zombify: self = .zombify(values[0])
        case .update: self = .update
        case .forceStop: self = .forceStop
        case .clearData: self = .clearData
        case .delayReport:
            self = .next(
                .delayReport(
                    try TimeSpan.seconds(values[0], field: "seconds", in: Faults.Fault.delays, acceptsBareSeconds: true)))
        case .refuse, .loseStart, .loseStop, .noAnswer, .noState, .loseReport:
            guard let fault = Faults.Fault(([name.rawValue] + values).joined(separator: " ")) else {
                throw .validationFailed(
                    field: name.values.first?.rawValue ?? "fault", value: values.first ?? name.rawValue,
                    reason: Phrase("it is out of range or unknown"),
                    expected: Phrase("a vendor's number or name: 4, 5, 6 or 7 on iOS; 1000, 1001, 1004 or 1005 on Android"))
            }
            self = .next(fault)
        }
    }
}
