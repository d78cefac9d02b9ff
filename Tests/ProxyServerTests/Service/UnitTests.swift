import Foundation
import ImagePlan
import TestSupport
import Testing

/// The deployed units: the sandbox permits everything that the daemon and its workers need, and nothing more.
@Suite(.timeLimit(.minutes(2)), .enabled(if: BootedUnits.obstacle.isEmpty, "\(BootedUnits.obstacle)"))
struct UnitTests {
    private static let picture = TestImages.gradient(width: 400, height: 300)
    private let origin: ScriptedOrigin
    private var yaml: String {
        """
        overload: { queue-time: 20s }
        sources:
          web: { url: "http://localhost:\(origin.port)/", allow-private: true }
          files: { url: "file:///srv/" }

        """
    }

    init() throws {
        let frames = [[UInt8]](repeating: (0..<64).map { UInt8($0 % 4) }, count: 3)
        let animation = TestImages.gif(
            width: 8,
            height: 8,
            palette: [(0, 0, 0), (255, 0, 0), (0, 255, 0), (0, 0, 255)],
            frames: frames,
            delays: [10, 10, 10],
            loop: 0
        )
        origin = try ScriptedOrigin(ScriptedOrigin.pictures(["a.png": Self.picture, "a.gif": animation]))
    }

    private static let listeners = "listen: 127.0.0.1:0\nadmin: { listen: unix:/run/edgeprint/admin.sock }\n"

    /// Waits until the daemon is ready, with its canary; it is asked by the socket that `listeners` names.
    private func ready(_ units: BootedUnits) throws -> RawHTTPResponse {
        try waitFor {
            let path = units.root + "/run/edgeprint/admin.sock"
            let answer = try RawHTTPClient(unixPath: path, timeoutMilliseconds: 20_000).get("/readyz")
            return answer.status == 200 ? answer : nil
        }
    }

    /// Requests every format, from HTTP and file sources, including files that the daemon itself has encoded.
    private func makePictures(_ units: BootedUnits) throws {
        let folder = units.root + "/srv/"
        try Data(Self.picture).write(to: URL(fileURLWithPath: folder + "a.png"))
        for source in ["web", "files"] {
            for format in [ImageFormat.jpeg, .webp, .avif, .png] {
                let made = try units.get("/\(source)/a.png?w=200&blur=2&sharpen=1&format=\(format)")
                try expect(made, format, [200, 150])
                try Data(made.body).write(to: URL(fileURLWithPath: folder + "\(source).\(format)"))
                try expect(try units.get("/files/\(source).\(format)?w=100&round=max&format=png"), .png, [100, 75])
            }
        }
        try expect(try units.get("/web/a.png?w=90&h=90&fit=cover&gravity=attention&format=jpeg"), .jpeg, [90, 90])
        try expect(try units.get("/web/a.gif?w=4&format=gif"), .gif, [4, 4])
        try expect(try units.get("/web/a.gif?w=4&format=webp"), .webp, [4, 4])
    }

    private func expect(_ answer: RawHTTPResponse, _ format: ImageFormat, _ size: [Int]) throws {
        guard case .image(let header) = ImageSniffer.sniff(answer.body.span, totalLength: answer.body.count) else {
            Issue.record("\(format): \(answer.text)")
            return
        }
        #expect(header.format == format && [header.width, header.height] == size, "\(answer.description)")
    }

    /// The writable mounts, which must be the service's folders; path and options are the fifth and sixth field (proc(5)).
    private func expectReadOnly(_ mounts: String) throws {
        var options: [String: Substring] = [:]
        for mount in mounts.split(separator: "\n").map({ $0.split(separator: " ") }) {
            options[String(mount[4])] = mount[5]
        }
        #expect(options["/"]?.hasPrefix("ro,") == true)
        let writable = options.filter { $0.value.hasPrefix("rw,") && !$0.key.hasPrefix("/dev/") }.keys.sorted()
        #expect(writable == ["/proc", "/run/edgeprint", "/tmp", "/var/cache/private/edgeprint", "/var/tmp"])
    }

    /// Checks that no process was killed, and that only the daemon wrote to the log.
    private func expectPeace(_ units: BootedUnits) throws {
        #expect(try units.property("ActiveState") == "active")
        #expect(try units.property("NRestarts") == "0")
        let foreign = try units.journal().split(separator: "\n").filter { !$0.hasPrefix("{") }
        #expect(foreign.isEmpty, "\(foreign)")
    }

    @Test func `images of every format are made, even if /tmp is mounted noexec`() throws {
        let units = try BootedUnits(yaml)
        try makePictures(units)
        try expectPeace(units)
        let maps = try units.workers().map { try units.run("cat", "/proc/\($0)/maps").output }.joined()
        // Workers generate no code.
        #expect(maps.contains("libvips") && !maps.contains("orcexec") && !maps.contains(" rwx"))
    }

    @Test func `sockets and cache are restricted to root and the service's or nginx's group`() throws {
        let listeners = "listen: 127.0.0.1:0\nadmin: { listen: unix:/run/edgeprint/admin.sock }\n"
        let units = try BootedUnits(yaml, listeners: listeners)
        try makePictures(units)
        func mode(_ path: String) throws -> String {
            try units.run("stat", "-c", "%a %G", path).output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        #expect(try mode("/run/edgeprint.sock") == "660 www-data")
        #expect(try mode("/run/edgeprint/admin.sock").hasPrefix("660 "))
        // The command finds the socket without options.
        let stats = try units.run("edgeprint", "stats", "--json")
        #expect(stats.code == 0 && stats.output.contains("\"ready\":true"), "\(stats.errors)")
        let open = try units.run("find", "/var/cache/edgeprint/", "-perm", "/077").output
        #expect(open.isEmpty, "\(open)")
        try expectPeace(units)
    }

    /// A forbidden call kills its caller here, except for two that are optional for their callers: libdispatch raises a
    /// thread's priority, and libnuma (used by x265) queries the kernel's features.
    @Test func `no forbidden system call is made`() throws {
        let service = "SystemCallErrorNumber=kill\nSystemCallFilter=setpriority set_mempolicy"
        let units = try BootedUnits(yaml, service: service)
        try makePictures(units)
        try expectPeace(units)
        #expect(try units.run("systemctl", "stop", "edgeprint.service").code == 0)
        #expect(try units.property("Result") == "success")
    }

    @Test func `the sandbox forbids everything else to the daemon and its workers`() throws {
        let units = try BootedUnits(yaml)
        try makePictures(units)
        let processes = try [units.property("MainPID")] + units.workers()
        #expect(processes.count > 1)
        for process in processes {
            let status = try units.run("cat", "/proc/\(process)/status").output.split(separator: "\n")
            func value(_ name: String) -> String? {
                status.first { $0.hasPrefix(name + ":") }?.dropFirst(name.count + 1)
                    .trimmingCharacters(in: .whitespaces)
            }
            #expect(value("NoNewPrivs") == "1")
            #expect(value("Seccomp") == "2")
            for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] { #expect(value(set) == "0000000000000000") }
            #expect(value("Uid").map { !$0.split(separator: "\t").contains("0") } == true)
            try expectReadOnly(try units.run("cat", "/proc/\(process)/mountinfo").output)
        }
    }

    /// Namespaces are missing: the unit forbids them.
    @Test func `the workers' own sandbox is required and in force`() throws {
        let units = try BootedUnits(yaml, listeners: Self.listeners)
        try makePictures(units)
        let answer = try ready(units)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        let sandbox = try #require(document["sandbox"] as? [String: Any], "\(answer.text)")
        #expect(sandbox["mode"] as? String == "require")
        #expect((sandbox["landlock"] as? Int).map { $0 >= 1 } == true)
        let layers = try #require(sandbox["layers"] as? [String: String])
        for layer in ["no-new-privileges", "seccomp", "landlock", "undumpable-daemon"] {
            #expect(layers[layer] == "in force", "\(layer)")
        }
        try expectPeace(units)
    }

    @Test func `the daemon cannot be inspected by its user, and its environment has no settings`() throws {
        let key = String(repeating: "5ec2e7", count: 11)
        let listeners = "listen: 127.0.0.1:0\nadmin: { listen: unix:/run/edgeprint/admin.sock }\n"
        let units = try BootedUnits(yaml, service: "Environment=EDGEPRINT_SIGNING_KEYS=\(key)", listeners: listeners)
        try makePictures(units)
        let process = "/proc/" + (try units.property("MainPID"))
        // The kernel gives the files of a process that its user may not inspect to root.
        #expect(try units.run("stat", "-c", "%u", process + "/environ").output == "0\n")
        let identity = try units.run("grep", "^Uid:", process + "/status").output
        #expect(!identity.split(whereSeparator: \.isWhitespace).contains("0"), "\(identity)")
        let environment = try units.run("cat", process + "/environ").output
        #expect(!environment.contains("EDGEPRINT_") && !environment.contains(key))
        #expect(environment.contains("PATH="))
        // The daemon still measures its workers, although ProtectProc= hides processes that it could not inspect.
        let client = try RawHTTPClient(unixPath: units.root + "/run/edgeprint/admin.sock", timeoutMilliseconds: 20_000)
        let resident = try client.get("/metrics").text.split(separator: "\n")
            .first { $0.hasPrefix("edgeprint_worker_resident_bytes ") }
        #expect(resident.flatMap { Int($0.split(separator: " ")[1]) }.map { $0 > 1 << 20 } == true, "\(resident ?? "")")
        try expectPeace(units)
    }

    @Test func `a killed worker does not affect the service`() throws {
        let units = try BootedUnits(yaml, listeners: Self.listeners)
        let main = try units.property("MainPID")
        // If all workers end before the first greeting, or the canary each time, the installation counts as broken.
        try expect(try units.get("/web/a.png?w=40&format=png"), .png, [40, 30])
        _ = try ready(units)
        for round in 1...3 {
            for worker in try units.workers() { try units.run("kill", "-KILL", worker) }
            try expect(try units.get("/web/a.png?w=\(round * 4)&format=png"), .png, [round * 4, round * 3])
        }
        #expect(try units.property("MainPID") == main)
        try expectPeace(units)
    }

    @Test func `a restart keeps the cache and refuses no connection`() throws {
        let units = try BootedUnits(yaml)
        let first = try units.get("/web/a.png?w=50&format=png")
        let main = try units.property("MainPID")
        try units.run("systemctl", "restart", "--no-block", "edgeprint.service")
        // The socket stays open, so clients wait meanwhile.
        for _ in 0..<50 { #expect(try units.get("/").status == 200) }
        try waitWhile(units.property("ActiveState") != "active" || units.property("MainPID") == main)
        let second = try units.get("/web/a.png?w=50&format=png")
        #expect(second["Cache-Status"] == "edgeprint; hit; detail=disk")
        #expect(second.body == first.body)
    }

    @Test func `a daemon that hangs is killed and restarted`() throws {
        let units = try BootedUnits(yaml, service: "WatchdogSec=1s\nRestartSec=0")
        try units.run("kill", "-STOP", try units.property("MainPID"))
        try waitWhile(units.property("NRestarts") == "0")
        #expect(try units.get("/web/a.png?w=50&format=png").status == 200)
    }

    @Test func `a reload applies another configuration`() throws {
        let units = try BootedUnits(yaml)
        let main = try units.property("MainPID")
        #expect(try units.get("/more/a.png").status == 404)
        let more = "  more: { url: \"http://localhost:\(origin.port)/\", allow-private: true }\n"
        try (DaemonProcess.listeners + yaml + more)
            .write(toFile: units.root + "/etc/edgeprint/edgeprint.yaml", atomically: false, encoding: .utf8)
        #expect(try units.run("systemctl", "reload", "edgeprint.service").code == 0)
        try waitWhile(units.get("/more/a.png?w=50&format=png").status != 200)
        #expect(try units.property("MainPID") == main)
    }
}
