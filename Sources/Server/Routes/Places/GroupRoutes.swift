import Core
import Model
import Places
import Routing
import Service

/// Routes of groups of devices.
enum GroupRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [list, get, patch]

    private static let list = Route(
        "GET", "/v1/groups", access: .reader, restricted: .allowed, isHeavy: true,
        about: .init(
            "Lists groups by name, with their numbers of devices and geofences, and the values for their devices",
            answer: "GroupPage"),
        work: .read { service, _ throws(Problem) in .page("groups", Page(try service.groups()), json: \.json) })

    private static let get = Route(
        "GET", "/v1/groups/{name}", access: .reader, restricted: .allowed, isHeavy: true,
        about: .init("One group", answer: "Group"),
        work: .read { service, call throws(Problem) in .json(try service.groups().named(call.id).json) })

    private static let patch = Route(
        "PATCH", "/v1/groups/{name}", access: .admin,
        about: .init(
            "Changes the values for devices of the group without their own values (RFC 7396), and returns the events that "
                + "result. The group does not need to have a device yet",
            query: [.init("dryRun", "Change nothing, and return what would change", type: "boolean")],
            body: [("application/merge-patch+json", "GroupPatch"), ("application/json", "GroupPatch")], answer: "GroupEdit"),
        work: .task { _, call throws(Problem) in
            let (name, patch, isDry) = (call.id, try call.json(), try call.flag("dryRun"))
            // A reader counts the positions that would be deleted, so that the writer does not have to.
            let preview = try await call.store.heavyReaders.ask(for: call.client) { service throws(Problem) in
                try service.previewGroup(name, with: patch)
            }
            if isDry { return .json(preview.json) }
            return .json(try await call.store.writer.patchGroup(name, with: patch, preview: preview).json)
        })
}
