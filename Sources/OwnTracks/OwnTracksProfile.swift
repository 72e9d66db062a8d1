import Model
import Registry

extension PlatformProfile {
    /// How a platform handles the regions of its OwnTracks app.
    package static func ownTracks(_ platform: Device.Platform) -> PlatformProfile {
        var profile = PlatformProfile(platform)
        // The app publishes its list on both platforms. It reports neither states nor failures.
        profile.isReadable = true
        profile.supportsStateRequests = false
        profile.latestFailure = 0
        // The app's lists have coordinates with six decimals and radii in whole meters.
        profile.centerTolerance = 1e-6
        profile.radiusTolerance = 1
        // On iOS the app itself uses one region, with which it follows the phone.
        if platform == .ios { profile.limit -= 1 }
        return profile
    }
}
