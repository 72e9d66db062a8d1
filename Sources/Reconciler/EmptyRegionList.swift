import Model
import Registry

// After a reboot, the list of regions can be empty for a while, although the regions keep their slots and appear again. A repair that
// believed such a list would start regions that are registered already, and the operating system would refuse those that find no slot.

extension RegistryJournal {
    /// Seconds after a reboot for which a list without Picket's regions is not believed.
    static let longestEmptyList = 90.0

    /// Until when a list is not believed: it has none of Picket's regions, the device was rebooted less than `longestEmptyList` seconds ago,
    /// and regions were registered before. Nil if the list is believed.
    func endOfEmptyList(in snapshot: RegistrySnapshot, _ profile: PlatformProfile) -> Instant? {
        guard profile.reboot.contains(.emptyAtFirst), let listed = snapshot.regions, !listed.contains(where: \.id.isOurs),
            let reboot = snapshot.disruptions[.reboot], snapshot.takenAt < reboot + Self.longestEmptyList,
            entries.values.contains(where: { $0.phase != .starting && $0.addedAt <= reboot })
        else { return nil }
        let isCertainlyEmpty = snapshot.disruptions.contains { kind, at in
            at >= reboot && profile.effectOnRegions(of: kind) == .removes
        }
        return isCertainlyEmpty ? nil : reboot + Self.longestEmptyList
    }
}
