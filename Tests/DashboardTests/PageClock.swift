import TestSupport

extension Browser {
    /// Replaces the clock and the timers of all pages that are opened from now on. The clock runs as usual, and can be advanced.
    func replaceClock() throws {
        try addScript(Self.clock)
    }

    /// Advances the page's clock in small steps, so that all timers run in order.
    func advanceClock(seconds: Double) throws { try evaluate("await pageClock.advance(\(seconds))") }

    /// Advances the page's clock second by second until a JavaScript expression is true.
    func advanceClock(until condition: String) throws {
        try evaluate("while (!(\(condition))) await pageClock.advance(1)")
    }

    /// Stops the page's clock, which then only moves when it is advanced, no matter how long anything takes. Waits until all
    /// requests have been answered, because their timeouts would end when the clock is advanced.
    func stopClock() throws {
        try wait(until: "pageClock.requests === 0")
        try evaluate("pageClock.stop()")
    }

    /// Lets the page's clock run again from its current time.
    func startClock() throws { try evaluate("pageClock.start()") }

    /// Sets the page's clock forward at once, as it is after the computer has slept.
    func sleep(seconds: Double) throws { try evaluate("pageClock.sleep(\(seconds))") }

    private static let clock = """
        (() => {
            const real = {
                setTimeout: setTimeout.bind(window), clearTimeout: clearTimeout.bind(window), setInterval: setInterval.bind(window),
                Date, now: performance.now.bind(performance),
            }
            let ahead = 0
            let count = 0
            const timers = new Map()
            // When the clock was stopped, in milliseconds; null while it runs.
            let stopped = null
            const now = () => (stopped?.date ?? real.Date.now()) + ahead
            const run = () => {
                for (;;) {
                    const due = [...timers].filter(([, timer]) => timer.at <= now()).sort((a, b) => a[1].at - b[1].at)[0]
                    if (!due) return
                    const [id, timer] = due
                    if (timer.every === undefined) timers.delete(id)
                    else timer.at = Math.max(timer.at + timer.every, now() - timer.every + 1)
                    timer.action(...timer.values)
                }
            }
            const add = (action, delay = 0, values, every) => {
                count += 1
                timers.set(count, { action, at: now() + Math.max(delay, 1), values, every })
                return count
            }
            window.setTimeout = (action, delay, ...values) => add(action, delay, values)
            window.setInterval = (action, delay, ...values) => add(action, delay, values, Math.max(delay, 1))
            window.clearTimeout = window.clearInterval = id => timers.delete(id)
            window.Date = class extends real.Date {
                constructor(...values) { super(...(values.length ? values : [now()])) }
                static now() { return now() }
            }
            performance.now = () => (stopped?.now ?? real.now()) + ahead
            real.setInterval(run, 5)
            const fetch = window.fetch.bind(window)
            window.fetch = async (...values) => {
                pageClock.requests += 1
                try { return await fetch(...values) } finally { pageClock.requests -= 1 }
            }
            window.pageClock = {
                real,
                // The number of requests that wait for an answer.
                requests: 0,
                async advance(seconds) {
                    for (const end = ahead + seconds * 1000; ahead < end;) {
                        ahead += 200
                        run()
                        await new Promise(done => real.setTimeout(done, 1))
                    }
                },
                sleep(seconds) { ahead += seconds * 1000 },
                stop() { stopped ??= { date: real.Date.now(), now: real.now() } },
                start() {
                    ahead -= real.Date.now() - stopped.date
                    stopped = null
                },
            }
        })()
        """
}
