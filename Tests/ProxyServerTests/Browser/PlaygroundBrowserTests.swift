import TestSupport
import Testing

/// The playground, the overlay and the error page in a real browser; skipped like `BrowserTests` if there is none.
@Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: Browser.isInstalled || TestEnvironment.value("EDGEPRINT_ENGINES") == "required")
)
struct PlaygroundBrowserTests {
    @Test func `the playground works`() throws {
        let rig = try EndToEndRig(
            """
            signing: { keys: ["\(String(repeating: "ab", count: 32))"] }
            remote: { allow: ["127.0.0.1"], allow-private: true }
            """,
            script: ScriptedOrigin.pictures([
                "a.png": TestImages.gradient(width: 800, height: 600),
                "b.png": TestImages.gradient(width: 80, height: 60),
            ])
        )
        try rig.daemon.waitUntilReady()
        let scenarios = [
            "mouse", "keyboard", "handles", "errors", "urls", "srcset", "back", "sent", "measures", "static", "looks",
            "overlay", "wrong",
        ]
        try Browser.run(scenarios.map { ("playground.\($0)", rig.daemon) })
        withExtendedLifetime(rig) {}
    }
}
