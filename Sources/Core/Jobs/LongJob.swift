import Model

/// Work of the writer that can take long, in steps, between which the writer does other work. The value is the progress so far.
///
/// After a crash the value is lost. The store has what is needed to begin the job again or to complete it.
package protocol LongJob: Sendable {
    /// What the next step needs, in this order.
    var needs: [LongJobNeed] { get }

    /// Performs the next step: a short transaction, or a part of the preparation for it. If it fails, the job ends with the result of the
    /// earlier steps.
    ///
    /// - Returns: Whether another step is needed.
    mutating func step(_ service: ServiceWriter) throws(Problem) -> Bool
}

/// Something that is written in parts before a step of a long job. Otherwise the step would write all of it at once.
package enum LongJobNeed: Sendable {
    /// Everything that is committed now is in the tables that readers use.
    case derivedData
    /// Most of the stored fixes are in order by device and time.
    case order
}

extension LongJob {
    package var needs: [LongJobNeed] { [] }
}
