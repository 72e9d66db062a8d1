import Core
import Model
import Synchronization

extension Writer {
    /// Performs a long job step by step, with other work in between.
    ///
    /// - Parameters:
    ///   - progress: Called with the job after each step, when the step is saved.
    ///   - completion: Called with the job after its last successful step, and with the problem if the next one has failed. Both are called on
    ///     a thread of the writer that must not be blocked.
    package func start<Job: LongJob>(
        _ job: Job, progress: @escaping @Sendable (Job) -> Void = { _ in },
        _ completion: @escaping @Sendable (Job, Problem?) -> Void
    ) {
        proceed(JobProgress(job), progress, completion)
    }

    /// Submits the next step, and the one after it when it is saved.
    private func proceed<Job: LongJob>(
        _ job: JobProgress<Job>, _ progress: @escaping @Sendable (Job) -> Void,
        _ completion: @escaping @Sendable (Job, Problem?) -> Void
    ) {
        fulfill(job.current.needs[...]) { [self] in
            let isTaken = submit({ service throws(Problem) in try job.step(service) }) { [self] result in
                switch result {
                case .success(let hasMore):
                    progress(job.current)
                    if hasMore { proceed(job, progress, completion) } else { completion(job.current, nil) }
                case .failure(let problem): completion(job.current, problem)
                }
            }
            if !isTaken { completion(job.current, .cancelled) }
        }
    }

    /// Performs a long job, and waits until its last step is saved.
    ///
    /// - Returns: The job after its last step.
    package func perform<Job: LongJob>(_ job: Job) async throws(Problem) -> Job {
        let (ended, problem) = await withCheckedContinuation { continuation in
            start(job) { continuation.resume(returning: ($0, $1)) }
        }
        if let problem { throw problem }
        return ended
    }

    /// Calls `body` when the needs are fulfilled. A step can do without what could not be written; it only takes longer.
    func fulfill(_ needs: ArraySlice<LongJobNeed>, then body: @escaping @Sendable () -> Void) {
        guard let need = needs.first else { return body() }
        let others = needs.dropFirst()
        switch need {
        case .derivedData: writeDerivedData { [self] in fulfill(others, then: body) }
        case .order: sortFixes { [self] _ in fulfill(others, then: body) }
        }
    }
}

/// A long job between its steps. They change it in place, so that a long result is not copied.
private final class JobProgress<Job: LongJob>: Sendable {
    private let job: Mutex<Job>

    init(_ job: Job) { self.job = Mutex(job) }

    var current: Job { job.withLock { $0 } }

    func step(_ service: ServiceWriter) throws(Problem) -> Bool {
        // No other thread uses it during a step, so that there is no wait.
        let result: Result<Bool, Problem> = job.withLock { job in Result { () throws(Problem) in try job.step(service) } }
        return try result.get()
    }
}
