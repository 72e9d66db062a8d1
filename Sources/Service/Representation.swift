import Model
import Presence
import Store

// The JSON of responses, which is the same for the command line and the service (docs/http-api.md).

extension SeenSpan {
    /// The period between two positions without silence between them.
    package var json: JSONValue {
        ["from": JSONValue(Instant(milliseconds: begins)), "to": JSONValue(Instant(milliseconds: ends))]
    }
}

extension FileFeed.Summary {
    /// `{"summary":{…}}`
    package var json: JSONValue {
        let devices = namedDevices.map { device -> JSONValue in
            ["device": .string(device.id), "files": JSONValue(device.files), "firstFile": .string(device.firstFile)]
        }
        let problems = problems.map { $0.json(in: .english) }
        let members: [(String, JSONValue?)] = [
            ("fixes", JSONValue(counts.fixes)), ("accepted", JSONValue(counts.accepted)),
            ("duplicates", JSONValue(counts.duplicates)), ("late", JSONValue(counts.late)),
            ("waiting", JSONValue(counts.waiting)), ("replayed", JSONValue(replays.devices)),
            ("corrections", JSONValue(replays.retracted + replays.new)), ("refused", JSONValue(counts.refused)),
            ("events", JSONValue(counts.events)), ("timesWithoutZone", timesWithoutZone.json),
            ("seconds", JSONValue((seconds * 1000).rounded() / 1000)), ("fixesPerSecond", JSONValue(fixesPerSecond.rounded())),
            ("devices", devices.isEmpty ? nil : .array(devices)),
            ("problems", problems.isEmpty ? nil : .array(problems)),
        ]
        return ["summary": .compact(members)]
    }
}
