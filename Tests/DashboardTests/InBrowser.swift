import Foundation
import TestSupport
import Testing

/// The time limit of a test. It includes the time in which the test waits for a browser while others use theirs.
let browserTimeLimit = TimeLimitTrait.Duration.minutes(40)

/// Runs tests that use a browser on their own threads.
///
/// These tests block for seconds. On the few threads that Swift uses for tests, they would delay all other tests.
struct InBrowser: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Threads.shared) { try await function() }
    }

    /// As many threads as there may be browsers.
    private final class Threads: TaskExecutor {
        static let shared = Threads()
        private let queue = OperationQueue()

        init() {
            queue.name = "tests in browsers"
            queue.maxConcurrentOperationCount = Browser.maximumCount
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}

extension Trait where Self == InBrowser {
    /// Runs the tests on the threads for tests that use a browser.
    static var inBrowser: Self { Self() }
}
