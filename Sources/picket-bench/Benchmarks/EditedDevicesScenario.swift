import Core
import Model

extension BlockedBenchmark {
    /// Many devices get another setting: all by one edit, and all that inherit it from their group.
    func measureEditedDevices() throws(Problem) {
        let count = isShort ? 200 : 10_000
        let data = data("edited")
        try withService(data) { service throws(Problem) in
            var devices = DenseDevices(count, seed: 1)
            try service.preload(count, of: &devices)
            let all = "\(Format.number(count)) devices"
            func measure(_ name: String, _ method: String, _ path: String, _ body: String) throws(Problem) {
                try measurePositions(name, beside: service) { () throws(Problem) in
                    _ = try service.send(.init(method, path, body: body))
                }
            }
            try measure(
                "\(all) join a group", "POST", "/v1/devices:edit", #"{"all":true,"patch":{"groups":["fleet"],"policy":null}}"#)
            try measure("a value of their group", "PATCH", "/v1/groups/fleet", #"{"silentAfter":7200}"#)
            try measure("a policy of their group", "PATCH", "/v1/groups/fleet", #"{"policy":{"confirmFixes":2}}"#)
            try measure("a policy of \(all)", "POST", "/v1/devices:edit", #"{"all":true,"patch":{"policy":{"confirmFixes":3}}}"#)
        }
    }
}
