import Model
import Notifications
import Routing
import Service

/// Routes of alarms and their acknowledgment.
enum AlarmRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [list, acknowledge, page, acknowledgePage]

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
        "POST", "/v1/alarms/{id}:acknowledge", access: .admin,
        about: .init(
            "Acknowledges an alarm, so that it is not sent again; the first acknowledgment counts",
            query: [.init("by", "The name of the person")], answer: "Event"),
        work: .write { service, call throws(Problem) in
            .json(try service.acknowledgeAlarm(call.id, by: call.target["by"]).json)
        })

    // MARK: - The link in a message

    private static let key: [RouteDescription.Parameter] = [.init("key", "The value in the message's link")]

    private static let page = Route(
        "GET", "/alarms/{id}", access: .open,
        about: .init(
            "The page that the link in an emergency's message opens: details of the alarm, and a button to acknowledge it",
            query: key, answer: "Text", answerType: "text/html"),
        work: .task { _, call throws(Problem) in
            // Opening the link does not acknowledge the alarm, because chat apps open links for a preview.
            let event = try await call.store.readers.ask(for: call.client) { service throws(Problem) in
                try service.alarm(id: call.id, key: call.target["key"] ?? "")
            }
            return AlarmPage(event, in: call.head.language, zone: call.store.settings.timeZone).response
        })

    private static let acknowledgePage = Route(
        "POST", "/alarms/{id}", access: .open,
        about: .init(
            "Acknowledges the alarm, as the button of that page does", query: key, answer: "Text", answerType: "text/html"),
        work: .task { _, call throws(Problem) in
            let event = try await call.store.writer.perform { service throws(Problem) in
                _ = try service.alarm(id: call.id, key: call.target["key"] ?? "")
                return try service.acknowledgeAlarm(call.id, by: nil)
            }
            return AlarmPage(event, in: call.head.language, zone: call.store.settings.timeZone).response
        })
}
