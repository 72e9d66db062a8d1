import Model
import Registry

/// One call to a registry and the reason for it.
public struct RegistryOperation: Hashable, Sendable {
    /// A call to a registry.
    public enum Call: Hashable, Sendable {
        /// Adds the region, or replaces the region with the same identifier.
        case start(Region)
        /// Removes the region.
        case stop(RegionID)
        /// Asks whether the device is inside the region.
        case requestState(RegionID)

        package enum Name: String, CaseIterable, Sendable {
            case start, stop, requestState
        }

        package var name: Name {
            switch self {
            case .start: .start
            case .stop: .stop
            case .requestState: .requestState
            }
        }
    }

    /// Why an operation is made.
    public enum Reason: Hashable, Sendable {
        /// A finding that the operation resolves.
        case finding(Finding.Kind, Finding.Cause)
        /// Geofences are left out, and the sentinel guards them.
        case guardsLeftOutFences
        /// The region was added, and its state is unknown.
        case stateUnknown
    }

    /// The call.
    public var kind: Call
    /// The geofence's name, or the identifier if there is no name.
    public var name: String
    /// Why the call is made.
    public var reason: Reason

    /// Creates an operation from its call and its reason.
    public init(_ kind: Call, name: String, reason: Reason) {
        self.kind = kind
        self.name = name
        self.reason = reason
    }

    /// The identifier of the region.
    public var id: RegionID {
        switch kind {
        case .start(let region): region.id
        case .stop(let id), .requestState(let id): id
        }
    }

    /// `start`, `stop` or `requestState`.
    public var verb: String { kind.name.rawValue }
}

extension RegistryOperation {
    /// The reason for the operation as a sentence without a period at the end.
    public func words(_ profile: PlatformProfile, in language: Language = .english) -> String {
        reason.phrase(profile).text(in: language)
    }

    /// The name to show to people: the geofence's name, or the identifier if there is no name.
    package func name(in language: Language) -> String { id == .sentinel ? Finding.sentinel.text(in: language) : name }
}

extension RegistryOperation.Call.Name: Named {
    /// One or two words, as the beginning of a line.
    package var phrase: Phrase {
        switch self {
        case .start: Phrase("start")
        case .stop: Phrase("stop")
        case .requestState: Phrase("requestState")
        }
    }
}

extension RegistryOperation.Reason {
    /// A sentence without a period at the end.
    fileprivate func phrase(_ profile: PlatformProfile) -> Phrase {
        switch self {
        case .finding(.missing, .notListed): Phrase("it should be registered, but is not")
        case .finding(_, let cause): cause.phrase(profile)
        case .guardsLeftOutFences:
            Phrase("some geofences are not registered; when the device leaves this circle, Picket chooses again")
        case .stateUnknown: Phrase("it was added, and its state shows whether the device is in it")
        }
    }
}
