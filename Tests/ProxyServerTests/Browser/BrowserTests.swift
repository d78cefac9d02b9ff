import TestSupport
import Testing

/// The pages of the admin listener in a real browser.
///
/// `make test` installs it and requires it; without it, `swift test` alone skips these.
@Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: Browser.isInstalled || TestEnvironment.value("EDGEPRINT_ENGINES") == "required")
)
struct BrowserTests {
    private func rig(_ extra: String = "") throws -> EndToEndRig {
        let pictures = [
            "a.png": TestImages.gradient(width: 64, height: 48), "b.png": TestImages.gradient(width: 80, height: 60),
        ]
        return try EndToEndRig(extra, script: ScriptedOrigin.pictures(pictures))
    }

    @Test func `the Live page works`() throws {
        // Each with a daemon of its own, as they count what it has done.
        var scenarios = try ["moves", "forms", "hidden", "keyboard", "static", "looks"].map { ($0, try rig()) }
        scenarios.append(("crowded", try rig("events: { subscribers: 1 }")))
        for (_, rig) in scenarios { try rig.daemon.waitUntilReady() }
        try Browser.run(scenarios.map { name, rig in ("live.\(name)", rig.daemon) })
        withExtendedLifetime(scenarios) {}
    }

    @Test func `a browser signs in with the token, and out`() throws {
        let folder = try TemporaryFolder()
        let daemon = try DaemonProcess(
            "cache: { path: \"\(folder.path)/cache\" }\n",
            in: folder,
            listeners: "listen: 127.0.0.1:0\nadmin: { listen: \"127.0.0.1:0\", token: letmeinplease }\n"
        )
        try daemon.waitUntilReady()
        try Browser.run([("live.sign_in", daemon), ("playground.session", daemon)], token: "letmeinplease")
    }
}
