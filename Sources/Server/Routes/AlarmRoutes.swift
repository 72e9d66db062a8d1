import Model
import Service

/// Calls for help, until a person has seen them.
enum AlarmRoutes {
    static let all: [Route] = [list, acknowledge]

    private static let list = Route(
        "GET", "/v1/alarms", .reader,
        .init(
            "Alarms that devices raised, the newest first",
            query: [.init("open", "Only those that nobody has acknowledged", type: "boolean")] + Route.About.Parameter.paging,
            answer: "AlarmPage"),
        .read { service, call throws(Problem) in
            let page = try service.alarms(onlyOpen: call.flag("open"), after: call.after, limit: call.limit())
            return .page("alarms", page, \.json)
        })

    private static let acknowledge = Route(
        "POST", "/v1/alarms/{id}:acknowledge", .admin,
        .init(
            "Notes that a person has seen an alarm, which ends its repetition; the first one counts",
            query: [.init("by", "Who it is")], answer: "Event"),
        .write { service, call throws(Problem) in
            .json(try service.acknowledge(alarm: call.id, by: call.target["by"]).json)
        })
}
