import Model
import Service

/// Routes for the enrollment of phones and for waiting devices.
enum EnrollmentRoutes {
    static let all: [Route] = [enroll, waiting, refuse, readmit]

    private static let enroll = Route(
        "POST", "/v1/devices/{id}:enroll", .admin,
        .init(
            "Makes a token for a device alone, and the device when there is none; answers how its app is set up. The secret is in this "
                + "answer and nowhere else. The first token of all comes with one of the role admin",
            body: [("application/json", "NewEnrollment")], answer: "Enrollment"),
        .task { api, call throws(Problem) in
            let request = try EnrollmentRequest(json: call.body.isEmpty ? [:] : call.json(), deviceId: call.id)
            let address = PhoneAddress(api.settings, port: api.port)
            let enrollment = try await api.writer.perform { service throws(Problem) in
                let enrollment = try service.enroll(request, at: address)
                api.admit(try service.accessList())
                return enrollment
            }
            api.waiting.readmit(enrollment.device.id)
            api.waiting.remove(enrollment.device.id)
            let json = try enrollment.json(in: call.head.language)
            let response = Response.json(json).with("Cache-Control", "no-store")
            guard let administrator = enrollment.administrator?.token else { return response }
            // After the first token was made, all requests need one. The browser continues with a session of the administrator's token.
            let session = api.authenticator.sessions.cookie(forToken: administrator.id, until: nil, at: api.clock.now())
            return response.with("Set-Cookie", session.cookie)
        })

    private static let waiting = Route(
        "GET", "/v1/waiting-devices", .admin,
        .init(
            "Devices that have reported without a good token since the service started, the newest first, and those that were refused",
            answer: "WaitingDevices"),
        .task { api, _ throws(Problem) in
            let entries = api.waiting.all
            let (known, refused) = try await api.readers.ask { service throws(Problem) in
                var known: Set<String> = []
                for entry in entries where try service.hasDevice(id: entry.deviceId) { known.insert(entry.deviceId) }
                return (known, try service.refusedDevices())
            }
            return .json([
                "waiting": .array(entries.map { $0.json(isKnown: known.contains($0.deviceId)) }),
                "refused": .array(refused.map(\.json)),
            ])
        })

    private static let refuse = decision(
        "refuse", "Shows a device no longer among those that wait, also after a restart"
    ) { service, waiting, id throws(Problem) in
        try service.refuse(device: id)
        waiting.refuse(id)
    }

    private static let readmit = decision(
        "readmit", "Shows a device that was refused among those that wait when it reports again"
    ) { service, waiting, id throws(Problem) in
        try service.readmit(device: id)
        waiting.readmit(id)
    }

    /// A route that hides or shows a waiting device.
    private static func decision(
        _ verb: String, _ summary: String,
        _ decide: @escaping @Sendable (ServiceWriter, WaitingDevices, String) throws(Problem) -> Void
    ) -> Route {
        Route(
            "POST", "/v1/waiting-devices/{id}:\(verb)", .admin, .init(summary, status: 204),
            .task { api, call throws(Problem) in
                let id = call.id
                try await api.writer.perform { service throws(Problem) in try decide(service, api.waiting, id) }
                return .nothing
            })
    }
}
