import Model
import Registry

/// How reliable a journal entry is where the operating system's list of regions cannot be read.
enum JournalConfidence: Hashable {
    /// The region is registered as the entry says.
    case sure
    /// The region may have been dropped, by this disruption; nil if there was just no report for a long time.
    case doubtful(RegistrySnapshot.Disruption?)
    /// The region has been dropped by this disruption.
    case gone(RegistrySnapshot.Disruption)

    init(
        of entry: RegistryJournal.Registration, reported: RegistryJournal.ReportedState?, _ snapshot: RegistrySnapshot,
        _ profile: PlatformProfile
    ) {
        let seen = max(entry.at, reported?.at ?? entry.at)
        var doubt: RegistrySnapshot.Disruption?
        for kind in RegistrySnapshot.Disruption.allCases {
            guard let at = snapshot.disruptions[kind], at >= seen else { continue }
            switch profile.effectOnRegions(of: kind) {
            case .removes:
                self = .gone(kind)
                return
            case .mayRemove: doubt = kind
            case .nothing: break
            }
        }
        if let doubt {
            self = .doubtful(doubt)
        } else {
            self = snapshot.takenAt - seen > RegistryJournal.trustPeriod ? .doubtful(nil) : .sure
        }
    }
}

extension PlatformProfile {
    enum Effect { case removes, mayRemove, nothing }

    /// What a disruption does to the registered regions.
    func effectOnRegions(of disruption: RegistrySnapshot.Disruption) -> Effect {
        func of(_ drops: Bool, _ keeps: Bool) -> Effect { drops ? (keeps ? .mayRemove : .removes) : .nothing }
        switch disruption {
        case .reboot: return of(reboot.contains(.drop), reboot.contains(.keep))
        case .update, .forceStop: return of(update.contains(.drop), update.contains(.keep))
        case .permissionRevoked: return of(permission.contains(.cleared), permission.contains(.dormant))
        case .reinstall: return .removes
        case .dataCleared: return of(clearingDataRemoves, false)
        case .locationOff: return of(locationOffRemoves, false)
        }
    }
}
