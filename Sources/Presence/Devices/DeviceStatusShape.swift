import Model
import Places
import Store

extension PicketStore.DeviceStatus: JSONDescribed {
    package static let shape = JSONShape<PicketStore.DeviceStatus>(
        "Whereabouts", summary: "Where a device is",
        .init("deviceId", kind: .text, summary: "The device's id", content: \.device.id),
        .init("name", kind: .text, summary: "The device's name", content: \.device.name),
        JSONMember<PicketStore.DeviceStatus, PicketStore.DeviceStatus>(membersOf: placeShape, content: \.self)
    ) { deviceId, name, status in
        var status = status
        status.device = Device(id: deviceId, name: name)
        status.inside = status.inside.map { visit in
            var visit = visit
            visit.deviceId = deviceId
            return visit
        }
        return status
    }

    /// The members besides the device. They have no separate schema.
    static let placeShape = JSONShape<PicketStore.DeviceStatus>(
        "DevicePlace", summary: "Where a device is",
        .init("lastFix", optional: .fix, content: \.newest),
        .init("battery", optional: .number, summary: "The battery at lastFix, from 0 to 1", content: \.newest?.battery),
        .init(
            "lastHeard", optional: .time, summary: "When the device last sent a message, if that was after lastFix",
            content: \.laterHeard),
        .init(
            "isDoubted", optional: .flag,
            summary: "Whether the last position is in doubt until the next one agrees with it, or none comes in time",
            content: \.isDoubted),
        .init("silentSince", optional: .time, summary: "When a silent device last reported", content: \.silentSince),
        .init("notEvaluated", optional: .object(of: UnevaluatedPositions.shape), content: \.unevaluated),
        .init(
            "problemCodes", optional: .list(of: .text),
            summary: "The codes of the open problems that suggest that the device may be elsewhere",
            content: \.problemCodesIfAny),
        .init(
            "inside", kind: .list(of: .object(of: Visit.insideShape)), summary: "The visits of geofences that have not ended",
            content: \.inside)
    ) { lastFix, battery, lastHeard, isDoubted, silentSince, unevaluated, problemCodes, inside in
        var status = PicketStore.DeviceStatus(
            device: Device(id: "", name: ""), newest: lastFix, isOutlierCandidate: isDoubted ?? false, inside: inside,
            silentSince: silentSince, unevaluated: unevaluated)
        status.newest?.battery = battery
        status.lastHeard = lastHeard ?? lastFix?.time
        status.problemCodes = problemCodes ?? []
        return status
    }

    private var problemCodesIfAny: [String]? { problemCodes.isEmpty ? nil : problemCodes }

    /// When the device last sent a message, if it has sent one without a position since its last position.
    package var laterHeard: Instant? {
        if let lastHeard, let newest, lastHeard <= newest.time { return nil }
        return lastHeard
    }

    private var isDoubted: Bool? { isOutlierCandidate ? true : nil }
}
