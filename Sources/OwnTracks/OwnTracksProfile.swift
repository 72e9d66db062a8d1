import Model
import Registry

extension PlatformProfile {
    /// What a platform does with the regions of its OwnTracks app.
    public static func ownTracks(_ platform: Device.Platform) -> PlatformProfile {
        var profile = PlatformProfile(platform)
        // The app publishes its list on both platforms, and tells of no failure.
        profile.isReadable = true
        profile.canTellState = false
        profile.latestFailure = 0
        // As its lists write it: six decimals, and whole metres.
        profile.centerTolerance = 1e-6
        profile.radiusTolerance = 1
        // One of the system's regions follows the phone.
        if platform == .ios { profile.limit -= 1 }
        return profile
    }
}
