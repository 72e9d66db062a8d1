import Model

/// The numbers of sinks in a status.
package struct SinkCounts: Sendable {
    var total: Int
    /// The number of sinks that are not connected or are paused.
    var notConnected: Int

    package init(_ statuses: some Collection<SinkStatus>) {
        total = statuses.count
        notConnected = statuses.count { $0.connection.state.name != .connected }
    }
}

extension SinkCounts: JSONWritable {
    package static let output = JSONOutput<SinkCounts>(
        "SinkCounts", summary: "The numbers of sinks",
        .init("total", kind: .whole, summary: "All sinks", content: \.total),
        .init("notConnected", kind: .whole, summary: "Sinks that are not connected or are paused", content: \.notConnected))
}
