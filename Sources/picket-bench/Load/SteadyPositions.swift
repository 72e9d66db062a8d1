import Foundation
import Model
import Synchronization
import Workers

/// One connection that sends positions at a steady rate on its own thread, and measures how long each waits for its answer while the
/// service handles other requests.
final class SteadyPositions: Sendable {
    private struct State {
        var waits = LatencyHistogram()
        var problem: Problem?
        var isEnding = false
        /// The devices after the last position that was sent.
        var devices: DenseDevices
    }

    private let state: Mutex<State>
    private let port: Int
    /// Nanoseconds between two positions.
    private let step: Int64
    private let thread = Mutex<WorkThreads?>(nil)

    /// Starts the thread that sends.
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
            // Positions that became due while another one was waiting are not sent, but counted with the rest of that wait.
            // Otherwise a stall of a second would appear as one long wait among many short ones.
            state.withLock { state in
                repeat {
                    state.waits.add(nanoseconds: answered - due)
                    due += step
                } while due < answered
            }
        }
    }

    /// Discards the waits measured so far.
    func reset() { state.withLock { $0.waits = LatencyHistogram() } }

    /// The waits since the last reset. Returns after the position that is in progress has been answered.
    ///
    /// - Throws: The problem that ended the sending.
    func waits() throws(Problem) -> LatencyHistogram {
        let count = state.withLock { $0.waits.count }
        // Two answers are awaited: the first may belong to a position sent before this call, the second cannot.
        var state = try currentState()
        while state.waits.count < count + 2 {
            usleep(500)
            state = try currentState()
        }
        return state.waits
    }

    private func currentState() throws(Problem) -> State {
        let state = state.withLock { $0 }
        if let problem = state.problem { throw problem }
        return state
    }

    /// Ends the sending and returns the devices in their last state.
    ///
    /// - Throws: The problem that ended the sending earlier.
    func stop() throws(Problem) -> DenseDevices {
        state.withLock { $0.isEnding = true }
        thread.withLock { $0 }?.join()
        return try currentState().devices
    }
}
