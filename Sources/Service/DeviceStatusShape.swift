import Model
import Store

extension RegionStore.DeviceStatus: JSONDescribed {
    package static let shape = JSONShape<RegionStore.DeviceStatus>(
        "Whereabouts", summary: "Where a device is",
        .init("deviceId", kind: .text, summary: "Its id", content: \.device.id),
        .init("name", kind: .text, summary: "For people", content: \.device.name),
        .init("lastFix", optional: .fix, content: \.newest),
        .init(
            "isDoubted", optional: .flag, summary: "Whether the last fix is not believed before the next one agrees with it",
            content: \.isDoubted),
        .init("silentSince", optional: .time, summary: "Its last sign of life, when it is silent", content: \.silentSince),
        .init(
            "inside", kind: .list(of: .object(of: Visit.insideShape)), summary: "The geofences that it is in", content: \.inside)
    ) { deviceId, name, lastFix, isDoubted, silentSince, inside in
        RegionStore.DeviceStatus(
            device: Device(id: deviceId, name: name), newest: lastFix, isOutlierCandidate: isDoubted ?? false,
            inside: inside.map { visit in
                var visit = visit
                visit.deviceId = deviceId
                return visit
            }, silentSince: silentSince)
    }

    private var isDoubted: Bool? { isOutlierCandidate ? true : nil }
}
