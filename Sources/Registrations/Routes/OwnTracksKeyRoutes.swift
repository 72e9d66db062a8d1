import Model
import Routing

/// Routes of the keys with which OwnTracks apps encrypt their messages.
enum OwnTracksKeyRoutes {
    typealias Route = Routing.Route<RepairCoordinator>

    static let all: [Route] = [put, remove]

    private static let put = Route(
        "PUT", "/v1/devices/{id}/owntracks-key", access: .admin,
        about: .init(
            "Saves the key with which the device's OwnTracks app encrypts its messages. It is never returned",
            body: [("application/json", "OwnTracksKey")], answer: "OwnTracksKeyState"),
        work: .write { service, call throws(Problem) in
            var fields = try JSONFields(call.json(), of: .key)
            let key = try fields.text("key")
            try fields.finish()
            guard let key else {
                throw .missing("key", Phrase("the key from the app's settings"))
            }
            try service.setOwnTracksKey(key, ofDevice: call.id)
            return .json(["deviceId": .string(call.id), "hasOwnTracksKey": true])
        })

    private static let remove = Route(
        "DELETE", "/v1/devices/{id}/owntracks-key", access: .admin,
        about: .init("Removes the key of the device's OwnTracks app", answer: "OwnTracksKeyState"),
        work: .write { service, call throws(Problem) in
            try service.setOwnTracksKey(nil, ofDevice: call.id)
            return .json(["deviceId": .string(call.id), "hasOwnTracksKey": false])
        })
}
