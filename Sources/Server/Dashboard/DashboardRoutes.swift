import Core
import Model
import Routing
import Service
import Settings

/// The page at `/` and its files. They need no token, because they contain no data: the page requests its data separately.
enum DashboardRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [file, leaflet, image]

    /// The answer to requests for `/` that are not position reports.
    static let page = Route(
        "GET", "/", access: .open, about: .init("The dashboard", answer: "Text", answerType: "text/html; charset=utf-8"),
        work: .now { api, call throws(Problem) in
            api.site.dashboard.isFound ? try answer(DashboardFiles.page, api, call) : missing(call)
        })

    /// The page of a service that does not find the dashboard's files.
    private static func missing(_ call: Call) -> Response {
        let (problem, language) = (InstalledFiles.dashboardProblem, call.head.language)
        let page = HTMLText.page(
            language, title: HTMLText.escaped(problem.title.text(in: language)), style: "",
            body: HTMLText.paragraphs([problem.message.text(in: language)]))
        return Response(status: 404, contentType: "text/html; charset=utf-8", body: .text(page)).with("Cache-Control", "no-store")
    }

    private static let file = Route(
        "GET", "/dashboard/{name}", access: .open,
        about: .init("A file of the dashboard", answer: "Text", answerType: "text/javascript; charset=utf-8"),
        work: .now { api, call throws(Problem) in try answer(call.id, api, call) })

    private static let leaflet = Route(
        "GET", "/dashboard/leaflet/{name}", access: .open,
        about: .init(
            "A file of Leaflet, the map library", answer: "Text", answerType: "text/javascript; charset=utf-8"),
        work: .now { api, call throws(Problem) in try answer("leaflet/\(call.id)", api, call) })

    private static let image = Route(
        "GET", "/dashboard/leaflet/images/{name}", access: .open,
        about: .init("An image of Leaflet", answer: "Text", answerType: "image/png"),
        work: .now { api, call throws(Problem) in try answer("leaflet/images/\(call.id)", api, call) })

    private static func answer(_ name: String, _ api: API, _ call: Call) throws(Problem) -> Response {
        guard let file = api.site.dashboard.file(name) else { throw .notFound(kind: .address, id: call.target.path, similar: []) }
        var response = Response(status: 200, contentType: file.contentType, body: .bytes(file.bytes))
        let tag = "\"\(file.tag)\""
        if call.head.ifNoneMatch?.contains(tag) == true { response = Response(status: 304, contentType: "", body: .text("")) }
        if response.status == 200, let packed = file.compressed, call.head.acceptsGzip {
            response.body = .bytes(packed)
            response.headers.append(("Content-Encoding", "gzip"))
        }
        return response.with("ETag", tag).with("Vary", "Accept-Encoding")
            // Browsers revalidate the files each time, usually with status 304, so that an update takes effect at once.
            .with("Cache-Control", "no-cache")
            .with("Content-Security-Policy", policy(api.store.settings.mapTiles)).with("Referrer-Policy", "no-referrer")
            .with("Cross-Origin-Opener-Policy", "same-origin")
    }

    /// The Content Security Policy (Level 3): only files of this service, and images of the map server if one is set; no inline code.
    private static func policy(_ tiles: MapTiles?) -> String {
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:\(tiles.map { " \($0.origin)" } ?? ""); "
            + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    }
}
