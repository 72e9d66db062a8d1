import Core
import Model
import Places
import Routing
import Service

/// Routes for the enrollment of phones and for waiting devices.
enum EnrollmentRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [enroll, waiting, refuse, readmit]

    private static let enroll = Route(
        "POST", "/v1/devices/{id}:enroll", access: .admin,
        about: .init(
            "Creates a token for one device, and the device if it does not exist; returns the settings for its app. The secret is in this "
                + "answer only. With the very first token, a token with the role admin is created as well",
            body: [("application/json", "NewEnrollment")], answer: "Enrollment"),
        work: .task { api, call throws(Problem) in
            let request = try EnrollmentRequest(json: call.body.isEmpty ? [:] : call.json(), deviceId: call.id)
            let address = PhoneAddress(call.store.settings, port: api.site.address.port)
            let enrollment = try await call.perform { service throws(Problem) in
                let enrollment = try service.enroll(request, at: address)
                api.acceptTokens(of: try service.accessList())
                return enrollment
            }
            api.waitingDevices.readmit(enrollment.device.id)
            api.waitingDevices.remove(enrollment.device.id)
            let json = try enrollment.json(in: call.head.language)
            let response = Response.json(json).with("Cache-Control", "no-store")
            guard let administrator = enrollment.administrator?.token else { return response }
            // After the first token was made, all requests need one. The browser continues with a session of the administrator's token.
            let session = api.authenticator.sessions.cookie(forToken: administrator.id, until: nil, at: call.store.clock.now())
            return response.with("Set-Cookie", session.cookie)
        })

    private static let waiting = Route(
        "GET", "/v1/waiting-devices", access: .admin,
        about: .init(
            "Lists devices that have reported without a valid token since the service started, newest first, and refused devices",
            answer: "WaitingDevices"),
        work: .task { api, call throws(Problem) in
            let waiting = api.waitingDevices.all
            let list = try await call.store.readers.ask(for: call.client) { service throws(Problem) in
                var list = WaitingDeviceList(waiting: waiting, refused: try service.refusedDevices())
                for index in waiting.indices {
                    list.waiting[index].isKnown = try service.hasDevice(id: waiting[index].deviceId)
                }
                return list
            }
            return .json(list.json)
        })

    private static let refuse = visibilityRoute(
        "refuse", summary: "Refuses a device: it is no longer listed as waiting, even after a restart"
    ) { service, waiting, id throws(Problem) in
        try service.refuseDevice(id)
        waiting.refuse(id)
    }

    private static let readmit = visibilityRoute(
        "readmit", summary: "Lists a refused device as waiting again when it reports"
    ) { service, waiting, id throws(Problem) in
        try service.acceptDevice(id)
        waiting.readmit(id)
    }

    /// A route that hides or shows a waiting device.
    private static func visibilityRoute(
        _ verb: String, summary: String,
        change decide: @escaping @Sendable (ServiceWriter, WaitingDevices, String) throws(Problem) -> Void
    ) -> Route {
        Route(
            "POST", "/v1/waiting-devices/{id}:\(verb)", access: .admin, about: .init(summary, status: 204),
            work: .task { api, call throws(Problem) in
                let id = call.id
                try await call.perform { service throws(Problem) in try decide(service, api.waitingDevices, id) }
                return .nothing
            })
    }
}
