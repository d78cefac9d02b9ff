import Foundation
import ImagePlan
import TestSupport
import Testing

/// A daemon whose workers lack encoders: a script that greets as such a worker, and answers each job with a recorded reply.
@Suite(.timeLimit(.minutes(1)))
struct EncoderlessWorkerTests {
    private static let picture = TestImages.gradient(width: 64, height: 48)
    private static let all = [("Accept", "image/avif,image/jxl,image/webp")]

    /// Starts a daemon with a worker that encodes some formats, and whose every result is said to be a WebP of three bytes.
    private func daemon(encoding formats: Set<ImageFormat>, in folder: TemporaryFolder, _ origin: ScriptedOrigin) throws
        -> DaemonProcess
    {
        func save(_ bytes: [UInt8], _ name: String) throws {
            try Data(bytes).write(to: URL(filePath: folder.path + "/" + name))
        }
        try save(try WorkerMessage.encodeReady(WorkerGreeting(WorkerPosture(), encoded: formats)), "greeting")
        for id in 1...4 {
            let output = WorkerReply.Output(
                format: .webp,
                width: 20,
                height: 15,
                frames: 1,
                hasAlpha: false,
                length: 3
            )
            let reply = WorkerReply(id: UInt64(id), result: .success([output]), timing: .init())
            try save(try reply.encoded(inline: [[1, 2, UInt8(id)]]), "reply-\(id)")
        }
        try save([], "jobs")
        let (binary, worker) = (folder.path + "/edgeprint", folder.path + "/edgeprint-worker")
        try FileManager.default.copyItem(atPath: DaemonProcess.buildFolder + "/edgeprint", toPath: binary)
        let script = """
            #!/bin/sh
            cat '\(folder.path)/greeting' >&3
            while dd bs=200000 count=1 <&3 2>/dev/null | grep -q .; do
              echo job >> '\(folder.path)/jobs'
              cat "\(folder.path)/reply-$(wc -l < '\(folder.path)/jobs')" >&3
            done

            """
        try save(Array(script.utf8), "edgeprint-worker")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: worker)
        let yaml = """
            sources: { photos: { url: "\(origin.url)/", allow-private: true } }
            workers: { sandbox: off, count: 1 }
            cache: { path: off }

            """
        return try DaemonProcess(yaml, in: folder, binary: binary)
    }

    @Test(arguments: [
        (formats: [ImageFormat.jpeg, .png, .webp], shared: ["image/webp", "image/avif", "image/jxl"]),
        (formats: [.jpeg, .png, .webp, .avif], shared: ["image/avif", "image/avif,image/webp"]),
        (formats: [.jpeg, .png, .webp, .jxl], shared: ["image/jxl", "image/webp,image/jxl"]),
    ])
    func `clients share the variants of those that accept only what workers encode`(
        formats: [ImageFormat],
        shared: [String]
    ) throws {
        let folder = try TemporaryFolder()
        let origin = try ScriptedOrigin(ScriptedOrigin.pictures(["a.png": Self.picture]))
        let daemon = try daemon(encoding: Set(formats), in: folder, origin)
        _ = try daemon.waitUntilReady()
        func get(_ fields: [(String, String)]) throws -> RawHTTPResponse {
            try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000).get("/photos/a.png?w=20", fields)
        }
        let first = try get(Self.all)
        #expect(first.status == 200 && first["Vary"]?.contains("Accept") == true, "\(first.description)")
        for accept in shared {
            let other = try get([("Accept", accept)])
            #expect(other["Cache-Status"] == "edgeprint; hit; detail=memory" && other.body == first.body, "\(accept)")
        }
        // Another bucket is a job of its own.
        #expect(try get([("Accept", "*/*")]).body != first.body)
    }
}
