import Model

/// Finds the positions in the objects of a Google Timeline export, which Android and iOS write in two forms.
///
/// A segment has a path, a visit or an activity. The place of a visit is the center of the place, not the phone's position, so it
/// gets the accuracy `accuracyOfPlace`. The other points have no accuracy. A signal is a position as the phone measured it.
enum GoogleTimeline {
    /// The accuracy of a visit's place in meters.
    static let accuracyOfPlace = 100

    /// The members of each position in an object; empty for an object without one, and nil for an object of another kind.
    static func positions(in members: [JSONValue.Member]) -> [[JSONValue.Member]]? {
        let object = JSONValue.object(members)
        if let signal = object["position"], signal["LatLng"] != nil { return [position(ofSignal: signal)] }
        if members.count == 1, ["wifiScan", "activityRecord"].contains(members[0].name) { return [] }
        guard let start = object["startTime"] else { return nil }
        let path = object["timelinePath"]?.array
        let visit = object["visit"]
        let activity = object["activity"]
        guard path != nil || visit?.members != nil || activity?.members != nil || object["timelineMemory"] != nil else {
            return nil
        }
        var found: [[JSONValue.Member]] = []
        var ends: [[JSONValue.Member]] = []
        // A visit to a place within another one, such as a shop in a mall, has a level above 0. The outer visit is in the file,
        // too.
        if let visit, visit["isTimelessVisit"] != true, (visit["hierarchyLevel"].flatMap(JSONReading.number) ?? 0) <= 0 {
            let place = visit["topCandidate"]?["placeLocation"]
            let accuracy = [JSONValue.Member("accuracy", JSONValue(accuracyOfPlace))]
            found.append(position(place, at: start, of: "visit") + accuracy)
            ends.append(position(place, at: object["endTime"], of: "visit") + accuracy)
        }
        if let activity, activity["start"] != nil || activity["end"] != nil {
            found.append(position(activity["start"], at: start, of: "activity"))
            ends.append(position(activity["end"], at: object["endTime"], of: "activity"))
        }
        for point in path ?? [] {
            let time = point["time"] ?? time(point["durationMinutesOffsetFromStartTime"], after: start)
            found.append(position(point["point"], at: time, of: "timelinePath"))
        }
        return found + ends
    }

    private static func position(ofSignal signal: JSONValue) -> [JSONValue.Member] {
        let names = [
            "accuracyMeters": "accuracy", "altitudeMeters": "altitude", "speedMetersPerSecond": "speed", "timestamp": "timestamp",
            "source": "source",
        ]
        return coordinates(signal["LatLng"])
            + (signal.members ?? []).compactMap { member in names[member.name].map { JSONValue.Member($0, member.value) } }
    }

    private static func position(_ place: JSONValue?, at time: JSONValue?, of source: String) -> [JSONValue.Member] {
        coordinates(place) + [JSONValue.Member("timestamp", time ?? .null), JSONValue.Member("source", .string(source))]
    }

    /// Latitude and longitude of a place, as `"52.53°, 13.37°"`, `"geo:52.53,13.37"`, or one of these in `latLng`.
    private static func coordinates(_ place: JSONValue?) -> [JSONValue.Member] {
        guard let text = place?.string ?? place?["latLng"]?.string else { return [] }
        let plain = text.hasPrefix("geo:") ? String(text.dropFirst(4).prefix { $0 != ";" }) : text
        let numbers = plain.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        guard numbers.count == 2 else { return [JSONValue.Member("latitude", .string(text))] }
        return zip(["latitude", "longitude"], numbers).map { name, number in
            JSONValue.Member(name, .string(String(number.filter { $0 != "°" && $0 != " " })))
        }
    }

    /// The time this many minutes after the start.
    private static func time(_ minutes: JSONValue?, after start: JSONValue) -> JSONValue? {
        guard let minutes = minutes.flatMap(JSONReading.number), let text = start.string else { return nil }
        let written = WrittenTime(text)
        guard let time = written.localMoment else { return start }
        let later = Instant(seconds: time.seconds + minutes * 60)
        // A local time stays one.
        if case .local = written { return later.map { .string(String($0.description.dropLast())) } }
        return later.map { JSONValue($0) }
    }
}
