import Delivery

/// Connections that have changed and are not recorded in the problem journal yet, in order. Of each sink, these are at most a success and a
/// later failure, so a store that cannot be written for long takes no more memory.
struct ConnectionRecords {
    typealias Record = (sink: String, status: ConnectionStatus)

    private(set) var waiting: [Record] = []

    mutating func add(_ status: ConnectionStatus, ofSink id: String) {
        if status.problem == nil {
            // It ends all that was before.
            waiting.removeAll { $0.sink == id }
        } else if let index = waiting.lastIndex(where: { $0.sink == id }), waiting[index].status.problem != nil {
            // Of failures that wait while many sinks fail, only the newest is recorded.
            waiting[index].status = status
            return
        }
        waiting.append((id, status))
    }

    /// Takes the first records.
    mutating func take(atMost count: Int) -> [Record] {
        defer { waiting.removeFirst(min(count, waiting.count)) }
        return Array(waiting.prefix(count))
    }

    /// Adds records again that could not be written, unless a newer one of the same sink makes them irrelevant.
    mutating func putBack(_ failed: [Record]) {
        waiting =
            failed.filter { old in
                guard let next = waiting.first(where: { $0.sink == old.sink }) else { return true }
                return old.status.problem == nil && next.status.problem != nil
            } + waiting
    }
}
