import Model
import Presence
import Routing

/// Routes of alarms and their acknowledgment.
enum AlarmRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [list, acknowledge]

    private static let list = Route(
        "GET", "/v1/alarms", access: .reader, restricted: .allowed,
        about: .init(
            "Lists alarms that devices raised, newest first",
            query: [
                .init("open", "Only alarms that are not acknowledged", type: "boolean"),
                .init("emergency", "Only alarms with the urgency 'emergency'", type: "boolean"),
            ] + RouteDescription.Parameter.paging,
            answer: "AlarmPage"),
        work: .read { service, call throws(Problem) in
            let (onlyOpen, onlyEmergencies) = (try call.flag("open"), try call.flag("emergency"))
            return try .list("alarms", of: service, for: call) { service, place, limit throws(Problem) in
                try service.alarms(onlyOpen: onlyOpen, onlyEmergencies: onlyEmergencies, after: place, limit: limit)
            } json: {
                $0.json
            }
        })

    private static let acknowledge = Route(
        "POST", "/v1/alarms/{id}:acknowledge", access: .reader, restricted: .allowed,
        about: .init(
            "Acknowledges an alarm, so that it is not sent again; the first acknowledgment counts",
            query: [.init("by", "The name of the person")], answer: "Event"),
        work: .write { service, call throws(Problem) in
            let alarm = try service.alarm(id: call.id)
            guard call.store.writer.deviceGroups.isVisible(alarm.deviceId, to: call.head.scope) else {
                throw .notFound(kind: .alarm, id: call.id, similar: [])
            }
            return .json(try service.acknowledge(alarm, by: call.target["by"]).json)
        })
}
