import Foundation
import Model
import TestSupport
import Testing

@testable import Delivery

@Suite("Messages of sinks")
struct MessageTests {
    private func request(_ target: SinkTarget, _ outbox: OutboxEvent = sample(), language: Language = .english) throws
        -> OutgoingRequest
    {
        let sink = Sink(id: "s", target: target, language: language)
        guard case .request(let request)? = try MessageComposer(sink, zone: .utc).message(for: .event(outbox)) else {
            throw Problem.unknown(details: "no request")
        }
        return request
    }

    private func header(_ request: OutgoingRequest, _ name: String) -> String? {
        request.headers.first { $0.name == name }?.value
    }

    @Test("A webhook gets the event as JSON, with the event's ID as idempotency key")
    func webhook() throws {
        let request = try request(SinkTarget(.webhook, url: "https://example.com/h", token: "t0k", signingSecret: "s"))
        let json = try JSONParser.parse(request.body)
        #expect(json["type"] == "enter" && json["deviceName"] == "Mia" && json["geofenceId"] == "home" && json["test"] == nil)
        #expect(header(request, "Idempotency-Key") == "e7" && header(request, "Content-Type") == "application/json")
        #expect(header(request, "Authorization") == "Bearer t0k" && request.signingSecret == "s")
    }

    @Test("ntfy gets a message for the topic, with a title, a text and a priority")
    func ntfy() throws {
        let plain = try request(SinkTarget(.ntfy, url: "https://ntfy.example.com/base/my-topic/", priority: 4))
        #expect(plain.url == "https://ntfy.example.com/base/")
        let json = try JSONParser.parse(plain.body)
        #expect(json["topic"] == "my-topic" && json["title"] == "Mia entered Home" && json["message"] == "2026-05-01 10:00 (UTC)")
        #expect(json["priority"]?.double == 4)
        let sos = Alarm(
            kind: "sos", inside: [.init(geofenceId: "home", geofenceName: "Home")], hasPosition: true, emergencyNumber: "112")
        let event = sample(.alarm, geofence: nil, alarm: sos)
        // The sink's lower priority applies to other events only.
        let alarm = try JSONParser.parse(try request(SinkTarget(.ntfy, url: "https://ntfy.sh/t", priority: 2), event).body)
        #expect(alarm["priority"]?.double == 5 && alarm["title"] == "EMERGENCY: Mia (SOS)")
        #expect(
            alarm["message"]
                == "2026-05-01 10:00 (UTC). Last position: 2026-05-01 10:00, in Home. Emergency number: 112. Repeated until the alarm is acknowledged: picket alarm ack 7"
        )
        let unknown = sample(
            .alarm, geofence: nil, alarm: Alarm(kind: "sos", inside: [], hasPosition: false, emergencyNumber: "112"))
        let text = try JSONParser.parse(try request(SinkTarget(.ntfy, url: "https://ntfy.sh/t"), unknown).body)
        #expect(text["message"]?.string?.contains("No position is known.") == true && text["click"] == nil)
    }

    @Test("Gotify, Telegram, Slack and others get requests in the form of their API")
    func services() throws {
        let gotify = try request(SinkTarget(.gotify, url: "https://g.example.com/", token: "app"))
        #expect(gotify.url == "https://g.example.com/message" && header(gotify, "X-Gotify-Key") == "app")
        #expect(header(gotify, "Authorization") == nil)
        #expect(try JSONParser.parse(gotify.body)["title"] == "Mia entered Home")
        let telegram = try request(SinkTarget(.telegram, url: "https://api.telegram.org", token: "1:x", chat: "42"))
        #expect(telegram.url == "https://api.telegram.org/bot1:x/sendMessage" && header(telegram, "Authorization") == nil)
        #expect(try JSONParser.parse(telegram.body)["chat_id"] == "42")
        let slack = try request(
            SinkTarget(.slack, url: "https://hooks.slack.com/services/x"), sample(name: "<!channel> & co"))
        #expect(try JSONParser.parse(slack.body)["text"]?.string?.hasPrefix("&lt;!channel&gt; &amp; co entered Home") == true)
        let mattermost = try request(SinkTarget(.mattermost, url: "https://m.example.com/hooks/x"), sample(name: "@all"))
        #expect(try JSONParser.parse(mattermost.body)["text"]?.string?.contains("@all") == false)
        let text = try request(SinkTarget(.text, url: "https://t.example.com"))
        #expect(text.body == "Mia entered Home. 2026-05-01 10:00 (UTC)")
        #expect(header(text, "Content-Type") == "text/plain; charset=utf-8")
    }

    @Test(
        "A sentence says what happened, in each language",
        arguments: [
            (EventType.enter, nil as Double?, "Mia entered Home", "Mia, Home sınırına girdi"),
            (.exit, 3540, "Mia left Home after 59 min", "Mia, 59 dk sonra Home sınırından çıktı"),
            (.exit, 29.9, "Mia left Home after 30 s", "Mia, 30 sn sonra Home sınırından çıktı"),
            (.exit, 93_600, "Mia left Home after 1 d 2 h", "Mia, 1 gün 2 sa sonra Home sınırından çıktı"),
            (.dwell, 5400, "Mia has stayed in Home for 1 h 30 min", "Mia, Home sınırının içinde kaldı (1 sa 30 dk)"),
            (.silent, 21_600, "Mia has been silent for 6 h", "Mia sessiz (6 sa)"),
            (.returned, 21_600, "Mia is reporting again after 6 h", "Mia yeniden haber veriyor (6 sa sonra)"),
            (.alarm, nil, "ALARM: Mia", "ALARM: Mia"),
        ])
    func sentences(type: EventType, duration: Double?, english: String, turkish: String) {
        let outbox = sample(type, duration: duration)
        #expect(EventText(outbox, language: .english, zone: .utc).title == english)
        #expect(EventText(outbox, language: .turkish, zone: .utc).title == turkish)
    }

    @Test(
        "A message names a battery that is low, and that of a silent device",
        arguments: [
            (EventType.enter, 0.124 as Double?, true), (.enter, 0.21, false), (.silent, 0.8, true), (.silent, nil, false),
        ])
    func battery(type: EventType, battery: Double?, isNamed: Bool) {
        var outbox = sample(type)
        outbox.battery = battery
        let percent = Int(((battery ?? 0) * 100).rounded())
        #expect(EventText(outbox, language: .english, zone: .utc).body.hasSuffix("Battery \(percent)%") == isNamed)
        #expect(EventText(outbox, language: .turkish, zone: .utc).body.hasSuffix("Pil %\(percent)") == isNamed)
        #expect(!EventText(outbox, language: .english, zone: .utc, isTest: true).body.contains("Battery"))
    }

    @Test("A retraction says what was wrong, and when")
    func retraction() {
        var outbox = sample(.retracted, at: "2026-05-02T09:00:00Z")
        outbox.original = sample(.enter).event
        let text = EventText(outbox, language: .english, zone: .utc)
        #expect(text.titleAndBody == "Retracted: Mia did not enter Home then. 2026-05-01 10:00 (UTC)")
    }

    private static let misses: [(PresenceRule.Expectation, english: [String], turkish: [String])] = [
        (
            .entersBy(TimeOfDay("08:15")!, from: .midnight, grace: 120),
            ["Mia has not entered Home by 08:15", "Retracted: Mia was in Home by 08:15"],
            [
                "Mia, saat 08:15 itibarıyla Home sınırına girmedi",
                "Geri çekildi: Mia, saat 08:15 itibarıyla Home sınırının içindeydi",
            ]
        ),
        (
            .staysAtMost(7200), ["Mia is still in Home after 2 h", "Retracted: Mia was not in Home for longer than 2 h"],
            ["Mia, 2 sa sonra hâlâ Home sınırının içinde", "Geri çekildi: Mia, Home sınırının içinde en fazla 2 sa kaldı"]
        ),
        (
            .staysUntil(TimeOfDay("13:00")!, from: .midnight),
            ["Mia left Home before 13:00", "Retracted: Mia did not leave Home before 13:00 then"],
            [
                "Mia, saat 13:00 olmadan Home sınırından çıktı",
                "Geri çekildi: Mia o sırada saat 13:00 olmadan Home sınırından çıkmadı",
            ]
        ),
    ]

    @Test("A missed event says what was expected, and its retraction says that it happened", arguments: misses.indices)
    func missed(_ index: Int) throws {
        let (expectation, english, turkish) = Self.misses[index]
        let rule = MissedRule(id: "r", expectation: expectation, timeZone: "UTC", hasPosition: true)
        let missed = sample(.missed, cause: .rule, rule: rule)
        var retracted = sample(.retracted, rule: rule)
        retracted.original = missed.event
        for (language, titles) in [(Language.english, english), (.turkish, turkish)] {
            #expect([missed, retracted].map { EventText($0, language: language, zone: .utc).title } == titles)
        }
        let text = EventText(missed, language: .english, zone: .utc)
        #expect(text.titleAndBody == "\(english[0]). 2026-05-01 10:00 (UTC). Last position: 2026-05-01 10:00")
        #expect(EventText(missed, language: .turkish, zone: .utc).body == "2026-05-01 10:00 (UTC). Son konum: 2026-05-01 10:00")
    }

    @Test("The time of a rule is written in the rule's time zone, which is named when the sink's zone differs")
    func zones() throws {
        let rule = MissedRule(
            id: "r", expectation: .entersBy(TimeOfDay("08:15")!, from: .midnight, grace: 0), timeZone: "Europe/Berlin",
            hasPosition: false)
        let missed = sample(.missed, cause: .rule, at: "2026-05-04T06:15:00Z", rule: rule)
        let berlin = SinkTimeZone(name: "Europe/Berlin") { _ in 7200 }
        #expect(
            EventText(missed, language: .english, zone: .utc).titleAndBody
                == "Mia has not entered Home by 08:15 (Europe/Berlin). 2026-05-04 06:15 (UTC). No position is known")
        #expect(
            EventText(missed, language: .english, zone: berlin).titleAndBody
                == "Mia has not entered Home by 08:15. 2026-05-04 08:15 (Europe/Berlin). No position is known")
        let json = try JSONParser.parse(try request(SinkTarget(.ntfy, url: "https://ntfy.sh/t"), missed).body)
        #expect(json["tags"] == ["exclamation"] && json["click"] == nil)
        #expect(SinkFilter(types: [.missed]).admits(missed, in: .utc) && !SinkFilter(types: [.enter]).admits(missed, in: .utc))
    }

    @Test("Positions are written in the format of each kind of server")
    func positions() throws {
        var fix = sample().event.fix
        fix.speed = 10
        fix.battery = 0.5
        let position = OutboxPosition(number: 1, deviceId: "mia & co", fix: fix)
        func request(_ format: SinkTarget.Format) throws -> OutgoingRequest {
            var target = SinkTarget(.positions, url: "https://example.com/p?key=k", token: "t")
            target.format = format
            return SinkKind.request(position, to: target)
        }
        let own = try JSONParser.parse(request(.picket).body)
        #expect(own["device"] == "mia & co" && own["speed"]?.double == 10 && own["timestamp"] == "2026-05-01T10:00:00.000Z")
        let ownTracks = try JSONParser.parse(request(.ownTracks).body)
        #expect(ownTracks["_type"] == "location" && ownTracks["vel"]?.double == 36 && ownTracks["batt"]?.double == 50)
        #expect(ownTracks["tst"]?.double == 1_777_629_600)
        let osmAnd = try request(.osmAnd)
        #expect(osmAnd.url.hasPrefix("https://example.com/p?key=k&id=mia+%26+co&timestamp=1777629600000&lat=52.5&lon=13.4"))
        #expect(osmAnd.url.contains("&speed=19.43") && osmAnd.url.contains("&batt=50") && osmAnd.body.isEmpty)
        #expect(header(osmAnd, "Authorization") == "Bearer t")
    }

    @Test("Mail has a subject in any language, a date, and an ID that identifies repeated mail")
    func mail() {
        let text = MailText.message(
            from: "picket@example.com", to: ["a@example.com", "b@example.com"], subject: "Mia çıktı\r\nBcc: x@y",
            body: "Grüße\n.\nEnde", id: "e/7", at: Instant("2026-05-01T10:00:00Z")!)
        let lines = text.components(separatedBy: "\r\n")
        #expect(lines.contains("Date: Fri, 01 May 2026 10:00:00 +0000") && lines.contains("Message-ID: <picket.e7@example.com>"))
        #expect(!text.contains("\r\nBcc:") && text.allSatisfy(\.isASCII) && lines.allSatisfy { $0.utf8.count <= 78 })
        #expect(lines.contains("R3LDvMOfZQ0KLg0KRW5kZQ=="))
        #expect(MailText.encodedWords("plain") == "plain")
        #expect(MailText.encodedWords("a\r\nBcc: b\u{1B}") == "a  Bcc: b ")
        #expect(MailText.encodedWords("çıktı") == "=?utf-8?B?w6fEsWt0xLE=?=")
    }

    @Test("Mail with a file has the text and the file as parts, whose lines are short enough")
    func attachment() throws {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let text = MailText.message(
            from: "picket@example.com", to: ["a@example.com"], subject: "Report", body: "Grüße",
            attachment: MailAttachment(name: "report.bin", type: "application/octet-stream", bytes: bytes), id: "r",
            at: Instant("2026-05-01T10:00:00Z")!)
        let lines = text.components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 78 && !$0.hasPrefix(".") })
        let parts = text.components(separatedBy: "--=_picket")
        try #require(parts.count == 4)
        #expect(parts[0].hasSuffix("Content-Type: multipart/mixed; boundary=\"=_picket\"\r\n\r\n") && parts[3] == "--\r\n")
        #expect(parts[1].hasSuffix("\r\n\r\nR3LDvMOfZQ==\r\n"))
        let file = parts[2].components(separatedBy: "\r\n\r\n")
        #expect(file[0].contains("Content-Disposition: attachment; filename=\"report.bin\""))
        #expect(Data(base64Encoded: file[1], options: .ignoreUnknownCharacters) == Data(bytes))
    }

    @Test(
        "Base64 agrees with RFC 4648",
        arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")])
    func base64(text: String, expected: String) { #expect(MailText.base64(Array(text.utf8)) == expected) }
}

@Suite("Body templates")
struct BodyTemplateTests {
    private func render(_ source: String, _ form: BodyTemplate.Form, _ outbox: OutboxEvent = sample()) throws -> String {
        try BodyTemplate(source, form: form).render(EventValues(outbox, language: .english, zone: .utc, isTest: false))
    }

    @Test("Fields are replaced by their values, and other braces stay text")
    func fields() throws {
        #expect(
            try render("{device} {type} {geofence}: {{device}} {} { x } {1}", .plain) == "Mia enter Home: {device} {} { x } {1}")
        #expect(try render(#"{"a":{"b":{"c":"{time}"}}}"#, .json) == #"{"a":{"b":{"c":"10:00"}}}"#)
    }

    @Test("Values are escaped for the content type")
    func escaping() throws {
        let evil = sample(name: "a\"b\\c\n<x>&'é")
        #expect(
            try JSONParser.parse(render(#"{"n":"{device}","all":{json},"lat":{latitude},"d":{duration}}"#, .json, evil))["n"]
                == "a\"b\\c\n<x>&'é")
        #expect(try render("n={device}&t={type}", .form, evil) == "n=a%22b%5Cc%0A%3Cx%3E%26%27%C3%A9&t=enter")
        #expect(try render("n={device}", .form, sample(name: "a b*~%20+")) == "n=a+b*%7E%2520%2B")
        #expect(try render("<n>{device}</n>", .xml, evil) == "<n>a&quot;b\\c\n&lt;x&gt;&amp;&#39;é</n>")
        #expect(try render("{device}", .plain, evil) == "a\"b\\c\n<x>&'é")
    }

    @Test("In JSON, a field outside a string becomes a whole value, and null without a value")
    func values() throws {
        let text = try render(
            #"{"d":{duration},"a":{accuracy},"n":{device},"i":{inferred},"s":"{duration}","\"":"{type}"}"#, .json)
        let json = try JSONParser.parse(text)
        #expect(json["d"] == .null && json["a"]?.double == 8 && json["n"] == "Mia" && json["i"] == false && json["s"] == "")
        #expect(json["\""] == "enter")
    }

    @Test("A template can use properties of the geofence by name")
    func properties() throws {
        let outbox = sample(properties: [.init("color", "red"), .init("n", .number("1.50"))])
        #expect(try render("{properties.color} {properties.n} [{properties.none}]", .plain, outbox) == "red 1.50 []")
        #expect(try render(#"{"n":{properties.n},"x":{properties.none}}"#, .json, outbox) == #"{"n":1.50,"x":null}"#)
    }

    @Test("An unknown field is refused by name, with the known fields")
    func unknown() {
        #expect { try BodyTemplate("Hello {devise}", form: .plain) } throws: { error in
            guard case .validationFailed("template", "{devise}", _, let expected)? = error as? Problem else { return false }
            return expected.description.contains("{device}") && expected.description.contains("{properties.NAME}")
        }
    }

    @Test(
        "A template of invalid JSON is refused when it is made",
        arguments: [#"{"a":"#, #"{"a":"{device}}"#, "{device} is here"])
    func badJSON(source: String) {
        #expect(throws: Problem.self) { try BodyTemplate(source, form: .json) }
    }

    @Test("Every field can be rendered for every type of event")
    func all() throws {
        for type in EventType.allCases {
            for field in BodyTemplate.Field.allCases {
                let text = try render("{\(field.rawValue)}", .plain, sample(type, geofence: nil))
                #expect(!text.contains("{\(field.rawValue)}"))
            }
        }
    }
}
