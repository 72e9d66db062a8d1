import Model
import Registry

/// One call to a registry, and why.
public struct RegistryOperation: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Adds the region, or replaces the one of its identifier.
        case start(Region)
        case stop(RegionID)
        case requestState(RegionID)
    }

    public enum Reason: Hashable, Sendable {
        /// What is wrong now and will be right.
        case finding(Finding.Kind, Finding.Cause)
        /// Fences are left out, and a sentinel guards them from now on.
        case guards
        /// The device is told to be where, now that the region is watched.
        case added
    }

    public var kind: Kind
    /// The geofence's name, or the identifier where there is none.
    public var name: String
    public var reason: Reason

    public init(_ kind: Kind, name: String, reason: Reason) {
        self.kind = kind
        self.name = name
        self.reason = reason
    }

    /// The region that the call is about.
    public var id: RegionID {
        switch kind {
        case .start(let region): region.id
        case .stop(let id), .requestState(let id): id
        }
    }

    /// `start`, `stop` or `requestState`.
    public var verb: String {
        switch kind {
        case .start: "start"
        case .stop: "stop"
        case .requestState: "requestState"
        }
    }
}
