import Geodesy
import Model
import TestSupport
import Testing

@Suite("Geofences")
struct GeofenceTests {
    private func fence(_ change: (inout Geofence) -> Void) -> Geofence {
        var fence = Geofence(id: "a", name: "A", shape: .circle(Circle(center: .init(latitude: 1, longitude: 2), radius: 50)))
        change(&fence)
        return fence
    }

    @Test("An invalid geofence names its wrong field")
    func flaws() {
        #expect(fence { _ in }.flaw == nil)
        let wrong: [(Geofence, String)] = [
            (fence { $0.id = "" }, "id"), (fence { $0.id = "a b" }, "id"), (fence { $0.id = "ä" }, "id"),
            (fence { $0.id = String(repeating: "x", count: 65) }, "id"), (fence { $0.name = "" }, "name"),
            (fence { $0.name = "a\nb" }, "name"), (fence { $0.dwell = -1 }, "dwell"),
            (fence { $0.shape = .circle(Circle(center: .init(latitude: 1, longitude: 2), radius: 0.5)) }, "radius"),
            (fence { $0.shape = .circle(Circle(center: .init(latitude: 1, longitude: 2), radius: .nan)) }, "radius"),
            (fence { $0.shape = .circle(Circle(center: .init(latitude: 1, longitude: 2), radius: 1e7)) }, "radius"),
            (fence { $0.shape = .circle(Circle(center: .init(latitude: .nan, longitude: 2), radius: 5)) }, "latitude"),
            (fence { $0.shape = .circle(Circle(center: .init(latitude: 1, longitude: 181), radius: 5)) }, "longitude"),
            (fence { $0.shape = .polygons([]) }, "geometry"),
        ]
        for (fence, field) in wrong {
            guard case .validationFailed(let named, _, let reason, let expected)? = fence.flaw else {
                Issue.record("nothing is wrong with \(fence)")
                continue
            }
            #expect(named == field && !reason.description.isEmpty && !expected.description.isEmpty)
        }
    }

    @Test(
        "A geofence without an ID gets one from its name",
        arguments: [
            ("Home", "home"), ("  Große  Straße 7! ", "grosse-strasse-7"), ("a/b", "a-b"), ("!!! 🏠", "fence"),
            ("Küche", "kuche"), ("Ku\u{308}che", "kuche"), ("büro.1", "buro-1"), ("IŞIK ı İzmir", "isik-i-izmir"),
            ("Łódź", "lodz"), ("Ærø", "aero"), ("Đà Nẵng", "da-nang"), ("Дом", "dom"), ("Съезд 2", "sezd-2"), ("Чайка", "chayka"),
            ("Київ", "kiyiv"), ("Σπίτι", "spiti"), ("Αθήνα", "athina"), ("自宅", "u81ea-u5b85"), ("自宅 2", "u81ea-u5b85-2"),
            ("Büro 東京", "buro-u6771-u4eac"), ("집", "uc9d1"), ("بيت ٣", "u628-u64a-u62a-3"), ("overlaps", "overlaps-2"),
        ])
    func made(_ name: String, _ id: String) {
        #expect(Identifier.derivedOrDefault(from: name) == id)
        #expect(Identifier.flaw(inGeofence: Identifier.derivedOrDefault(from: name)) == nil)
    }

    @Test(
        "An ID derived from any text is valid, and from an ID of this form it is the same ID", arguments: [1, 2, 3] as [UInt64])
    func derived(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabets = ["aZ09-_ .", "äßÇıİéñøŁ", "ДомЩьёЇ", "Σπίτις", "自宅東京かな", "집한글", "بيت", "e\u{301}\u{308}🏠👩‍👩‍👧🇩🇪", "١२٣"].map(
            Array.init)
        for _ in 0..<2_000 {
            var name = ""
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                name.append(alphabets.randomElement(using: &random)!.randomElement(using: &random)!)
            }
            guard let id = Identifier.derived(from: name) else { continue }
            #expect(Identifier.flaw(inGeofence: id) == nil, "seed \(seed): \(name)")
            #expect(id.hasPrefix("overlaps") || Identifier.derived(from: id) == id, "seed \(seed): \(name)")
        }
    }

    @Test("A name without usable characters gives no ID, and a number fits behind every ID")
    func numbered() {
        #expect(Identifier.derived(from: "–!") == nil && Identifier.derived(from: " Depot! ") == "depot")
        let long = String(repeating: "x", count: 64)
        #expect(Identifier.numbered("depot", 1) == "depot" && Identifier.numbered("depot", 12) == "depot-12")
        #expect(Identifier.numbered(long, 100) == long.prefix(60) + "-100")
    }

    @Test("The JSON of an outline with edges of more than 180° says that it is meant as written")
    func asWritten() throws {
        func corners(_ longitudes: Double...) -> [Polygon] {
            [Polygon(exterior: zip(longitudes, [1.0, 1, 2, 2, 1]).map { Coordinate(latitude: $1, longitude: $0) })]
        }
        for (polygons, isWide) in [(corners(179, -179, -179, 179, 179), true), (corners(179, 181, 181, 179, 179), false)] {
            let made = fence { $0.shape = .polygons(polygons) }
            for json in [made.json, made.feature] {
                #expect(Geofence.isAsWritten(json) == isWide)
                #expect(json.description.contains("asWritten") == isWide)
                #expect(try Geofence(json: json, id: "a") == made)
            }
        }
        #expect(throws: Problem.self) {
            try Geofence(
                json: ["latitude": .number("1"), "longitude": .number("1"), "radius": .number("9"), "asWritten": "x"], id: "a")
        }
        // A new outline does not inherit `asWritten` from the old one.
        let wide = fence { $0.shape = .polygons(corners(179, -179, -179, 179, 179)) }
        let other = try wide.patched(with: ["geometry": Shape.polygons(corners(1, 2, 2, 1, 1)).geometry])
        #expect(!Geofence.isAsWritten(other.json))
        #expect(
            try wide.patched(with: ["latitude": .number("1"), "longitude": .number("1"), "radius": .number("9")]).json["geometry"]
                == nil)
    }

    @Test("Numbers that a program has written as text are read")
    func textForNumbers() throws {
        let feature = try Geofence(
            feature: JSONParser.parse(
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius":"100","priority":"5","dwell":"600"}}"#
            ))
        #expect(feature.json["radius"]?.double == 100 && feature.priority == 5 && feature.dwell == 600)
    }

    @Test("An invalid feature names its wrong member")
    func members() throws {
        for (feature, field) in [
            (#"{"type":"Thing"}"#, "type"),
            (#"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#, "radius"),
            (#"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2]]},"properties":{}}"#, "geometry.type"),
            (#"{"type":"Feature","geometry":{"type":"Point","coordinates":["1",2]},"properties":{"radius":5}}"#, "coordinates"),
            (
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius":5,"active":"yes"}}"#,
                "active"
            ),
            (
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius":5,"policy":"strict"}}"#,
                "policy"
            ),
        ] {
            do {
                _ = try Geofence(feature: JSONParser.parse(feature))
                Issue.record("\(feature) was taken")
            } catch Problem.validationFailed(let named, _, _, _) {
                #expect(named == field)
            }
        }
    }
}

@Suite("Problems")
struct ProblemTests {
    private static let all: [Problem] = [
        .validationFailed(field: "f", value: "v", reason: .empty, expected: .string),
        .decodingFailed(source: "s", line: 3, reason: .empty),
        .encodingFailed(what: "w", reason: .empty), .unsupportedFormat(source: "s", found: .pdf, supported: .feature),
        .tooLarge(what: "w", limit: .bytes(1)), .usage(reason: .nothingNamed, help: "h"),
        .notFound(kind: .device, id: "d", similar: ["e"]),
        .conflict(kind: .geofence, id: "g", reason: .alreadyExists),
        .preconditionFailed(kind: .geofence, id: "g", reason: .changedMeanwhile),
        .fileFailed(path: "p", reason: .emptySecret),
        .storeBusy(path: "p", holder: "h"),
        .storeCorrupt(path: "p", details: "d"), .storeFull(path: "p"), .storeTooNew(path: "p", version: 9, supported: 1),
        .migrationFailed(path: "p", version: 0, details: "d"), .storeFailed(path: "p", details: "d"),
        .diskFailed(path: "p", details: "d"), .storeReplaced(path: "p"),
        .walHeld(path: "p", bytes: 1, holder: .anotherProgram), .backupFailed(path: "p", details: "d"), .cancelled,
        .clockImplausible(time: Instant(milliseconds: 0), reason: .clockSetBack(3600)),
        .unknown(details: "d"),
    ]

    @Test("Each problem has a code, texts, an icon and one action, in every language", arguments: Language.allCases)
    func words(_ language: Language) {
        #expect(Set(Self.all.map(\.code)).count == Self.all.count)
        for problem in Self.all {
            let json = problem.json(in: language)
            for name in ["code", "title", "message", "icon", "severity"] {
                #expect(json[name]?.string?.isEmpty == false, "\(name) of \(problem)")
            }
            #expect(json["recoveryAction"]?["label"]?.string?.isEmpty == false)
            #expect(json["isRetryable"]?.bool != nil && json["requiresReauthentication"]?.bool != nil)
        }
    }

    @Test(
        "A policy override with an invalid number is refused",
        arguments: [#"{"confirmFixes":2.5}"#, #"{"confirmFixes":0}"#, #"{"confirmFixes":"none"}"#, #"{"accuracyCap":-1}"#, "7"])
    func flawedPolicy(json: String) throws {
        #expect(throws: Problem.self) { try PolicyOverride(json: try JSONParser.parse(json)) }
        #expect(try PolicyOverride(json: try JSONParser.parse(#"{"confirmFixes":3}"#)).confirmFixes == 3)
    }
}
