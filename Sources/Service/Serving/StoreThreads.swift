import Core
import Model
import Settings

/// The threads that work on the store of a running service: the writer, and readers for queries of different lengths.
package final class StoreThreads: Sendable {
    package let writer: Writer
    package let readers: Readers
    /// Answer queries that take long with many devices or geofences, so that they do not keep others from `readers`.
    package let heavyReaders: Readers
    /// Answers queries that may take minutes, one at a time, beside the others.
    package let longReaders: Readers
    /// The settings with which the service was started.
    package let settings: Settings

    package var clock: ServiceClock { writer.clock }

    /// The maximum numbers of queries that wait for the heavy and the long readers. At a second for each, the last one of the heavy readers
    /// waits half a minute.
    private static let mostHeavyQueries = 64
    private static let mostLongQueries = 8

    /// Opens the store.
    ///
    /// - Parameter observer: Is notified of what the writer does.
    /// - Throws: See `Writer.init`.
    package init(
        _ directory: DataDirectory, _ settings: Settings, clock: any WallClock, storeProblem: StoreProblem,
        observer: Writer.Observer
    ) throws(Problem) {
        let writer = try Writer(
            directory, purpose: "serve", durability: settings.durability, settings: settings, storeProblem: storeProblem,
            clock: clock, observer: observer)
        self.writer = writer
        self.settings = settings
        let settle = { @Sendable (completion: @escaping @Sendable () -> Void) in writer.writeDerivedData(completion) }
        let makeReaders = { (most: Int) in
            Readers(
                directory, count: 2, mostWaiting: most, appReportMaxAge: settings.appReportMaxAge, storeProblem: storeProblem,
                supportContact: settings.supportContact, candidateCache: writer.candidateCache, health: writer.health,
                phones: writer.phones, clock: clock, settle: settle)
        }
        readers = makeReaders(.max)
        heavyReaders = makeReaders(Self.mostHeavyQueries)
        longReaders = Readers(
            directory, count: 1, mostWaiting: Self.mostLongQueries, areLong: true, appReportMaxAge: settings.appReportMaxAge,
            candidateCache: writer.candidateCache, phones: writer.phones, clock: clock, settle: settle)
    }

    /// The threads of a single command, without a service. The writer does not wait for another process that writes to the directory.
    ///
    /// - Parameter command: The command, shown to other processes that find the directory locked.
    package init(
        ofCommand command: String, _ directory: DataDirectory, _ settings: Settings, clock: any WallClock = SystemClock()
    ) {
        self.settings = settings
        writer = Writer(ofCommand: command, directory, patience: 0, clock: clock) { $0.use(settings) }
        readers = Readers(
            directory, count: 1, appReportMaxAge: settings.appReportMaxAge, supportContact: settings.supportContact,
            candidateCache: writer.candidateCache, clock: writer.clock)
        (heavyReaders, longReaders) = (readers, readers)
    }

    /// Finishes the waiting work, and stops all threads.
    package func stop() {
        stopReaders()
        writer.stop()
    }

    /// Stops the readers. The writer is stopped later, because the last connection to close checkpoints the write-ahead log.
    package func stopReaders() {
        longReaders.stop()
        heavyReaders.stop()
        readers.stop()
    }
}
