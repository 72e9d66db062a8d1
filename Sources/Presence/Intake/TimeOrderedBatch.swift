import Model

/// The positions of one request or of one chunk of a file, sorted by time; see `FixBatch.sortByTime()`.
///
/// The order determines which positions are late and which events follow. The rule is therefore in one place: HTTP, MQTT, phones, files and
/// the command line all pass their positions in this form, and the service accepts no other.
package struct TimeOrderedBatch: Sendable {
    package let batch: FixBatch

    package init(_ batch: consuming FixBatch) {
        batch.sortByTime()
        self.batch = batch
    }
}
