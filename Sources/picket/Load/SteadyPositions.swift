import Foundation
import Model
import Synchronization
import Workers

/// One connection that sends a position at a steady rate on a thread of its own, and measures how long each position waits for its
/// answer, while something else is asked of the service.
final class SteadyPositions: Sendable {
    private struct State {
        var waits = LatencyHistogram()
        var problem: Problem?
        var isEnding = false
        /// The devices as they are after the last position.
        var devices: DenseDevices
    }

    private let state: Mutex<State>
    private let port: Int
    /// Nanoseconds from one position to the next.
    private let step: Int64
    private let thread = Mutex<WorkThreads?>(nil)

    /// Begins to send.
    ///
    /// - Parameter rate: Positions a second.
    init(port: Int, rate: Double, devices: DenseDevices) {
        self.port = port
        step = Int64(1e9 / rate)
        state = Mutex(State(devices: devices))
        thread.withLock { $0 = WorkThreads("steady positions") { [self] in run() } }
    }

    private func run() {
        var devices = state.withLock { $0.devices }
        do throws(Problem) {
            try send(from: &devices)
        } catch {
            state.withLock { $0.problem = error }
        }
        state.withLock { $0.devices = devices }
    }

    private func send(from devices: inout DenseDevices) throws(Problem) {
        var load = try LoadGenerator(port: port, connections: 1)
        defer { load.close() }
        var body: [UInt8] = []
        var due = Monotonic.nanoseconds()
        while !state.withLock({ $0.isEnding }) {
            body.removeAll(keepingCapacity: true)
            devices.writeNext(into: &body)
            Monotonic.sleep(until: due)
            try load.run(1) { _, request in request.appendPost("/v1/positions", type: "application/json", body: body) }
            _ = try load.measured()
            let answered = Monotonic.nanoseconds()
            // A position that was due while another one waited would have waited for the rest of that time. It counts as such a
            // wait, or a stall of a second would be one long wait among many short ones; it is not sent.
            state.withLock { state in
                repeat {
                    state.waits.add(nanoseconds: answered - due)
                    due += step
                } while due < answered
            }
        }
    }

    /// Forgets the waits so far.
    func reset() { state.withLock { $0.waits = LatencyHistogram() } }

    /// The waits since the last reset, once the position that is on its way now has been answered.
    ///
    /// - Throws: What ended the sending.
    func waits() throws(Problem) -> LatencyHistogram {
        let count = state.withLock { $0.waits.count }
        // Of two answers from now on, the second is of a position that was sent after this call.
        var state = try look()
        while state.waits.count < count + 2 {
            usleep(500)
            state = try look()
        }
        return state.waits
    }

    private func look() throws(Problem) -> State {
        let state = state.withLock { $0 }
        if let problem = state.problem { throw problem }
        return state
    }

    /// Ends the sending, and gives the devices as they are then.
    ///
    /// - Throws: What ended it before.
    func stop() throws(Problem) -> DenseDevices {
        state.withLock { $0.isEnding = true }
        thread.withLock { $0 }?.join()
        return try look().devices
    }
}
