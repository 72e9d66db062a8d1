import Core
import Model
import Places

extension Writer {
    /// Changes the same fields of several devices, a few at a time, between which the writer does other work.
    ///
    /// A device that another edit changes meanwhile is left out if it is no longer selected, or refused if it cannot be changed. If the store
    /// can no longer be written, some devices are changed and others are not; the same change again completes it.
    ///
    /// - Parameter preview: What `previewPatch` has returned for the change. If it refuses a device, no device is changed.
    package func patchDevices(
        _ change: DevicePatch, _ condition: EditCondition, preview: DevicePatchResult
    ) async throws(Problem) -> DevicePatchResult {
        if preview.isRefused { return preview }
        var result = DevicePatchResult(devices: [], isApplied: false)
        for part in preview.devices.map(\.id).parts(of: devicesAtOnce) {
            let step = try await perform { service throws(Problem) in
                try service.patchEach(of: part, change, condition)
            }
            result.devices += step.devices
            result.events += step.events
        }
        result.isApplied = preview.devices.isEmpty || result.devices.contains { $0.outcome != .refused }
        result.addDeletions(of: preview)
        return result
    }
}
