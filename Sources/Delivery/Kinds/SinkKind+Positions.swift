import Model

extension SinkTarget {
    /// The format in which positions are sent.
    package enum Format: String, CaseIterable, Sendable {
        /// Picket's own JSON for `POST /v1/positions`.
        case picket
        /// The JSON of the OwnTracks app in HTTP mode.
        case ownTracks = "owntracks"
        /// The query string of the OsmAnd protocol, as sent by Traccar Client.
        case osmAnd = "osmand"
    }
}

extension SinkKind {
    /// Another server, which receives the positions of devices instead of events.
    package static let positions = SinkKind(
        "positions", .web, title: Phrase("Positions"), place: "URL",
        about: "positions, in --format picket, owntracks or osmand",
        needs: [("url", Phrase("the address, for example https://example.com/positions"))], allows: ["format", "token"],
        editable: ["url", "token"],
        complete: { (target) throws(Problem) in target.format = target.format ?? .picket },
        flaw: { WebAddress.flaw($0.address) }, content: .positions { position, target in .request(request(position, to: target)) }
    )

    static func request(_ position: OutboxPosition, to target: SinkTarget) -> OutgoingRequest {
        let fix = position.fix
        var request = OutgoingRequest(url: target.address)
        let format = target.format ?? .picket
        switch format {
        case .picket:
            request.body =
                JSONValue.compact([
                    ("device", .string(position.deviceId)), ("timestamp", JSONValue(fix.time)),
                    ("latitude", JSONValue(fix.coordinate.latitude)), ("longitude", JSONValue(fix.coordinate.longitude)),
                    ("accuracy", fix.accuracy.map { JSONValue($0) }), ("altitude", fix.altitude.map { JSONValue($0) }),
                    ("speed", fix.speed.map { JSONValue($0) }), ("course", fix.course.map { JSONValue($0) }),
                    ("battery", fix.battery.map { JSONValue($0) }),
                ]).description
        case .ownTracks:
            // Whole seconds, km/h and percent (owntracks.org/booklet/tech/json).
            request.body =
                JSONValue.compact([
                    ("_type", "location"), ("topic", .string("owntracks/picket/\(position.deviceId)")),
                    ("tid", .string(String(position.deviceId.suffix(2)))), ("tst", JSONValue(Int(fix.time.milliseconds / 1000))),
                    ("lat", JSONValue(fix.coordinate.latitude)), ("lon", JSONValue(fix.coordinate.longitude)),
                    ("acc", fix.accuracy.map(whole)), ("alt", fix.altitude.map(whole)),
                    ("vel", fix.speed.map { whole($0 * 3.6) }),
                    ("cog", fix.course.map(whole)), ("batt", fix.battery.map { whole($0 * 100) }),
                ]).description
        case .osmAnd:
            // Speed in knots, battery in percent (traccar.org/osmand).
            var fields = [
                "id=\(BodyTemplate.formEncoded(position.deviceId))", "timestamp=\(fix.time.milliseconds)",
                "lat=\(number(fix.coordinate.latitude))", "lon=\(number(fix.coordinate.longitude))",
            ]
            func add(_ name: String, _ value: Double?) { if let value { fields.append("\(name)=\(number(value))") } }
            add("accuracy", fix.accuracy)
            add("altitude", fix.altitude)
            add("speed", fix.speed.map { $0 / 0.514444 })
            add("bearing", fix.course)
            add("batt", fix.battery.map { ($0 * 100).rounded() })
            request.url += (target.address.contains("?") ? "&" : "?") + fields.joined(separator: "&")
        }
        if format != .osmAnd { request.headers.append(.init("Content-Type", "application/json")) }
        let key = "\(position.deviceId)-\(fix.time.milliseconds)".unicodeScalars.map {
            $0.isASCII && $0.value > 0x20 ? Character($0) : "_"
        }
        request.headers.append(.init("Idempotency-Key", String(key)))
        if let token = target.token { request.headers.append(.init("Authorization", "Bearer \(token)")) }
        return request
    }

    private static func whole(_ value: Double) -> JSONValue { JSONValue(value.rounded()) }
    private static func number(_ value: Double) -> String { JSONValue(value).description }
}
