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

    /// Makes an operation from its call and its reason.
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
