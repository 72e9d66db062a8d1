import Client
import Core
import Model
import Places
import Service
import ToolSupport

/// The commands `picket token …`.
enum TokenCommands {
    static let all = [create, list, revoke]

    static let create = Command(
        name: "token create", summary: "Create an access token for the service.", arguments: "NAME", count: 1...1,
        options: FieldOptions.of(Token.fields) + [
            Option(
                "--device", value: "ID", isRepeatable: true,
                help: "Only for this device: a reader sees only this device, an ingest token reports only its positions"),
            Option("--group", value: "NAME", isRepeatable: true, help: "Only for the devices that belong to this group"),
            Option("--expires", value: "DURATION", help: "How long it is valid, for example 90d or 12h; default: forever"),
        ] + Option.client,
        discussion:
            "The secret is shown only once and is not stored. Before the first token is created, a service that can be\n"
            + "reached only from this machine accepts requests without a token. After that, every request needs one.\n"
            + "With --device and --group, other devices do not exist for the token. The service looks up the members of a group\n"
            + "at each request.",
        examples: [
            "picket token create anna --role admin",
            "picket token create \"Van 7\" --role ingest --device van-7 --expires 90d",
            "picket token create grandma --role reader --group family --device dog",
        ]
    ) { invocation throws(Problem) in
        let wanted = try wanted(invocation)
        let lifetime = try lifetime(invocation)
        let created = try invocation.editor()
            .createToken(name: wanted.name, role: wanted.role, scope: wanted.scope, lifetime: lifetime)
        let output = invocation.output
        if invocation.isJSON {
            output.print(created.json.description)
            return .done
        }
        let token = created.token
        let rights = description(of: token, in: invocation.timeZone)
        invocation.print(Phrase("Created token \(token.id) for \(Format.printable(token.name)): \(rights)."))
        output.print()
        output.print("  \(created.secret)")
        output.print()
        invocation.print(Phrase("Save it now: it is not shown again."))
        return .done
    }

    /// The token that the arguments describe, without id and times.
    private static func wanted(_ invocation: Invocation) throws(Problem) -> Token {
        let help = "picket token create --help"
        if !invocation.has("--role") {
            throw .usage(reason: Phrase("A token needs a role: --role admin, reader or ingest"), help: help)
        }
        let (devices, groups) = (invocation.all("--device"), invocation.all("--group"))
        let scope = devices.isEmpty && groups.isEmpty ? nil : DeviceScope(devices: devices, groups: groups)
        var token = Token(id: "", name: invocation.words[0], role: .ingest, scope: scope, createdAt: .earliest)
        try FieldOptions.change(&token, Token.fields, by: invocation)
        if scope != nil, token.role == .admin { throw .usage(reason: .adminHasAllDevices, help: help) }
        return token
    }

    private static func lifetime(_ invocation: Invocation) throws(Problem) -> Double? {
        guard let text = invocation.value("--expires") else { return nil }
        return try TimeSpan.seconds(
            text, field: "--expires", in: TimeSpan.moreThanNone...TimeSpan.longest,
            or: .leftOutForNoExpiry)
    }

    static let list = Command(
        name: "token list", summary: "List the tokens.",
        options: [Option("--all", "Include revoked tokens")] + Option.client,
        examples: ["picket token list", "picket token list --all --json"]
    ) { invocation throws(Problem) in
        let service = try invocation.reader()
        let now = SystemClock().now()
        invocation.printList(
            try service.tokens(revoked: invocation.has("--all")), json: \.json,
            ifEmpty: .emptyList(
                Phrase("No tokens in \(service.location)."), hint: Phrase("Create one:"),
                command: "picket token create NAME --role admin"),
            headings: Phrase("ID|NAME|ROLE|DEVICES|CREATED|LAST USED|EXPIRES")
        ) { token in
            let end =
                token.expiresAt.map { end -> Phrase in
                    let time = Format.time(end, in: invocation.timeZone)
                    return token.hasExpired(at: now) ? Phrase("expired \(time)") : .verbatim(time)
                } ?? Phrase("never")
            let revoked = token.revokedAt.map { Phrase("revoked \(Format.time($0, in: invocation.timeZone))") }
            return [
                token.id, Format.printable(token.name), token.role.rawValue,
                invocation.text(token.scope.map(list) ?? Phrase("all")), Format.time(token.createdAt, in: invocation.timeZone),
                invocation.text(lastUse(of: token, in: invocation.timeZone)),
                invocation.text(revoked ?? end),
            ]
        }
        return .done
    }

    static let revoke = Command(
        name: "token revoke", summary: "Revoke a token.", arguments: "ID", count: 1...1, options: Option.client,
        discussion: "The token gives no access from now on. 'picket token list --all' still lists it.",
        examples: ["picket token revoke k3fq9zv2"]
    ) { invocation throws(Problem) in
        let token = try invocation.editor().revokeToken(id: invocation.words[0])
        invocation.print(token.json, or: Phrase("Revoked token \(token.id) of \(Format.printable(token.name))."))
        return .done
    }

    private static func description(of token: Token, in zone: LocalTimeZone) -> Phrase {
        let role =
            token.scope.map { Phrase("role \(token.role.rawValue), only for \(list($0))") }
            ?? Phrase("role \(token.role.rawValue)")
        return token.expiresAt.map { Phrase("\(role), valid until \(Format.time($0, in: zone))") } ?? role
    }

    /// When a token was last used, and the device for which it reported if it may report for several.
    private static func lastUse(of token: Token, in zone: LocalTimeZone) -> Phrase {
        guard let time = token.lastUsedAt.map({ Format.time($0, in: zone) }) else { return Phrase("never") }
        guard token.onlyDevice == nil, let device = token.lastDevice else { return .verbatim(time) }
        return Phrase("\(time) for \(Format.printable(device))")
    }

    /// The devices and groups of a scope, such as `anna, group family`.
    private static func list(_ scope: DeviceScope) -> Phrase {
        let names: [Phrase] =
            scope.listedIDs.map { .verbatim(Format.printable($0)) }
            + scope.groups.sorted().map { Phrase("group \(Format.printable($0))") }
        return names.isEmpty ? Phrase("none") : .joined(names, separator: ", ")
    }
}
