import Model

/// The positions of one request, or of one chunk of a file, in order of time. Positions of one time stay in the order in which they came.
///
/// The order decides which positions are late and which events follow. So there is one rule, and it is here: HTTP, MQTT, phones, files and
/// the command line all hand over what came together in this form, and the service takes positions in no other.
public struct TimeOrderedBatch: Sendable {
    public let batch: FixBatch

    public init(_ batch: consuming FixBatch) {
        batch.sortByTime()
        self.batch = batch
    }
}
