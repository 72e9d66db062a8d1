import Foundation
import TestSupport

/// A small web site on 127.0.0.1, with pages by path.
struct Site {
    let server: LoopbackServer

    var url: String { server.url }

    /// - Parameters:
    ///   - pages: The content of each page by path, without the parts that all pages share.
    ///   - policy: The Content Security Policy of all pages.
    init(_ pages: [String: String], policy: String? = nil) throws {
        server = try LoopbackServer { request, _ in
            let path = String(request.split(separator: " ").dropFirst().first ?? "")
            guard let page = pages[path] else { return LoopbackServer.answer("404 Not Found") }
            let type = path.hasSuffix(".js") ? "text/javascript" : "text/html"
            let headers = "Content-Type: \(type); charset=utf-8\r\n" + (policy.map { "Content-Security-Policy: \($0)\r\n" } ?? "")
            return LoopbackServer.answer("200 OK", headers: headers, body: type == "text/html" ? Site.document(page) : page)
        }
    }

    /// A document that violates no accessibility rule.
    private static func document(_ content: String) -> String {
        """
        <!doctype html><html lang="en"><head><title>A page</title><meta name="viewport" content="width=device-width">
        <link rel="icon" href="data:,"></head><body><main><h1>A page</h1>\(content)</main></body></html>
        """
    }
}

extension Browser {
    /// A browser that shows the first page of a site.
    convenience init(at site: Site) throws {
        try self.init()
        try open(site.url + "/")
    }
}
