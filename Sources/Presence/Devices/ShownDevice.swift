import Core
import Model
import Places
import Store

/// A device as answers show it: its settings, and what else is known.
package struct ShownDevice: Sendable {
    private let device: Device
    private let status: Queries.DeviceStatus?
    private let concerns: DeviceConcerns?
    private let deletion: PositionDeletion?
    private let eventCount: Int?

    /// - Parameters:
    ///   - deletion: What a retention period would delete; nil if it was not asked for.
    ///   - eventCount: The number of its events; nil if it was not asked for.
    package init(
        _ status: Queries.DeviceStatus, _ concerns: DeviceConcerns? = nil, deletion: PositionDeletion? = nil,
        eventCount: Int? = nil
    ) {
        device = status.device
        self.status = status
        self.concerns = concerns
        self.deletion = deletion
        self.eventCount = eventCount
    }

    /// A device without its position.
    package init(_ device: Device, _ concerns: DeviceConcerns) {
        self.device = device
        status = nil
        self.concerns = concerns
        (deletion, eventCount) = (nil, nil)
    }
}

extension ShownDevice: JSONWritable {
    package static let output = JSONOutput<ShownDevice>(
        Device.shownName,
        summary:
            "A device; lastFix, battery, lastHeard, isDoubted, silentSince, notEvaluated, problemCodes, inside, hasOwnTracksKey, "
            + "problems, refusedInput, deletion and eventCount are ignored in requests",
        .init(membersOf: Device.output, content: \.device),
        .init(optionalMembersOf: Queries.DeviceStatus.placeShape.output, content: \.status),
        .init(optionalMembersOf: DeviceConcerns.output, content: \.concerns),
        .init("deletion", optional: .object, summary: "With keepPositions in the query", content: \.deletion),
        .init(
            "eventCount", optional: .whole, summary: "With eventCount in the query: the number of its events",
            content: \.eventCount))
}
