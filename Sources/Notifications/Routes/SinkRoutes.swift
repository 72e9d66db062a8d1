import Core
import Delivery
import Model
import Routing
import Service

/// Routes of sinks.
enum SinkRoutes {
    typealias Route = Routing.Route<DeliveryRunner>

    static let all: [Route] = [list, create, show, put, remove, test, pause, resume, rejected, resend, discard]

    private static let list = Route(
        "GET", "/v1/sinks", access: .reader, restricted: .allowed,
        about: .init("Lists sinks and their state, by id, without their secrets", answer: "SinkList"),
        work: .task { delivery, call throws(Problem) in
            let sinks = try await call.readers.ask(for: call.client) { service throws(Problem) in try service.sinks() }
            let statuses = delivery.statuses
            let locale = call.locale
            return .json(["sinks": .array(sinks.map { ShownSink($0, statuses[$0.sink.id]).json(in: locale) })])
        })

    private static let create = Route(
        "POST", "/v1/sinks", access: .admin,
        about: .init(
            "Creates a sink. It starts with the next event", body: [("application/json", "NewSink")], answer: "Sink",
            status: 201),
        work: .task { delivery, call throws(Problem) in
            let json = try call.json()
            let editor = editor(call)
            let stored = try await call.perform { service throws(Problem) in
                try service.createSink(json, by: editor)
            }
            delivery.inbox.sinksChanged()
            return Response.json(ShownSink(stored).json(in: call.locale), status: 201)
                .with("Location", "/v1/sinks/\(PercentEncoding.escape(stored.sink.id))")
        })

    private static let show = Route(
        "GET", "/v1/sinks/{id}", access: .reader, restricted: .allowed,
        about: .init("Shows a sink and its state, without its secrets", answer: "Sink"),
        work: .task { delivery, call throws(Problem) in
            let id = call.id
            return answer(
                try await call.readers.ask(for: call.client) { service throws(Problem) in try service.sink(id: id) },
                delivery, call)
        })

    private static let put = Route(
        "PUT", "/v1/sinks/{id}", access: .admin,
        about: .init(
            "Changes the settings of a sink; hidden secrets are kept. A sink that was paused by a problem is tried again",
            body: [("application/json", "NewSink")], answer: "Sink"),
        work: .task { delivery, call throws(Problem) in
            let id = call.id
            let json = try call.json()
            let editor = editor(call)
            let stored = try await call.perform { service throws(Problem) in
                let wasPaused = try service.sink(id: id).pausedAt != nil
                return (sink: try service.saveSink(json, id: id, by: editor), wasPaused: wasPaused)
            }
            let isResumed = stored.wasPaused && stored.sink.pausedAt == nil
            delivery.inbox.sinksChanged(resumed: isResumed ? id : nil)
            return answer(stored.sink, delivery, call)
        })

    private static let remove = Route(
        "DELETE", "/v1/sinks/{id}", access: .admin, about: .init("Removes a sink, with its unsent events", status: 204),
        work: .task { delivery, call throws(Problem) in
            let id = call.id
            try await call.perform { service throws(Problem) in try service.removeSink(id: id) }
            delivery.inbox.sinksChanged()
            return .nothing
        })

    private static let test = Route(
        "POST", "/v1/sinks/{id}:test", access: .admin,
        about: .init(
            "Sends a test event, or a report so far, to a sink, regardless of its filter and state, and returns the result",
            answer: "SinkTest"),
        work: .task { delivery, call throws(Problem) in
            let id = call.id
            _ = try await call.readers.ask(for: call.client) { service throws(Problem) in try service.sink(id: id).rejected }
            return .json(try await delivery.test(sink: id).json(in: call.locale))
        })

    private static let pause = Route(
        "POST", "/v1/sinks/{id}:pause", access: .admin,
        about: .init("Pauses a sink: its events wait", answer: "Sink"),
        work: .task { delivery, call throws(Problem) in
            let id = call.id
            let stored = try await call.perform { service throws(Problem) in try service.pauseSink(id: id) }
            delivery.inbox.sinksChanged()
            return .json(ShownSink(stored).json(in: call.locale))
        })

    private static let resume = Route(
        "POST", "/v1/sinks/{id}:resume", access: .admin,
        about: .init(
            "Resumes a paused sink where it stopped",
            query: [.init("skip", "Skip the events or the report that wait, and start with the next ones", type: "boolean")],
            answer: "Sink"),
        work: .task { delivery, call throws(Problem) in
            let id = call.id
            let isSkipping = try call.flag("skip")
            let stored = try await call.perform { service throws(Problem) in
                try service.resumeSink(id: id, skipping: isSkipping)
            }
            delivery.inbox.sinksChanged(resumed: id)
            return .json(ShownSink(stored).json(in: call.locale))
        })

    // MARK: - Rejected events

    private static let sequence = RouteDescription.Parameter(
        "sequence", "Only the event with this number; default: all", type: "integer")

    private static let rejected = Route(
        "GET", "/v1/sinks/{id}/parked", access: .reader, restricted: .allowed,
        about: .init(
            "Lists the events that a sink rejected, by number", query: RouteDescription.Parameter.paging,
            answer: "ParkedEventPage"),
        work: .read { service, call throws(Problem) in
            let after = try call.integer("after", in: 0...Int.max) ?? 0
            let page = try service.rejectedEvents(ofSink: call.id, after: Int64(after), limit: call.limit())
            return .page("parked", page) { rejected, event in
                ShownRejectedEvent(rejected, event).json(in: service.locale(call.head.language))
            }
        })

    private static let resend = Route(
        "POST", "/v1/sinks/{id}/parked:resend", access: .admin,
        about: .init("Sends rejected events again", query: [sequence], answer: "ParkedCount"),
        work: changeRejected { service, id, number throws(Problem) in try service.resendRejected(ofSink: id, sequence: number) })

    private static let discard = Route(
        "DELETE", "/v1/sinks/{id}/parked", access: .admin,
        about: .init("Discards rejected events", query: [sequence], answer: "ParkedCount"),
        work: changeRejected { service, id, number throws(Problem) in try service.discardRejected(ofSink: id, sequence: number) })

    /// Answers with the number of rejected events that `change` has changed: the one with a number, or all.
    private static func changeRejected(
        _ change: @escaping @Sendable (ServiceWriter, _ id: String, _ number: Int64?) throws(Problem) -> Int
    ) -> Route.Work {
        .task { delivery, call throws(Problem) in
            let (id, number) = (call.id, try call.integer("sequence", in: 1...Int.max).map(Int64.init))
            let count = try await call.perform { service throws(Problem) in try change(service, id, number) }
            delivery.inbox.sinksChanged()
            return .json(["count": JSONValue(count)])
        }
    }

    // MARK: -

    private static func editor(_ call: Call) -> Queries.SinkEditor {
        .init(isLocal: call.head.isOwnCommand, allowsPrivate: call.store.settings.allowsPrivateSinks)
    }

    private static func answer(_ stored: Queries.StoredSink, _ delivery: DeliveryRunner, _ call: Call) -> Response {
        .json(ShownSink(stored, delivery.statuses[stored.sink.id]).json(in: call.locale))
    }
}
