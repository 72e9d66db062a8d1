import Model

extension Command {
    /// The command `picket bench`. `picket` lists the command and checks its arguments; `picket-bench` runs it.
    package static func bench(run: @escaping @Sendable (Invocation) throws(Problem) -> ExitStatus) -> Command {
        Command(
            name: "bench", summary: "Measure speed and memory on this machine.",
            arguments: "[feed|startup|reconcile|engine|service|sinks|blocked]",
            count: 0...1,
            choices: ["feed", "startup", "reconcile", "engine", "service", "sinks", "blocked"],
            options: [
                Option(
                    "--fixes", value: "N",
                    help:
                        "Rows of the feed, positions sent to the service in batches, unordered positions (1000000; with --dense 2000000)"
                ),
                Option("--geofences", value: "N", help: "Number of circles for feed and service (10000; with --dense 100000)"),
                Option("--requests", value: "N", help: "Number of single positions sent to the service (300000)"),
                Option("--dense", "For service: moving devices among circles that all lie in one square degree"),
                Option("--devices", value: "N", help: "For service with --dense: number of devices (10000)"),
                Option(
                    "--events", value: "N",
                    help: "For sinks: number of events that wait for a sink (1000000); for blocked: events to search (288000)"),
                Option(
                    "--broker", value: "URL",
                    help: "For sinks: also publish to this MQTT broker, for example mqtt://127.0.0.1:1883"),
                Option(
                    "--workload", value: "MOTION",
                    help:
                        "For engine: run only this fixed workload, for counting instructions: walking, driving or teleporting"
                ),
                Option(
                    "--scenario", value: "NAME", isRepeatable: true,
                    help: "For blocked: only this situation, such as wide-geofences; an unknown name lists all"),
                Option("--short", "Use a tenth of the load for service, sinks, blocked and engine, as a quick check"),
                Option("--keep", value: "DIR", help: "Work in this directory, and keep its files afterward"),
            ],
            discussion: """
                feed: a CSV of N rows of 1,000 devices that drive, interleaved, against circles of 100 to 500 m, stored with a synced
                commit every 20,000 rows. startup: commands over a store of 100,000 geofences. Both run the program 'picket' itself, as you
                would. reconcile: plans and health of phones among 100,000 geofences, in memory. engine: the
                transition engine alone, one core, by motion, policy and number of geofences. service: 'picket serve' over
                real sockets: positions in batches and one by one, live streams, memory; processor time is the service's alone. service
                --dense: 15 in 100 positions cross a boundary, sent in batches and one by one with both durabilities, each time to a new
                store; then how long a position waits while devices and geofences are edited. sinks: webhooks of a backlog (and messages to a broker), and from a position to the webhook of its event.
                blocked: how long positions and other requests wait while a service handles what once blocked it, such as a late position after
                a restart or the import of a faulty polygon.
                The program picket-bench runs the benchmarks; packages do not include it. Build it and picket with 'swift build -c release' first.
                """,
            noServer: .needsNoService(Phrase("the command measures a service that it starts itself")),
            examples: [
                "picket bench", "picket bench feed --fixes 200000 --json", "picket bench engine", "picket bench service --short",
                "picket bench service --dense --geofences 10000",
            ], run: run)
    }
}
