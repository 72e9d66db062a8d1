import Model
import Presence
import Routing
import Service

/// Routes of the link in an emergency's message.
enum AlarmLinkRoutes {
    typealias Route = Routing.Route<DeliveryRunner>

    static let all: [Route] = [page, acknowledgePage]

    private static let key: [RouteDescription.Parameter] = [.init("key", "The value in the message's link")]

    private static let page = Route(
        "GET", "/alarms/{id}", access: .open,
        about: .init(
            "The page that the link in an emergency's message opens: details of the alarm, and a button to acknowledge it",
            query: key, answer: "Text", answerType: "text/html"),
        work: .task { _, call throws(Problem) in
            // Opening the link does not acknowledge the alarm, because chat apps open links for a preview.
            let event = try await call.readers.ask(for: call.client) { service throws(Problem) in
                try service.alarm(id: call.id, key: call.target["key"] ?? "")
            }
            return AlarmPage(event, in: call.head.language, zone: call.store.settings.timeZone).response
        })

    private static let acknowledgePage = Route(
        "POST", "/alarms/{id}", access: .open,
        about: .init(
            "Acknowledges the alarm, as the button of that page does", query: key, answer: "Text", answerType: "text/html"),
        work: .task { _, call throws(Problem) in
            let event = try await call.perform { service throws(Problem) in
                try service.acknowledge(service.alarm(id: call.id, key: call.target["key"] ?? ""), by: nil)
            }
            return AlarmPage(event, in: call.head.language, zone: call.store.settings.timeZone).response
        })
}
