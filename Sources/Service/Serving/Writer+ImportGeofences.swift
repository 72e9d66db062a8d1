import Model
import Places

extension Writer {
    /// Completes an import that was interrupted because the store could not be written.
    package func completeImport() async throws(Problem) {
        while try await perform({ service throws(Problem) in
            try service.saveStagedGeofences(limit: GeofenceImportSteps.savedInStep)
        }) {}
    }

    /// Imports the geofences of a plan in steps, between which the writer does other work.
    ///
    /// Only one import may run at a time.
    package func importGeofences(_ plan: consuming GeofenceImportPlan) async throws(Problem) -> GeofenceFile.Imported {
        let steps = GeofenceImportSteps(plan)
        let result: Result<Void, Problem> = await withCheckedContinuation { continuation in
            let isAnswered = Flag()
            proceed(steps) { result in
                if !isAnswered.value.exchange(true, ordering: .relaxed) { continuation.resume(returning: result) }
            }
        }
        try result.get()
        return steps.imported
    }

    /// Submits the next step, which submits the one after it. So no caller waits for a step's sync except after the last one.
    private func proceed(_ steps: GeofenceImportSteps, _ completion: @escaping @Sendable (Result<Void, Problem>) -> Void) {
        let isAccepted = submit({ [self] service throws(Problem) -> Bool in
            let isLast = try steps.proceed(service)
            if !isLast { proceed(steps, completion) }
            return isLast
        }) { result in
            switch result {
            case .failure(let problem): completion(.failure(problem))
            case .success(true): completion(.success(()))
            case .success(false): break
            }
        }
        if !isAccepted { completion(.failure(.cancelled)) }
    }
}
