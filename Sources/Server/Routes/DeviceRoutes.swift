import Model
import Service

/// Devices.
enum DeviceRoutes {
    static let all: [Route] = [get]

    private static let get = Route(
        "GET", "/v1/devices/{id}", .reader, .init("One device", answer: "Device"),
        .read { service, call throws(Problem) in .json(try service.device(id: call.id).json) })
}
