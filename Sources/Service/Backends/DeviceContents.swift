import Core
import Model
import Places
import Presence
import Store

/// How much data of a device is stored.
package struct DeviceContents: Hashable, Sendable {
    package var positions: Int
    package var events: Int
    package var visits: Int

    /// `"positions","events","visits"`
    package var members: [JSONValue.Member] {
        [
            .init("positions", JSONValue(positions)), .init("events", JSONValue(events)), .init("visits", JSONValue(visits)),
        ]
    }
}

extension QueryBackend {
    /// How much data of a device is stored. Throws `Problem.notFound` if there is none with this id.
    ///
    /// - Complexity: O(positions + events of the device).
    package func contents(ofDevice id: String) throws(Problem) -> DeviceContents {
        _ = try device(id: id)
        var contents = DeviceContents(positions: try deletion(ofDevice: id, keeping: 0).of, events: 0, visits: 0)
        let filter = Queries.EventFilter(deviceId: id)
        _ = try readEvents(filter) { _ in contents.events += 1 }
        try forEachVisitTotal(filter, onlyOpen: false) { contents.visits += $0.visits }
        return contents
    }
}
