import Model

/// How much data of a device is stored.
package struct DeviceContents: Hashable {
    /// The number of positions.
    package var positions: Int
    /// The number of events.
    package var events: Int
    /// The number of visits.
    package var visits: Int

    package init(positions: Int, events: Int, visits: Int) {
        self.positions = positions
        self.events = events
        self.visits = visits
    }

    /// `"positions","events","visits"`
    package var members: [JSONValue.Member] {
        [
            .init("positions", JSONValue(positions)), .init("events", JSONValue(events)), .init("visits", JSONValue(visits)),
        ]
    }
}
