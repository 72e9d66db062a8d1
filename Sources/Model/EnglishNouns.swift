extension English {
    func words(_ subject: ProblemSubject) -> String {
        switch subject {
        case .verbatim(let text): text
        case .recorded(let texts): texts[.english] ?? ""
        case .address: "The address"
        case .anotherProgram: "another program"
        case .answer(let peer): "The answer from \(peer)"
        case .archived(let archive, let name): "\(words(archive)): \(name)"
        case .body: "The body"
        case .explanation: "The explanation"
        case .line(let subject, let line): "\(words(subject)):\(line)"
        case .longQuery: "a long query of the service (such as a check or a backup)"
        case .message(let topic): "The message on '\(topic)'"
        case .messageTo(let peer): "A message to \(peer)"
        case .process("", let number): "process \(number)"
        case .process(let command, let number): "'\(command)' (process \(number))"
        case .qrCode: "The QR code"
        case .qrCodeText: "The text of the QR code"
        case .registryJournal: "The registration journal"
        case .request: "The request"
        case .service: "The service's answer"
        case .simulatedRegistry: "The simulated registry"
        case .standardInput: "Standard input"
        }
    }

    func words(_ kind: ItemKind) -> String {
        switch kind {
        case .address: "address"
        case .alarm: "alarm"
        case .clientID: "client id"
        case .device: "device"
        case .directory: "directory"
        case .file: "file"
        case .geofence: "geofence"
        case .group: "group"
        case .parkedEvent: "rejected event"
        case .placeInTrack: "point of a track"
        case .problem: "problem"
        case .repair: "repair"
        case .rule: "rule"
        case .sink: "sink"
        case .token: "token"
        case .total: "total"
        case .visit: "visit"
        }
    }

    func words(_ kind: JSONObjectKind) -> String {
        switch kind {
        case .action: "an action"
        case .device: "a device"
        case .deviceChange: "a change to several devices"
        case .enrollment: "an enrollment"
        case .filter: "a filter"
        case .geofence: "a geofence"
        case .group: "a group"
        case .key: "a key"
        case .observation: "an observation"
        case .policy: "a policy"
        case .preferences: "preferences"
        case .rateLimit: "a rate limit"
        case .regionReport: "a region list"
        case .replay: "a replay"
        case .rule: "a rule"
        case .ruleOfEvent: "the rule of an event"
        case .signIn: "a sign-in"
        case .sink: "a sink"
        case .token: "a token"
        }
    }

    func words(_ content: JSONContent) -> String {
        switch content {
        case .text: "text"
        case .number: "number"
        case .trueOrFalse: "true or false as"
        case .time: "time"
        case .knownWord: "known word"
        case .list: "list"
        case .object: "object"
        }
    }
}
