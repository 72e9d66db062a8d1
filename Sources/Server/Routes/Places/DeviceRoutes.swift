import Core
import Model
import Places
import Presence
import Routing
import Service

/// Routes of devices.
enum DeviceRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [list, create, get, put, patch, remove]

    private static let list = Route(
        "GET", "/v1/devices", access: .reader, restricted: .allowed, heavyFields: ["inside", "bbox", "group"],
        about: .init(
            "Lists devices by id, each with its location",
            query: [
                .init("inside", "Only devices in this geofence"),
                .init(
                    "bbox",
                    "Only devices whose newest position is in this box: west,south,east,north; west > east crosses the antimeridian. Longitudes "
                        + "may be up to 360 degrees from Greenwich"),
                .init("group", "Only devices of this group"),
            ] + RouteDescription.Parameter.paging, answer: "DevicePage"),
        work: .read { service, call throws(Problem) in
            var filter = Queries.DeviceFilter()
            filter.geofenceId = call.target["inside"]
            filter.box = try call.box("bbox")
            filter.group = call.target["group"]
            return try .list("devices", of: service, for: call) { [filter] service, place, limit throws(Problem) in
                try service.deviceStatuses(filter, after: place, limit: limit)
            } json: {
                ShownDevice($0).json(in: AnswerLocale())
            }
        })

    private static let create = Route(
        "POST", "/v1/devices", access: .admin,
        about: .init(
            "Creates a device. An unknown device is also created by its first position",
            body: [("application/json", "NewDevice")],
            answer: "Device", status: 201, isTagged: true),
        work: .write { service, call throws(Problem) in
            try answer(service.createDevice(call.json()).id, service, isNew: true)
        })

    private static let get = Route(
        "GET", "/v1/devices/{id}", access: .reader, restricted: .allowed, heavyFields: ["keepPositions", "eventCount"],
        about: .init(
            "Shows a device with its location, its problems and its refused data; its ETag names the version of its editable fields",
            query: [
                .init(
                    "keepPositions", "Include how many positions would be deleted if they were kept this long, for example 90d"),
                .init("eventCount", "Include the number of its events", type: "boolean"),
            ],
            answer: "Device", isTagged: true),
        work: .read { service, call throws(Problem) in
            let whereabouts = try service.deviceStatus(of: call.id)
            try call.checkMatch(kind: .device, whereabouts.device.json.tag)
            let concerns = try service.concerns(ofDevice: call.id, in: call.head.language)
            var deletion: PositionDeletion?
            if let seconds = try call.duration("keepPositions", in: 0...Device.maximumKeepPositions) {
                deletion = try service.countDeletable(ofDevice: call.id, keeping: seconds)
            }
            let eventCount = try call.flag("eventCount") ? try service.eventCount(ofDevice: call.id) : nil
            return .json(ShownDevice(whereabouts, concerns, deletion: deletion, eventCount: eventCount).json(in: AnswerLocale()))
                .tagged(whereabouts.device.json.tag)
        })

    private static let put = Route(
        "PUT", "/v1/devices/{id}", access: .admin,
        about: .init(
            "Creates a device, or replaces the one with this id",
            body: [("application/json", "DeviceInput")], answer: "Device", otherStatuses: [201], isTagged: true),
        work: .write { service, call throws(Problem) in
            let made = try service.saveDevice(call.json(), id: call.id, call.condition())
            return try answer(made.device.id, service, isNew: made.isNew)
        })

    private static let patch = Route(
        "PATCH", "/v1/devices/{id}", access: .admin,
        about: .init(
            "Changes some fields of a device (RFC 7396)",
            body: [("application/merge-patch+json", "DevicePatch"), ("application/json", "DevicePatch")], answer: "Device",
            isTagged: true),
        work: .write { service, call throws(Problem) in
            try answer(service.patchDevice(call.id, with: call.json(), call.condition()).id, service, isNew: false)
        })

    private static let remove = Route(
        "DELETE", "/v1/devices/{id}", access: .admin,
        about: .init("Removes a device and its positions. Its open visits end; its events are kept", status: 204, isTagged: true),
        work: .task { _, call throws(Problem) in
            await call.store.writer.prepareRemoval()
            let (id, condition) = (call.id, try call.condition())
            try await call.perform { service throws(Problem) in
                _ = try service.removeDevice(id, condition)
            }
            return .nothing
        })

    private static func answer(_ id: String, _ service: Queries, isNew: Bool) throws(Problem) -> Response {
        let whereabouts = try service.deviceStatus(of: id)
        let response = Response.json(ShownDevice(whereabouts).json(in: AnswerLocale()), status: isNew ? 201 : 200)
            .tagged(whereabouts.device.json.tag)
        return isNew ? response.with("Location", "/v1/devices/\(PercentEncoding.escape(id))") : response
    }
}
