import Delivery
import Store

/// The parts of a problem's source, such as `registry/jane/phone`, `sink/ntfy/parked` or `job/backup`. They name what failed.
package struct ProblemSource: Hashable, Sendable {
    /// The text before the first slash, such as `sink`, `registry` or `job`.
    package let family: String
    /// The id of the device; nil when the problem concerns no device. The id may contain slashes.
    package let deviceID: String?
    /// The id of the sink; nil when the problem concerns no sink.
    package let sinkID: String?
    /// The part of the sink; nil for the sink itself, and for a part that only a newer version of Picket knows.
    package let sinkPart: Sink.Part?

    package init(_ source: String) {
        let pieces = source.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        family = String(pieces[0])
        let rest = pieces.count > 1 ? String(pieces[1]) : nil
        deviceID = Queries.DeviceProblem(rawValue: family + "/") == nil ? nil : rest
        // The id of a sink contains no slash; see `Sink.id`.
        let sink = family == Self.sinkFamily ? rest?.split(separator: "/", maxSplits: 1) ?? [] : []
        sinkID = sink.first.map(String.init)
        sinkPart = sink.count > 1 ? Sink.Part(rawValue: String(sink[1])) : nil
    }

    static let sinkFamily = "sink"

    /// The source of the problem of the connection to the MQTT broker.
    package static let broker = "mqtt"
}
