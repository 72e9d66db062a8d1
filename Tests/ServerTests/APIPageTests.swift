import Foundation
import Routing
import TestSupport
import Testing

@testable import Server

@Suite("Page on the HTTP API")
struct APIPageTests {
    private static let page = Result { try text("docs/http-api.md") }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: SharedData.checkout.appending(path: path), encoding: .utf8)
    }

    @Test("The page names exactly the existing routes, with their roles")
    func routes() throws {
        let named = try Self.page.get().split(separator: "\n").flatMap { line -> [String] in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, let names = cells.first, names.hasPrefix("`"), names.contains(" /") else { return [] }
            // Routes with the same role may share a row.
            return names.components(separatedBy: ", ").map { "\($0.dropFirst().dropLast()): \(cells[1])" }
        }
        #expect(named.sorted() == Routes.all.map { "\($0.method) \($0.path): \($0.access)" }.sorted())
    }

    @Test("The page, or the page of its other requests, has an example of every route")
    func examples() throws {
        // `ReadmeTests` runs the examples.
        let pages = try Self.page.get() + Self.text("Tests/Pages/http-api.md")
        let called = pages.split(separator: "\n").filter { $0.hasPrefix("$ ") }.compactMap(Self.request)
        for route in Routes.all {
            let isCalled = called.contains { $0.method == route.method && route.match($0.target) != nil }
            #expect(isCalled, "\(route.method) \(route.path)")
        }
    }

    /// The method and the path of a `curl` command line.
    private static func request(_ line: Substring) -> (method: String, target: Target)? {
        guard let address = line.firstRange(of: "localhost:7575") else { return nil }
        let path = line[address.upperBound...].prefix { !" ?'\"".contains($0) }
        var method = line.contains(" -d ") || line.contains(" --data-binary ") ? "POST" : "GET"
        if let option = line.firstRange(of: " -X ") { method = String(line[option.upperBound...].prefix { $0 != " " }) }
        return (method, Target(String(path)))
    }
}
