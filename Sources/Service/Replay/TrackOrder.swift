import Model
import Observability
import Store

extension Queries {
    /// The maximum number of fixes not yet sorted by device that are searched in each query. If there are more, they have to be sorted
    /// first.
    package static let mostUnorderedFixes = 20_000

    /// Whether a device's track can be read without searching too many fixes of other devices.
    package func canReadTracks() throws(Problem) -> Bool { try store.unorderedFixCount() <= Self.mostUnorderedFixes }
}

extension ServiceWriter {
    /// Sorts stored fixes by device and time.
    ///
    /// - Parameter most: Stops after approximately this number of fixes.
    package func sortFixes(atMost most: Int = .max) throws(Problem) {
        try transaction { () throws(Problem) in try store.orderFixes(atMost: most) }
    }
}

extension StoreThreads {
    /// Orders the stored fixes by device, if reading a track needs that.
    ///
    /// - Throws: `Problem.notFound` when there is no such device for the client.
    package func orderTracks(for device: String, _ client: QueryClient) async throws(Problem) {
        _ = try await readers.ask(for: client) { service throws(Problem) in try service.device(id: device) }
        try await orderTracks(client)
    }

    /// Orders the stored fixes by device, if reading tracks needs that. Positions are stored meanwhile.
    package func orderTracks(_ client: QueryClient) async throws(Problem) {
        let isReady = try await readers.ask(for: client) { service throws(Problem) in try service.canReadTracks() }
        if !isReady { await writer.sortFixes() }
    }

    /// Orders the stored fixes by device, if the store can be written. Without the order, reading only takes longer.
    package func orderTracksUnlessReadOnly(_ client: QueryClient, _ log: Log) async {
        do throws(Problem) {
            try await orderTracks(client)
        } catch {
            if client.hasLeft() { return }
            log.logProblem(error, "order of positions")
        }
    }
}
