import Core
import Model
import Observability

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
