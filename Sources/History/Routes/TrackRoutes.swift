import Core
import Ingest
import Model
import Routing
import Service

/// The routes of a device's stored positions.
enum TrackRoutes {
    typealias Route = Routing.Route<RunningJobs>

    static let all: [Route] = [track, removal]

    private enum Format: String, CaseIterable { case json, gpx }

    private static let track = Route(
        "GET", "/v1/devices/{id}/track", access: .reader, restricted: .allowed,
        about: .init(
            "Lists the positions of a device in order of time, including late ones; as GPX by format or Accept",
            query: [
                .init("since", "Not before this time; \(TimeReader.forms)"), .until, .timeZone,
                .init("format", "json (default) or gpx", oneOf: Format.allCases.map(\.rawValue)),
            ] + RouteDescription.Parameter.paging, answer: "TrackPage", otherAnswers: [("application/gpx+xml", "Text")]),
        work: .task { _, call throws(Problem) in
            let accepted: Format = call.accepts("application/gpx+xml") ? .gpx : .json
            let format = try call.oneOf("format", Format.self) ?? accepted
            let (device, (since, until)) = (call.id, try call.period())
            try await call.store.orderTracks(for: device, call.client)
            let read: @Sendable (Queries, String?, Int) throws(Problem) -> Page<Queries.TrackPoint> = {
                service, place, limit throws(Problem) in
                try service.track(of: device, since: since, until: until, after: place, limit: limit)
            }
            return try await call.readers.ask(for: call.client) { service throws(Problem) in
                if format == .gpx { return gpx(try read(service, call.after, call.limit()), call) }
                return try .list("fixes", of: service, for: call, read: read, json: \.json)
            }
        })

    private static let removal = Route(
        "DELETE", "/v1/devices/{id}/positions", access: .admin,
        about: .init(
            "Removes the positions of a device from a time on, for example those of a clock that was ahead, and retracts the events "
                + "that they caused. This cannot be undone",
            query: [
                .init("since", "Removes positions of this time or later. \(TimeReader.forms)", isRequired: true), .timeZone,
                .init("dryRun", "Change nothing, and return the number of positions", type: "boolean"),
            ], answer: "PositionRemoval"),
        work: .task { jobs, call throws(Problem) in
            let (device, isDry) = (call.id, try call.flag("dryRun"))
            guard let since = try call.instant("since") else {
                throw .missing("since", .time)
            }
            try await call.store.orderTracks(for: device, call.client)
            if isDry {
                return .json(
                    try await call.store.heavyReaders.ask(for: call.client) { service throws(Problem) in
                        try service.previewPositionRemoval(ofDevice: device, since: since)
                    }.json)
            }
            try jobs.beginRequested(.requestedReplay)
            defer { jobs.end(.requestedReplay) }
            // Checks the token again.
            try await call.perform { _ in }
            return .json(try await call.store.writer.perform(PositionRemovalJob(ofDevice: device, since: since)).removal.json)
        })

    private static func gpx(_ page: Page<Queries.TrackPoint>, _ call: Call) -> Response {
        let response = Response(
            status: 200, contentType: "application/gpx+xml", body: .text(GPXEncoder.track(name: call.id, page.items.map(\.fix))))
        guard let next = page.next else { return response }
        let kept = call.target.query.filter { $0.name != "after" } + [FormField("after", next)]
        let query = kept.map { "\(PercentEncoding.escape($0.name))=\(PercentEncoding.escape($0.value))" }.joined(separator: "&")
        return response.with("Link", "</v1/devices/\(PercentEncoding.escape(call.id))/track?\(query)>; rel=\"next\"")
    }
}
