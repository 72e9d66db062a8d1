import Foundation
import TestSupport
import Testing

/// How long a test may take. The time for which it waits for a browser, while all other tests have theirs, is part of it.
let patience = TimeLimitTrait.Duration.minutes(40)

/// Runs tests that drive a browser on threads of their own.
///
/// They block for seconds, and the few threads that Swift runs tests on would be held by them, so that all other tests waited.
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
            queue.maxConcurrentOperationCount = Browser.most
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}

extension Trait where Self == InBrowser {
    /// Runs tests on the threads for those that drive a browser.
    static var inBrowser: Self { Self() }
}
