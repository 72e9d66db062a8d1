import Core
import Delivery
import Foundation
import Model
import Places
import TestSupport
import Testing

@testable import Server

@Suite("Dashboard files")
struct DashboardRouteTests {
    private let folder: TemporaryDirectory
    private let bench: ServerBench
    private static let module = String(repeating: "export const nothing = 0;\n", count: 5000)

    init() throws {
        folder = try TemporaryDirectory()
        try folder.write("<!doctype html><title>Picket</title>", to: "index.html")
        try folder.write(Self.module, to: "app.js")
        try folder.write("secret", to: "notes.txt")
        bench = try ServerBench(dashboard: folder.path)
    }

    @Test("The page is served to everyone at the root, under a strict content security policy")
    func page() async throws {
        _ = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"a","role":"admin"}"#)
        let page = try await bench.ask("GET", "/")
        #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8" && page.text.contains("<title>"))
        let policy = try #require(page["Content-Security-Policy"])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'") && !policy.contains("unsafe"))
        #expect(page["X-Content-Type-Options"] == "nosniff" && page["Cache-Control"] == "no-cache")
        let again = try await bench.ask("GET", "/", headers: ["If-None-Match": try #require(page["ETag"])])
        #expect(again.status == 304 && again.body.isEmpty)
    }

    @Test("A report of a position at the root is still accepted")
    func reports() async throws {
        for query in ["id=t", "deviceid=t", "device_id=t"] {
            #expect(try await bench.ask("GET", "/?\(query)&lat=52.5&lon=13.4&timestamp=1777629800").text == "OK\n")
        }
        #expect(try await bench.ask("POST", "/?id=t&lat=52.5&lon=13.4&timestamp=1777629900", body: "").status == 200)
        #expect(try await bench.json("/v1/status")["devices"]?.array?.count == 1)
        // A request without a device id comes from a browser.
        #expect(try await bench.ask("GET", "/?utm=x").text.contains("<title>"))
    }

    @Test("Files are compressed for clients that accept it, with their type")
    func packed() async throws {
        let plain = try await bench.ask("GET", "/dashboard/app.js")
        #expect(
            plain.text == Self.module && plain["Content-Encoding"] == nil
                && plain["Content-Type"]?.hasPrefix("text/javascript") == true)
        let packed = try await bench.ask("GET", "/dashboard/app.js", headers: ["Accept-Encoding": "gzip, br"])
        #expect(packed.body.count < 1000 && packed["Content-Encoding"] == "gzip" && packed["Vary"] == "Accept-Encoding")
        let path = folder.path + "/packed.gz"
        try Data(packed.body).write(to: URL(filePath: path))
        let output = Pipe()
        let gzip = try TestProcess("/usr/bin/env", ["gzip", "-dc", path], output: .pipe(output))
        let unpacked = output.fileHandleForReading.readDataToEndOfFile()
        gzip.waitUntilExit()
        #expect(String(decoding: unpacked, as: UTF8.self) == Self.module)
    }

    @Test("The page gets the names of the languages, and the translations of its texts")
    func languages() async throws {
        let languages = try await bench.ask("GET", "/dashboard/languages.js")
        #expect(languages["Content-Type"]?.hasPrefix("text/javascript") == true)
        let prefix = "export const languages = "
        let list = try JSONParser.parse(String(languages.text.dropFirst(prefix.count).dropLast(2)))
        #expect(languages.text.hasPrefix(prefix) && list.array?.first?["tag"] == "en")
        #expect(list.array?.contains { $0["tag"] == "tr" && $0["name"] == "Türkçe" } == true)
        let catalog = try await bench.json("/dashboard/texts-tr.json")
        #expect(catalog["texts"]?["Sign In"] == ["Oturum Aç"])
        #expect(catalog["texts"]?["{count} failure"] == ["{count} hata", "Art arda {count} hata"])
        #expect(catalog["forms"]?.array?.count == 200 && catalog["forms"]?.array?.prefix(3).map(\.double) == [0, 0, 1])
        // Texts that only the service uses are not sent.
        #expect(catalog["texts"]?["there is a password, but no user name"] == nil)
        let answer = try await bench.ask("GET", "/dashboard/texts-tr.json", headers: ["Accept-Encoding": "gzip"])
        #expect(answer["Content-Type"] == "application/json" && answer["Content-Encoding"] == "gzip")
        let tag = try #require(answer["ETag"])
        #expect(try await bench.ask("GET", "/dashboard/texts-tr.json", headers: ["If-None-Match": tag]).status == 304)
        #expect(try await bench.ask("GET", "/dashboard/texts-en.json").status == 404)
    }

    @Test("The page gets the kinds of sinks with their fields, and the translations of their texts")
    func sinkKinds() async throws {
        let module = try await bench.ask("GET", "/dashboard/sink-kinds.js").text
        let prefix = "export const sinkKinds = "
        let kinds = try JSONParser.parse(String(module.dropFirst(prefix.count).dropLast(2))).array ?? []
        #expect(module.hasPrefix(prefix) && kinds.compactMap { $0["name"]?.string } == SinkKind.allCases.map(\.rawValue))
        let choices = kinds.flatMap { $0["forms"]?.array ?? [] }
        #expect(choices.compactMap { $0["name"]?.string } == ["ntfy", "webhook", "mqtt", "discovery"])
        let fields = choices.flatMap { $0["fields"]?.array ?? [] } + kinds.flatMap { $0["editable"]?.array ?? [] }
        let secrets = Set(fields.filter { $0["isSecret"] == true }.compactMap { $0["name"]?.string })
        #expect(secrets == ["token", "signingSecret", "password"])
        let catalog = try await bench.json("/dashboard/texts-tr.json")
        #expect(catalog["texts"]?["Signing secret"] == ["İmza sırrı"])
        for (parts, member) in [(kinds + choices, "title"), (choices, "about"), (fields, "label")] {
            for part in parts {
                let english = try #require(part[member]?.string)
                #expect(catalog["texts"]?[english] != nil, "\(english)")
            }
        }
    }

    @Test("The policy allows the configured map server, and the session names it")
    func tiles() async throws {
        let flags = ["map-tiles": "https://tile.example.org:8443/a/{z}/{x}/{y}.png", "map-attribution": "© Some <people>"]
        let bench = try ServerBench(flags: flags, dashboard: folder.path)
        let policy = try #require(try await bench.ask("GET", "/")["Content-Security-Policy"])
        #expect(policy.contains("img-src 'self' data: https://tile.example.org:8443;"), "\(policy)")
        let map = try await bench.json("/v1/session")["map"]
        #expect(map?["tiles"]?.string == flags["map-tiles"] && map?["attribution"]?.string == "© Some <people>")
        #expect(try await self.bench.json("/v1/session")["map"] == nil)
    }

    @Test(
        "No other files are served",
        arguments: [
            "/dashboard/notes.txt", "/dashboard/../app.js", "/dashboard/..%2Fapp.js", "/dashboard/none.js", "/dashboard/",
        ])
    func others(_ path: String) async throws {
        #expect(try await bench.ask("GET", path).status == 404)
    }

    @Test("Without dashboard files, the root says what is missing, in the client's language")
    func none() async throws {
        let bench = try ServerBench()
        let answer = try await bench.ask("GET", "/")
        #expect(answer.status == 404 && answer["Content-Type"] == "text/html; charset=utf-8")
        #expect(answer.text.contains("share/picket/dashboard/index.html: it was not found in any folder above the program"))
        let turkish = try await bench.ask("GET", "/", headers: ["Accept-Language": "tr"])
        #expect(turkish.text.contains("pano gösterilemiyor") && turkish.text.contains("lang=\"tr\""))
    }

    @Test("Below the path of the public address, the page and the API answer, whether a proxy has removed the path or not")
    func publicPath() async throws {
        let flags = ["public-url": "https://home.example/picket/"]
        let bench = try ServerBench(flags: flags, dashboard: folder.path) { data, clock in
            _ = try ServiceWriter(data, purpose: "test", clock: clock).createToken(name: "me", role: .admin)
        }
        for path in ["", "/picket"] {
            #expect(try await bench.ask("GET", path + "/").text.contains("<title>Picket"))
            #expect(try await bench.ask("GET", path + "/dashboard/app.js").status == 200)
            #expect(try await bench.ask("GET", path + "/readyz").status == 200)
        }
        let page = try await bench.ask("GET", "/picket")
        #expect(page.status == 308 && page["Location"] == "/picket/")
        #expect(try await bench.ask("GET", "/picket?a=%20b")["Location"] == "/picket/?a=%20b")
        #expect(try await bench.ask("GET", "/picketfence/readyz").status == 404)
    }

    @Test("Below the path of the public address, phones' reports are taken, and addresses in answers lead there")
    func publicPathOfReports() async throws {
        var secret = ""
        let flags = ["public-url": "https://home.example/picket"]
        let bench = try ServerBench(flags: flags, dashboard: folder.path) { data, clock in
            secret = try ServiceWriter(data, purpose: "test", clock: clock).createToken(name: "me", role: .admin).secret
        }
        let headers = ["Authorization": "Bearer \(secret)"]
        let time = Int(bench.clock.now().seconds)
        for (index, path) in ["/picket", "/picket/", "/", "/picket/osmand"].enumerated() {
            let query = "?id=phone&lat=52.\(index)&lon=13&timestamp=\(time - 10 + index)"
            #expect(try await bench.ask("GET", path + query, headers: headers).text == "OK\n", "\(path)")
        }
        #expect(
            try await bench.ask("POST", "/picket?id=phone&lat=53&lon=13&timestamp=\(time)", body: "", headers: headers).status
                == 200)
        let track = try await bench.json("/picket/v1/devices/phone/track", headers: headers)
        #expect(track["fixes"]?.array?.count == 5)
        let made = try await bench.ask(
            "PUT", "/v1/geofences/home", body: #"{"name":"home","latitude":52,"longitude":13,"radius":100}"#, headers: headers)
        let place = try #require(made["Location"])
        #expect(made.status == 201 && place == "/picket/v1/geofences/home")
        #expect(try await bench.ask("GET", place, headers: headers).status == 200)
        let document = try await bench.json("/openapi.json")
        #expect(document["servers"]?.array == [["url": "https://home.example/picket"]])
    }

    @Test("Leaflet is served from a folder beside the dashboard, if there is one")
    func leafletBeside() async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path + "/dashboard", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: directory.path + "/leaflet", withIntermediateDirectories: true)
        try directory.write("<p>", to: "dashboard/index.html")
        try directory.write("own", to: "leaflet/leaflet.css")
        let bench = try ServerBench(dashboard: directory.path + "/dashboard")
        #expect(try await bench.ask("GET", "/dashboard/leaflet/leaflet.css").text == "own")
    }

    @Test(
        "Leaflet is served from its installed package",
        .enabled("libjs-leaflet is not installed") { FileManager.default.fileExists(atPath: DashboardFiles.leaflet) })
    func leaflet() async throws {
        let module = try await bench.ask("GET", "/dashboard/leaflet/leaflet.esm.min.js")
        #expect(module.status == 200 && module.text.contains("export"))
        #expect(try await bench.ask("GET", "/dashboard/leaflet/leaflet.css").status == 200)
        let image = try await bench.ask("GET", "/dashboard/leaflet/images/marker-icon.png")
        #expect(image["Content-Type"] == "image/png" && image.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }
}
