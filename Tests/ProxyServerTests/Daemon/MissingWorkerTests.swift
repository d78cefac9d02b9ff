import Foundation
import TestSupport
import Testing

/// A daemon whose `edgeprint-worker` is missing at first.
@Suite(.timeLimit(.minutes(1)))
struct MissingWorkerTests {
    private let picture = TestImages.gradient(width: 64, height: 48)

    @Test func `is not ready, names the file, caches no failure, and becomes ready when a worker starts`() throws {
        let folder = try TemporaryFolder()
        let (binary, worker) = (folder.path + "/edgeprint", folder.path + "/edgeprint-worker")
        try FileManager.default.copyItem(atPath: DaemonProcess.buildFolder + "/edgeprint", toPath: binary)
        let origin = try ScriptedOrigin(ScriptedOrigin.pictures(["a.png": picture]))
        let yaml = """
            sources: { photos: { url: "\(origin.url)/", allow-private: true } }
            cache: { path: "\(folder.path)/cache" }

            """
        let daemon = try DaemonProcess(yaml, in: folder, binary: binary)
        try daemon.waitForLog("no worker can be started")
        let admin = try RawHTTPClient(port: daemon.admin)
        let unready = try admin.get("/readyz")
        #expect(unready.status == 503)
        #expect(unready.text.contains("\"workers\":\"failing: \(worker) does not exist; "), "\(unready.text)")
        #expect(try admin.get("/stats").text.contains("\"ready\":false"))
        #expect(!daemon.logText.contains("\"message\":\"ready\"") && daemon.logText.contains(worker))
        let lost = try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get("/photos/a.png?w=8&format=png")
        #expect(lost.status == 503 && lost["Retry-After"] != nil && lost["Cache-Control"] == "no-store")
        #expect(lost.text.contains("no worker can be started") && !lost.text.contains(folder.path), "\(lost.text)")
        // Requests that need no worker are served.
        #expect(try RawHTTPClient(port: daemon.port).get("/photos/a.png").body == picture)
        try FileManager.default.createSymbolicLink(
            atPath: worker,
            withDestinationPath: DaemonProcess.buildFolder + "/edgeprint-worker"
        )
        #expect(try daemon.waitUntilReady().contains("\"workers\":\"ok\""))
        try daemon.waitForLog("workers can be started again")
        let made = try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get("/photos/a.png?w=8&format=png")
        #expect(made.status == 200)
    }
}
