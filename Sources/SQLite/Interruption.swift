import CSQLite

/// Checks whether the work of a connection is to be canceled.
final class Interruption: Sendable {
    let isWanted: @Sendable () -> Bool

    init(_ isWanted: @escaping @Sendable () -> Bool) { self.isWanted = isWanted }
}

extension Connection {
    /// The steps of SQLite's virtual machine between two checks, which take about a millisecond.
    private static let stepsPerQuestion: Int32 = 100_000

    /// From now on, statements and copies of this connection fail with `SQLITE_INTERRUPT` while `isWanted` returns true.
    ///
    /// - Parameter isWanted: Called often, on the thread that uses the connection; nil to interrupt nothing.
    package func interrupt(when isWanted: (@Sendable () -> Bool)?) {
        guard let isWanted else {
            unsafe sqlite3_progress_handler(handle, 0, nil, nil)
            interruption = nil
            return
        }
        let made = Interruption(isWanted)
        interruption = made
        // The connection owns the object as long as SQLite may call the handler.
        let context = unsafe Unmanaged.passUnretained(made).toOpaque()
        unsafe sqlite3_progress_handler(
            handle, Self.stepsPerQuestion,
            { context in
                guard let context = unsafe context else { return 0 }
                return unsafe Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue().isWanted() ? 1 : 0
            }, context)
    }
}
