import Model
import TestSupport
import Testing

@Suite("Languages of the service")
struct LanguageServiceTests {
    private let folder: TemporaryDirectory
    private let service: RunningService

    init() throws {
        folder = try TemporaryDirectory()
        service = try RunningService(PseudoLanguage.installed(in: folder))
    }

    /// Sends a request of a client that prefers some languages, in the form of `Accept-Language`.
    private func ask(
        _ method: String, _ target: String, body: String? = nil, in languages: String = PseudoLanguage.tag
    ) throws -> TestAnswer {
        let headers = ["Accept-Language": languages]
        return try #require(try service.connect().send(method, target, body: body, headers: headers))
    }

    private func post(_ target: String, _ body: String) throws {
        let answer = try ask("POST", target, body: body)
        #expect((200...201).contains(answer.status), "\(target): \(answer.text)")
    }

    @Test("A problem is in the first of the client's languages that is English or has a catalog beside the service")
    func problems() throws {
        let start = PseudoLanguage.accented("There is no device") + " 'mia'. "
        let title = PseudoLanguage.accented("No such device")
        var english: JSONValue?
        for languages in ["en", "tr", "en-US, en-XA;q=0.5"] {
            let answer = try ask("GET", "/v1/devices/mia", in: languages)
            let problem = try answer.json()
            #expect(answer.status == 404 && problem["title"]?.string == "No such device", "\(languages)")
            english = problem
        }
        let label = try #require(english?["recoveryAction"]?["label"]?.string)
        for languages in [PseudoLanguage.tag, "en-xa", "tr, en-XA;q=0.9, en;q=0.8"] {
            let answer = try ask("GET", "/v1/devices/mia", in: languages)
            let problem = try answer.json()
            #expect(answer.status == 404 && problem["title"]?.string == title, "\(languages)")
            #expect(problem["message"]?.string?.hasPrefix(start) == true, "\(languages): \(answer.text)")
            #expect(problem["recoveryAction"]?["label"]?.string == PseudoLanguage.accented(label), "\(languages)")
        }
    }

    @Test("The sentences of a message about an event and of its explanation are in a language that only has a catalog")
    func sentences() throws {
        let endpoint = try ScriptedEndpoint()
        let sink: JSONValue = [
            "id": "phone", "kind": "ntfy", "url": .string(endpoint.url + "/family"), "language": .string(PseudoLanguage.tag),
            "maxAge": "forever",
        ]
        try post("/v1/sinks", sink.description)
        try post("/v1/geofences", #"{"id":"home","name":"home","latitude":52.5,"longitude":13.4,"radius":100}"#)
        let positions = ["52.51", "52.5"].enumerated().map { minute, latitude in
            #"{"device":"mia","timestamp":"2026-05-01T10:0\#(minute):00Z","latitude":\#(latitude),"longitude":13.4}"#
        }
        try post("/v1/positions?policy=exact", "[\(positions.joined(separator: ","))]")
        #expect(endpoint.wait(for: 1))
        let message = try JSONParser.parse(try #require(endpoint.requests.first).body)
        let (entered, at) = (PseudoLanguage.accented("entered"), PseudoLanguage.accented("at"))
        #expect(message["title"]?.string == "mia \(entered) home")

        let answer = try ask("GET", "/v1/explain?device=mia&geofence=home&at=2026-05-01T10:01:00Z")
        let sentence = try answer.json()["answer"]?.string
        let reason = PseudoLanguage.accented("inside: sure at once")
        #expect(sentence == "mia \(entered) home \(at) 2026-05-01 10:01:00Z: \(reason).", "\(answer.text)")
    }

    @Test("The dashboard gets the name of a language that only has a catalog, and the translations of its texts")
    func dashboard() throws {
        let module = try ask("GET", "/dashboard/languages.js").text
        let prefix = "export const languages = "
        #expect(module.hasPrefix(prefix) && module.hasSuffix(";\n"))
        let list = try JSONParser.parse(String(module.dropFirst(prefix.count).dropLast(2)))
        let languages: JSONValue = [
            ["name": "English", "tag": "en"], ["name": .string(PseudoLanguage.name), "tag": .string(PseudoLanguage.tag)],
        ]
        #expect(list == languages)

        let catalog = try ask("GET", "/dashboard/texts-\(PseudoLanguage.tag).json").json()
        func translations(_ english: String...) -> JSONValue { .array(english.map { .string(PseudoLanguage.accented($0)) }) }
        #expect(catalog["texts"]?["Sign In"] == translations("Sign In"))
        #expect(catalog["texts"]?["{count} failure"] == translations("{count} failure", "{count} failures in a row"))
        #expect(catalog["forms"]?.array?.prefix(3).map(\.double) == [1, 0, 1])
        // Texts that only the service uses are not sent.
        #expect(catalog["texts"]?["there is a password, but no user name"] == nil)
        #expect(try ask("GET", "/dashboard/texts-tr.json").status == 404)
    }
}
