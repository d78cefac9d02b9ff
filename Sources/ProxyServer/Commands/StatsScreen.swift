import Glibc
import LinuxSystem

/// The loop of `edgeprint stats --watch` on a terminal: reads, draws, and waits for a signal or the next reading.
struct StatsScreen {
    let client: AdminClient
    /// Seconds between two readings.
    let interval: Double
    let look: TerminalLook

    /// Runs until Ctrl-C or SIGTERM, or until the screen was drawn `count` times; then restores the terminal.
    ///
    /// - Throws: the failure of the first reading; later ones are shown, and repeated.
    func run(count: Int?) throws {
        let time = SystemTime()
        // Before the terminal is changed: nothing that happens from here on leaves it without a cursor.
        let signals = TerminalSignals()
        var dashboard = Dashboard()
        dashboard.add(try read(time))
        try StandardOutput.write(TerminalScreen.begin)
        defer { try? StandardOutput.write(TerminalScreen.end) }
        for number in 1... {
            if number > 1 {
                do {
                    dashboard.add(try read(time))
                } catch {
                    dashboard.fail("\(error)")
                }
            }
            try draw(dashboard)
            guard number != count else { return }
            let next = time.monotonic + Int64(interval * 1e9)
            while true {
                let left = Double(next - time.monotonic) / 1e9
                guard left > 0, let signal = signals.next(within: left) else { break }
                guard signal == SIGWINCH else { return }
                try draw(dashboard)
            }
        }
    }

    private func read(_ time: SystemTime) throws -> Dashboard.Reading {
        let statistics = try AdminClient.object(client.send("GET", "/stats"), with: "version")
        return Dashboard.Reading(
            statistics: statistics,
            metrics: try client.send("GET", "/metrics"),
            at: time.monotonic
        )
    }

    private func draw(_ dashboard: Dashboard) throws {
        try StandardOutput.write(TerminalScreen.frame(dashboard.lines(.current(), look, interval: interval)))
    }
}
