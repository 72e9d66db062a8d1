import Model
import Service

/// Routes of groups of devices.
enum GroupRoutes {
    static let all: [Route] = [list, get, patch]

    private static let list = Route(
        "GET", "/v1/groups", access: .reader,
        about: .init(
            "Groups by name: how many devices and geofences each has, and the values for its devices", answer: "GroupPage"),
        work: .read { service, _ throws(Problem) in .page("groups", Page(try service.groups()), json: \.json) })

    private static let get = Route(
        "GET", "/v1/groups/{name}", access: .reader, about: .init("One group", answer: "Group"),
        work: .read { service, call throws(Problem) in .json(try service.group(named: call.id).json) })

    private static let patch = Route(
        "PATCH", "/v1/groups/{name}", access: .admin,
        about: .init(
            "Changes the values for devices of the group that have none of their own (RFC 7396), and answers with what followed. A group "
                + "need not have a device yet",
            body: [("application/merge-patch+json", "GroupPatch"), ("application/json", "GroupPatch")], answer: "GroupAnswer"),
        work: .write { service, call throws(Problem) in
            .json(try service.patchGroup(call.id, with: call.json()).json)
        })
}
