import Model

/// A device that reports without a valid token.
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
    var firstAt: Instant
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
        "WaitingDevice", summary: "A device that reports without a valid token",
        .init("deviceId", kind: .text, summary: "The id that the device reports", content: \.deviceId),
        .init("isKnown", kind: .flag, summary: "Whether the store has a device with this id", content: \.isKnown),
        .init("protocols", kind: .list(of: .word), summary: "The protocols of its reports", content: \.protocols),
        .init("firstAt", kind: .time, summary: "When the first request arrived", content: \.firstAt),
        .init("lastAt", kind: .time, summary: "When the newest request arrived", content: \.lastAt),
        .init("count", kind: .whole, summary: "The number of requests", content: \.count),
        .init("address", kind: .text, summary: "The IP address of the newest request", content: \.address),
        .init(
            "hasToken", kind: .flag, summary: "Whether the newest request contained a token, which was not valid",
            content: \.hasToken)
    ) { deviceId, isKnown, protocols, firstAt, lastAt, count, address, hasToken in
        WaitingDevice(
            deviceId: deviceId, isKnown: isKnown, protocols: protocols, firstAt: firstAt, lastAt: lastAt, count: count,
            address: address, hasToken: hasToken)
    }
}
