import Model
import Testing

@testable import Delivery

@Suite("Sinks as JSON")
struct SinkJSONTests {
    static let samples = [
        #"{"id":"a","kind":"webhook","url":"https://u:p4ss@example.com/h?key=k3y","token":"t0ken","headers":{"X-Key":"v4lue"},"signingSecret":"s1gn"}"#,
        #"{"id":"b","kind":"ntfy","url":"https://ntfy.sh/topic","priority":5,"language":"tr","timeZone":"Europe/Berlin","emergency":false}"#,
        #"{"id":"c","kind":"gotify","url":"https://g.example.com","token":"app"}"#,
        #"{"id":"d","kind":"slack","url":"https://hooks.slack.com/services/T00/B00/XXXX"}"#,
        #"{"id":"e","kind":"telegram","token":"123:abc","chat":"42","rateLimit":{"messages":20,"seconds":60}}"#,
        #"{"id":"f","kind":"email","server":"smtps://mail.example.com","user":"u","password":"p4ss","from":"a@b.c","to":["d@e.f","g@h.i"]}"#,
        #"{"id":"g","kind":"file","path":"/var/log/events.ndjson"}"#,
        #"{"id":"h","kind":"command","command":["/bin/notify","--title","{title}"]}"#,
        #"{"id":"i","kind":"positions","url":"https://example.com/osmand","format":"osmand","token":"t0ken"}"#,
        #"{"id":"j","kind":"webhook","url":"https://example.com","template":"<m>{message}</m>","contentType":"application/xml","filter":{"types":["enter"],"quietHours":["22:00-07:00"]}}"#,
        #"{"id":"l","kind":"slack","url":"https://hooks.slack.com/services/T00/B00/XXXX","maxAge":"forever"}"#,
        #"{"id":"m","kind":"file","path":"/var/log/events.ndjson","maxAge":0.5}"#,
        #"{"id":"n","kind":"webhook","url":"https://example.com","headers":{"X-Empty":""}}"#,
        #"{"id":"o","kind":"report","server":"smtps://m.example.com","user":"u","password":"p4ss","from":"a@b.c","to":["d@e.f"],"every":"month","by":["device","geofence"],"period":"day","minDuration":180,"at":"07:30","filter":{"notGeofences":["yard"],"groups":["vans"]}}"#,
        #"{"id":"k","kind":"homeassistant","url":"http://ha.local:8123/api/webhook/-abcDEF123"}"#,
    ]

    /// A sink of reports with some members.
    private static func report(_ members: String) -> String {
        #"{"kind":"report","server":"smtp://m","from":"a@b.c","to":["d@e.f"],"# + members + "}"
    }

    private func sink(_ text: String) throws -> Sink { try Sink(json: JSONParser.parse(text), id: nil) }

    @Test("A sink is unchanged after it is written and read", arguments: samples)
    func roundTrip(text: String) throws {
        let sink = try sink(text)
        #expect(try Sink(json: sink.json(withSecrets: true), id: sink.id) == sink)
    }

    @Test("A shown sink contains no secret, and keeps its secrets when it is written back", arguments: samples)
    func masks(text: String) throws {
        let sink = try sink(text)
        let shown = sink.json(withSecrets: false)
        for secret in sink.target.secretTexts + ["p4ss", "k3y", "t0ken", "v4lue", "s1gn", "123:abc", "XXXX", "abcDEF123"] {
            #expect(!shown.description.contains(secret), "\(secret)")
        }
        #expect(try Sink(json: shown, id: sink.id, known: sink) == sink)
    }

    @Test("Kinds that notify people send nothing that is older than a day, and others everything", arguments: SinkKind.allCases)
    func defaultMaxAge(kind: SinkKind) throws {
        let forPeople: [SinkKind] = [.ntfy, .gotify, .slack, .mattermost, .telegram, .homeAssistant, .text, .email]
        #expect(kind.notifiesPeople == forPeople.contains(kind))
        #expect(kind.defaultMaxAge == (forPeople.contains(kind) ? 86_400 : .infinity))
    }

    @Test("A header that earlier builds stored without its empty value can be read")
    func headerWithoutValue() throws {
        let sink = try sink(#"{"id":"a","kind":"webhook","url":"https://example.com","headers":{"X-Empty":null}}"#)
        #expect(sink.target.headers == [WebHeader("X-Empty", "")])
    }

    @Test("A setting that the kind does not have is refused, with the kinds that have it, and is not repeated")
    func settingOfAnotherKind() throws {
        let text = #"{"id":"a","kind":"webhook","url":"https://example.com","chat":"s3cret"}"#
        #expect {
            try sink(text)
        } throws: { error in
            guard case .validationFailed("chat", "", let reason, let expected)? = error as? Problem else { return false }
            return reason.description == "a sink of the kind webhook has no such field"
                && expected.description == "a sink of the kind telegram"
        }
    }

    @Test("The maximum age is shown, and nothing stands for the default of the kind")
    func maxAge() throws {
        let shown = { (text: String) in try sink(text).json(withSecrets: false)["maxAge"] }
        let ntfy = #"{"kind":"ntfy","url":"https://ntfy.sh/topic""#
        #expect(try shown(ntfy + "}")?.double == 86_400)
        #expect(try shown(ntfy + #","maxAge":null}"#)?.double == 86_400)
        #expect(try shown(ntfy + #","maxAge":3600}"#)?.double == 3600)
        #expect(try shown(ntfy + #","maxAge":"forever"}"#) == "forever")
        #expect(try shown(#"{"kind":"webhook","url":"https://example.com"}"#) == "forever")
        #expect(try shown(#"{"kind":"positions","url":"https://example.com"}"#) == nil)
    }

    @Test("A secret belongs to its host: a new host needs the secret again")
    func otherHost() throws {
        let sink = try sink(Self.samples[0])
        let moved = sink.json(withSecrets: false).merged(with: ["url": "https://evil.example.com/h"])
        #expect { try Sink(json: moved, id: "a", known: sink) } throws: { error in
            guard case .validationFailed(_, "", let reason, _)? = error as? Problem else { return false }
            return reason == .hiddenSecret
        }
        let path = sink.json(withSecrets: false).merged(with: [
            "url": "https://u:(hidden)@example.com/h?key=(hidden)", "priority": .null,
        ])
        #expect(try Sink(json: path, id: "a", known: sink).target.secretTexts == sink.target.secretTexts)
    }

    @Test(
        "An invalid sink is refused with the name of the field",
        arguments: [
            (#"{"kind":"webhook","url":"example.com/hook"}"#, "url"), (#"{"kind":"webhook","url":"ftp://example.com"}"#, "url"),
            (#"{"kind":"webhook","url":"https://"}"#, "url"), (#"{"kind":"webhook","url":"https://a b"}"#, "url"),
            (#"{"kind":"ntfy","url":"https://ntfy.sh/a","maxAge":0}"#, "maxAge"),
            (#"{"kind":"ntfy","url":"https://ntfy.sh/a","maxAge":"never"}"#, "maxAge"),
            (#"{"kind":"ntfy","url":"https://ntfy.sh/a","maxAge":-60}"#, "maxAge"),
            (#"{"kind":"webhook"}"#, "url"), (#"{"kind":"pigeon"}"#, "kind"), (#"{"url":"https://a.b"}"#, "kind"),
            (#"{"kind":"ntfy","url":"https://ntfy.sh/"}"#, "topic"), (#"{"kind":"ntfy","url":"https://ntfy.sh/a.b"}"#, "topic"),
            (#"{"kind":"ntfy","url":"https://ntfy.sh/a","priority":6}"#, "priority"),
            (#"{"kind":"webhook","url":"https://a.b","priority":1}"#, "priority"),
            (#"{"kind":"gotify","url":"https://a.b"}"#, "token"),
            (#"{"kind":"telegram","token":"1:x"}"#, "chat"), (#"{"kind":"telegram","chat":"1"}"#, "token"),
            (#"{"kind":"webhook","url":"https://a.b","headers":{"Host":"x"}}"#, "header"),
            (#"{"kind":"webhook","url":"https://a.b","headers":{"X Y":"x"}}"#, "header"),
            (#"{"kind":"webhook","url":"https://a.b","headers":{"X":"a\nb"}}"#, "header"),
            (#"{"kind":"webhook","url":"https://a.b","template":"{\"a\":\"{nothing}\"}"}"#, "template"),
            (#"{"kind":"webhook","url":"https://a.b","contentType":"text/plain"}"#, "contentType"),
            (#"{"kind":"webhook","url":"https://a.b","token":"a b"}"#, "token"),
            (#"{"kind":"webhook","url":"https://a.b","color":"red"}"#, "color"),
            (#"{"kind":"email","server":"mail.example.com","from":"a@b.c","to":["d@e.f"]}"#, "server"),
            (#"{"kind":"email","server":"smtp://m","from":"a@b.c","to":[]}"#, "to"),
            (#"{"kind":"email","server":"smtp://m","from":"a@b.c","to":["d@e.f>\r\nRCPT TO:<x@y"]}"#, "to"),
            (#"{"kind":"email","server":"smtp://m","from":"abc","to":["d@e.f"]}"#, "from"),
            (report(#""by":["device"]"#), "every"), (report(#""every":"month""#), "by"),
            (report(#""every":"year","by":["device"]"#), "every"), (report(#""every":"month","by":["device","device"]"#), "by"),
            (report(#""every":"month","by":["device","geofence","group"]"#), "by"),
            (report(#""every":"day","by":["device"],"period":"month""#), "period"),
            (report(#""every":"day","by":["device"],"at":"25:00""#), "at"),
            (report(#""every":"day","by":["device"],"minDuration":-1"#), "minDuration"),
            (report(#""every":"day","by":["device"],"filter":{"types":["enter"]}"#), "types"),
            (report(#""every":"day","by":["device"],"filter":{"groups":["a","b"]}"#), "groups"),
            (#"{"kind":"file","path":"/x","every":"day"}"#, "every"),
            (#"{"kind":"file","path":"events.ndjson"}"#, "path"), (#"{"kind":"command","command":["notify"]}"#, "command"),
            (#"{"kind":"command","command":[]}"#, "command"),
            (#"{"kind":"command","command":["/bin/x","{nothing}"]}"#, "command"),
            (#"{"kind":"webhook","url":"https://a.b","rateLimit":{"messages":0,"seconds":60}}"#, "rateLimit"),
            (#"{"id":"a b","kind":"webhook","url":"https://a.b"}"#, "id"),
        ])
    func refusals(text: String, field: String) throws {
        #expect { try sink(text) } throws: { error in
            if case .validationFailed(field, _, _, _)? = error as? Problem { true } else { false }
        }
    }

    @Test(
        "A problem never repeats a secret",
        arguments: [
            #"{"kind":"webhook","url":"u:p4ssw0rd@example.com/hook"}"#,
            #"{"kind":"webhook","url":"gopher://u:p4ssw0rd@example.com/"}"#,
            #"{"kind":"webhook","url":"https://u:p4ssw0rd@exa mple.com/"}"#,
            #"{"kind":"webhook","url":"https://a.b","headers":{"X":"p4ssw0rd\n"}}"#,
            #"{"kind":"webhook","url":"https://a.b","token":"p4ssw0rd é"}"#,
            #"{"kind":"webhook","url":"gopher://x/?key=p4ssw0rd"}"#,
        ])
    func quiet(text: String) throws {
        #expect { try sink(text) } throws: { error in
            guard let problem = error as? Problem else { return false }
            return !problem.json().description.contains("p4ssw0rd")
        }
    }

    @Test(
        "A shown URL hides its secrets",
        arguments: [
            ("https://example.com/hook", "https://example.com/hook"),
            ("https://u:p@example.com:8443/a", "https://u:(hidden)@example.com:8443/a"),
            ("https://token@example.com/", "https://(hidden)@example.com/"),
            ("https://a.b/x?key=1&y#z", "https://a.b/x?key=(hidden)&(hidden)"),
            (
                "https://discord.com/api/webhooks/1234567890123456789/aBcD1234aBcD1234xyz",
                "https://discord.com/api/webhooks/1234567890123456789/(hidden)"
            ),
            ("nonsense", "nonsense"), ("a:b@c", "(hidden)"),
        ])
    func masked(url: String, shown: String) { #expect(WebAddress.masked(url) == shown) }
}

@Suite("Redirects of webhooks")
struct RedirectPolicyTests {
    private let request = OutgoingRequest(
        url: "https://a.example.com/h",
        headers: [
            .init("Authorization", "Bearer t"), .init("X-Key", "k"), .init("Content-Type", "application/json"),
            .init("Idempotency-Key", "e"),
        ],
        body: "{}", signingSecret: "s")

    private func follow(_ status: Int, _ location: String?, hops: Int = 0, from url: String? = nil) -> OutgoingRequest? {
        var request = request
        if let url { request.url = url }
        return RedirectPolicy.redirected(request, status: status, to: location, hops: hops)
    }

    @Test("A redirect is followed with method and body, at most five times", arguments: [301, 302, 307, 308])
    func followed(status: Int) throws {
        let next = try #require(follow(status, "https://a.example.com/other"))
        #expect(next.method == "POST" && next.body == "{}" && next.url == "https://a.example.com/other")
        #expect(next.headers == request.headers && next.signingSecret == "s")
        #expect(follow(status, "https://a.example.com/other", hops: 4) != nil)
        #expect(follow(status, "https://a.example.com/other", hops: 5) == nil)
    }

    @Test(
        "A redirect to another host gets no credentials",
        arguments: [
            "https://b.example.com/h", "https://a.example.com:8443/h", "https://a.example.com.evil.org/h",
        ])
    func otherHost(location: String) throws {
        let next = try #require(follow(308, location))
        #expect(next.headers.map(\.name) == ["Content-Type", "Idempotency-Key"] && next.signingSecret == nil)
    }

    @Test("A redirect to the same host over TLS keeps the credentials")
    func upgrade() throws {
        let next = try #require(follow(301, "https://a.example.com/h", from: "http://a.example.com/h"))
        #expect(next.headers.count == 4 && next.signingSecret == "s")
    }

    @Test("A redirect that would change the request or end its encryption is not followed")
    func refused() {
        #expect(follow(303, "https://a.example.com/other") == nil && follow(300, "https://a.example.com/other") == nil)
        #expect(follow(301, "http://a.example.com/h") == nil, "no longer encrypted")
        #expect(
            follow(301, nil) == nil && follow(301, "file:///etc/passwd") == nil && follow(200, "https://a.example.com/") == nil)
    }
}
