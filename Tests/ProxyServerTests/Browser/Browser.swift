import Foundation
import TestSupport
import Testing

/// Debian's Chromium, driven by `Tests/Browser/browser.py` with Playwright.
///
/// `scripts/install-engines` installs Playwright and axe-core, `scripts/install-packages chromium` the browser.
enum Browser {
    /// The Python of the environment with Playwright; `nil` if it is not installed.
    static let python: String? = {
        var folder = URL(filePath: DaemonProcess.buildFolder)
        while folder.path != "/" {
            let environment = folder.appending(path: "engines")
            let isInstalled = FileManager.default.fileExists(atPath: environment.appending(path: "playwright").path)
            if isInstalled { return environment.appending(path: "bin/python").path }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    /// Whether browser and driver are installed.
    static var isInstalled: Bool {
        python != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")
    }

    /// Runs scenarios, each `MODULE.FUNCTION` of `Tests/Browser` with its daemon, in one browser, and records their failures.
    ///
    /// Each page has a profile of its own. `EDGEPRINT_SHOTS` names a folder for screenshots.
    static func run(
        _ scenarios: [(name: String, daemon: DaemonProcess)],
        token: String = "",
        location: SourceLocation = #_sourceLocation
    ) throws {
        let program = try #require(python, "Playwright is missing: scripts/install-engines", sourceLocation: location)
        var arguments = [Checkout.path("Tests/Browser/browser.py"), "--token", token]
        if let folder = TestEnvironment.value("EDGEPRINT_SHOTS") { arguments += ["--shots", folder] }
        arguments += scenarios.map { name, daemon in
            "\(name)@http://127.0.0.1:\(daemon.admin),http://127.0.0.1:\(daemon.port)"
        }
        let run = try CommandRun(program: program, arguments)
        #expect(run.code == 0, "\(run.output)\(run.errors)", sourceLocation: location)
    }
}
