import TestSupport
import Testing

/// `<edge-picture>` of `clients/js` in a real browser; skipped like `BrowserTests` if there is none.
@Suite(
    .timeLimit(.minutes(3)),
    .enabled(if: Browser.isInstalled || TestEnvironment.value("EDGEPRINT_ENGINES") == "required")
)
struct ClientBrowserTests {
    @Test func `the element works`() throws {
        let rig = try EndToEndRig(
            "signing: { keys: [\"\(String(repeating: "ab", count: 32))\"], required: true }",
            script: ScriptedOrigin.pictures(["a.png": TestImages.gradient(width: 1440, height: 960)])
        )
        try rig.daemon.waitUntilReady()
        let scenarios = [
            "right_variant", "blur_up", "layout", "content_width", "no_width", "growth", "recycling", "attributes",
            "signatures",
        ]
        try Browser.run(scenarios.map { ("clients.\($0)", rig.daemon) })
        withExtendedLifetime(rig) {}
    }
}
