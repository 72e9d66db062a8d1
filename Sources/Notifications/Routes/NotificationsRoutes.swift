import Routing

/// The routes of sinks, and of the links in their messages.
package enum NotificationsRoutes {
    package static let all: [Route<DeliveryRunner>] = SinkRoutes.all + AlarmLinkRoutes.all
}

extension Schemas {
    /// The schemas of the routes of sinks, and of the links in their messages.
    package static let notifications: [Named] = sinks + newSinks
}
