import Model
import ToolSupport

/// The options of the values that a device or a group can have.
enum DefaultOptions {
    /// Changes the values that the options name. `none` removes a value.
    static func change(_ values: inout DeviceDefaults, _ invocation: Invocation) throws(Problem) {
        if let policy = try invocation.policy("--policy") { values.policy = policy.isEmpty ? nil : policy }
        if let text = invocation.value("--silent-after") {
            values.silentAfter =
                text == "none"
                ? nil
                : try TimeSpan.seconds(
                    text, field: "--silent-after", in: 1...Device.maximumSilentAfter, acceptsBareSeconds: true)
        }
        switch invocation.value("--keep-positions") {
        case nil: break
        case "none": values.keepPositions = nil
        case "forever": values.keepPositions = .infinity
        case let text?:
            values.keepPositions = try TimeSpan.seconds(
                text, field: "--keep-positions", in: 0...Device.maximumKeepPositions,
                or: Phrase("0 to keep none, forever, or none for the default"))
        }
        switch invocation.value("--quiet-hours") {
        case nil: break
        case "none": values.quietHours = nil
        case "never": values.quietHours = []
        case let text?: values.quietHours = try WeeklyWindow.list(text, field: "--quiet-hours")
        }
    }
}
