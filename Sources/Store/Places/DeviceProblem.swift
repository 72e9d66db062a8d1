extension PicketStore {
    /// The kinds of problems of a device, by the prefix of the device's id in their sources. No prefix begins with another one.
    package enum DeviceProblem: String, CaseIterable {
        /// Problems with the registrations.
        case registry = "registry/"
        /// The journal of registrations was damaged. It has happened once, so dismissing the problem resolves it.
        case journal = "registry-journal/"
        /// Problems with the input.
        case intake = "intake/"
        /// The device's clock was ahead. Its other input may have a problem at the same time.
        case clock = "clock/"
        /// The device's clock is behind.
        case clockBehind = "clock-behind/"
        /// Two senders use the device's id.
        case sharedID = "shared-id/"
        /// Late fixes are not evaluated.
        case replay = "replay/"

        /// The source of a device's problem.
        package func source(of device: String) -> String { rawValue + device }
    }
}
