import Model

/// A device that reports without a good token.
package struct WaitingDevice: Hashable, Sendable {
    /// The protocol of a report.
    package enum ReportProtocol: String, CaseIterable, Sendable {
        case osmAnd = "osmand"
        case ownTracks = "owntracks"
        /// `POST /v1/positions`.
        case positions
    }

    package var deviceId: String
    /// Whether the store has a device with this id.
    package var isKnown: Bool
    /// In the order of their first use.
    package var protocols: [ReportProtocol]
    package var firstAt: Instant
    package var lastAt: Instant
    package var count: Int
    /// The numeric IP address of the newest request.
    package var address: String
    /// Whether the newest request contained a token.
    package var hasToken: Bool

    package init(
        deviceId: String, isKnown: Bool, protocols: [ReportProtocol], firstAt: Instant, lastAt: Instant, count: Int,
        address: String, hasToken: Bool
    ) {
        self.deviceId = deviceId
        self.isKnown = isKnown
        self.protocols = protocols
        self.firstAt = firstAt
        self.lastAt = lastAt
        self.count = count
        self.address = address
        self.hasToken = hasToken
    }
}

extension WaitingDevice: JSONDescribed {
    package static let shape = JSONShape<WaitingDevice>(
        "WaitingDevice", summary: "A device that is not let in",
        .init("deviceId", kind: .text, summary: "As it names itself", content: \.deviceId),
        .init("isKnown", kind: .flag, summary: "Whether there is such a device", content: \.isKnown),
        .init("protocols", kind: .list(of: .word), summary: "How it reports", content: \.protocols),
        .init("firstAt", kind: .time, summary: "The first request", content: \.firstAt),
        .init("lastAt", kind: .time, summary: "The newest", content: \.lastAt),
        .init("count", kind: .whole, summary: "So many", content: \.count),
        .init("address", kind: .text, summary: "Where the newest came from", content: \.address),
        .init("hasToken", kind: .flag, summary: "Whether the newest showed a token, which was not good", content: \.hasToken)
    ) { deviceId, isKnown, protocols, firstAt, lastAt, count, address, hasToken in
        WaitingDevice(
            deviceId: deviceId, isKnown: isKnown, protocols: protocols, firstAt: firstAt, lastAt: lastAt, count: count,
            address: address, hasToken: hasToken)
    }
}
