import Core
import Model

extension ServiceWriter {
    /// Evaluates the times of the positions of a request. Must be called before they are stored, outside of a transaction.
    ///
    /// If the positions are refused, their alarms are still recorded at once. The positions of a command are not evaluated here, because they
    /// stay in their file and can be imported again.
    ///
    /// - Throws: `Problem.clockImplausible` if the sender has to keep the positions; see `ServiceClock.evaluate(_:)`.
    package func evaluateTimes(of batch: FixBatch) throws(Problem) {
        if batch.isOfCommand { return }
        do throws(Problem) {
            try serviceClock?.evaluate(batch)
        } catch {
            _ = try recordClock()
            if !batch.alarms.isEmpty {
                var alarms = FixBatch()
                alarms.alarms = batch.alarms
                try accept(alarms)
            }
            throw error
        }
    }
}
