import Core
import Model

extension ServiceWriter {
    /// Opens a data directory for writing. Creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - purpose: The command that runs, shown to other processes that find the directory locked.
    ///   - patience: Milliseconds to wait for another process that writes to the directory.
    /// - Throws: `Problem.storeBusy` if another process writes to the directory, and the problems of opening a store.
    package convenience init(
        _ directory: DataDirectory, purpose: String, patience: Int = DirectoryLock.patience, clock: any WallClock = SystemClock()
    ) throws(Problem) {
        try self.init(directory, lock: DirectoryLock(directory, purpose: purpose, patience: patience), clock: clock)
    }

    /// Opens a directory that this process has locked for writing, and completes the edits that were interrupted.
    ///
    /// - Parameter deviceGroups: Gets the groups of the devices.
    /// - Throws: The problems of opening a store.
    package convenience init(
        _ directory: DataDirectory, lock: DirectoryLock, deviceGroups: DeviceGroups = DeviceGroups(), clock: any WallClock
    ) throws(Problem) {
        try self.init(opening: directory, lock: lock, deviceGroups: deviceGroups, clock: clock)
        erasureOutcome = try finishInterruptedErasures()
        try completeImport()
        try completeGroupPatches()
    }

    /// Finishes erasures that a crash or a full disk has interrupted. A failure does not prevent other work.
    ///
    /// - Returns: Whether they are finished; nil if there are none.
    private func finishInterruptedErasures() throws(Problem) -> Result<Bool, Problem>? {
        let ongoing = try ongoingErasures()
        if ongoing.isEmpty, try unfinishedErasures().isEmpty { return nil }
        return Result { () throws(Problem) in
            for (id, erasure) in ongoing {
                _ = try eraseRecords(ofDevice: id, key: erasure.device, rewriting: erasure.rewritesStore)
            }
            return try finishErasures()
        }
    }
}
