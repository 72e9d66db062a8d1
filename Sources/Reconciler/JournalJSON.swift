import Geodesy
import Model
import Registry

// The journal as one JSON document for each device. The store keeps the document unchanged.

extension RegistryJournal {
    private static let version = 1

    /// The journal as a JSON object; see `RegistryJournal.text`.
    public var json: JSONValue {
        .compact([
            ("version", JSONValue(Self.version)),
            ("entries", .array(entries.values.sorted { $0.region.id < $1.region.id }.map(\.json))),
            (
                "told",
                .array(
                    reportedStates.sorted { $0.key < $1.key }.map { id, reported in
                        ["identifier": .string(id.text), "state": .string(reported.state.rawValue), "at": JSONValue(reported.at)]
                    })
            ),
            (
                "alternatives",
                .array(
                    alternatives.values.sorted { $0.region.id < $1.region.id }.map { alternative in
                        let wanted = Region(id: alternative.region.id, circle: alternative.wanted)
                        return ["wanted": wanted.json, "region": alternative.region.json]
                    })
            ),
            ("room", capacity.map { ["count": JSONValue($0.count), "at": JSONValue($0.at)] }),
            (
                "refusals",
                refusals.isEmpty
                    ? nil
                    : .array(
                        refusals.sorted { $0.key < $1.key }.map { id, refusal in
                            ["identifier": .string(id.text), "error": refusal.error.json, "at": JSONValue(refusal.at)]
                        })
            ),
            ("isDistrusted", isDistrusted ? true : nil),
        ])
    }

    /// Reads the output of `json`. Throws `decodingFailed` if the value is malformed or written by a later version.
    public init(json: JSONValue) throws(Problem) {
        self.init()
        guard let version = json["version"]?.double, version >= 1, version <= Double(Self.version) else {
            throw Self.unreadable("version")
        }
        for json in json["entries"]?.array ?? [] {
            guard let entry = Registration(json: json) else { throw Self.unreadable("entries") }
            entries[entry.region.id] = entry
        }
        for json in json["told"]?.array ?? [] {
            guard let id = json["identifier"]?.string, let state = json["state"]?.string.flatMap(RegionState.init(rawValue:)),
                let at = json["at"]?.string.flatMap({ Instant($0) })
            else { throw Self.unreadable("told") }
            reportedStates[RegionID(id)] = ReportedState(state: state, at: at)
        }
        for json in json["alternatives"]?.array ?? [] {
            guard let wanted = json["wanted"].flatMap(Region.init(json:)), let region = json["region"].flatMap(Region.init(json:))
            else { throw Self.unreadable("alternatives") }
            alternatives[region.id] = Alternative(wanted: wanted.circle, region: region)
        }
        if let json = json["room"] {
            guard let count = json["count"]?.double.flatMap({ Int(exactly: $0) }),
                let at = json["at"]?.string.flatMap({ Instant($0) })
            else { throw Self.unreadable("room") }
            capacity = Capacity(count: count, at: at)
        }
        for json in json["refusals"]?.array ?? [] {
            guard let id = json["identifier"]?.string, let error = json["error"].flatMap(RegistryError.init(json:)),
                let at = json["at"]?.string.flatMap({ Instant($0) })
            else { throw Self.unreadable("refusals") }
            refusals[RegionID(id)] = Refusal(error: error, at: at)
        }
        isDistrusted = json["isDistrusted"]?.bool ?? false
    }

    private static func unreadable(_ field: String) -> Problem {
        .decodingFailed(source: .registryJournal, line: nil, reason: .noSuchMemberWritten(field))
    }
}

extension RegistryJournal.Registration {
    fileprivate var json: JSONValue {
        .compact([
            ("region", region.json), ("name", .string(name)), ("phase", .string(phase.rawValue)), ("at", JSONValue(at)),
            ("addedAt", JSONValue(addedAt)), ("previous", previous?.json), ("isStateKnown", .bool(isStateKnown)),
        ])
    }

    fileprivate init?(json: JSONValue) {
        guard let region = json["region"].flatMap(Region.init(json:)), let name = json["name"]?.string,
            let phase = json["phase"]?.string.flatMap(Phase.init(rawValue:)),
            let at = json["at"]?.string.flatMap({ Instant($0) }), let addedAt = json["addedAt"]?.string.flatMap({ Instant($0) }),
            let isStateKnown = json["isStateKnown"]?.bool
        else { return nil }
        self.init(
            region: region, name: name, phase: phase, at: at, addedAt: addedAt,
            previous: json["previous"].flatMap(Region.init(json:)),
            isStateKnown: isStateKnown)
    }
}
