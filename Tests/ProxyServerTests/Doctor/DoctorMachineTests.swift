import Glibc
import ImagePipeline
import ImagePlan
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct DoctorMachineTests {
    @Test func `finds nothing on a suitable machine`() throws {
        var probe = RecordedProbe()
        probe.statuses["/srv/images"] = FileStatus(kind: .folder, mode: 0o755)
        let configuration = try load("sources: { local: { url: \"file:///srv/images\" } }")
        let findings = Doctor(LoadedConfiguration(configuration: configuration)).run(probe)
        #expect(findings.allSatisfy { $0.severity == .ok && $0.fix == nil }, "\(findings)")
        #expect(findings.count > 15)
    }

    @Test func `compares descriptors with the configured connections`() {
        let check = DescriptorLimitCheck(connections: 10_000, workers: 3)
        #expect(check.complaint { _ in } == "")
        #expect(check.complaint { $0.limits[.files] = ResourceLimit() } == "")
        // The daemon raises the soft limit.
        #expect(check.complaint { $0.limits[.files] = ResourceLimit(soft: 64, hard: 13_068) } == "")
        let few = check.complaint { $0.limits[.files] = ResourceLimit(soft: 1024, hard: 1024) }
        #expect(few.hasPrefix("warning: 1024 descriptors"))
        #expect(few.contains("LimitNOFILE=13068") && few.contains("ulimit -n 13068"), "\(few)")
        // Waiting writes of a shared store keep files open, too.
        let shared = DescriptorLimitCheck(connections: 10_000, workers: 3, hasSharedStore: true)
        let more = shared.complaint { $0.limits[.files] = ResourceLimit(soft: 1024, hard: 13_068) }
        #expect(more.contains("LimitNOFILE=13468"), "\(more)")
        let hardlyAny = check.complaint { $0.limits[.files] = ResourceLimit(soft: 64, hard: 64) }
        #expect(hardlyAny.hasPrefix("failure: 64 descriptors"))
    }

    @Test func `detects hard limits below a worker's limits`() {
        let check = ProcessLimitCheck(workerMemory: 2 << 30)
        let space = check.complaint { $0.limits[.addressSpace] = ResourceLimit(soft: 1 << 30, hard: 1 << 30) }
        #expect(space.hasPrefix("failure: ") && space.contains("workers.memory"))
        #expect(check.complaint { $0.limits[.addressSpace] = ResourceLimit(soft: 1, hard: nil) } == "")
        #expect(check.complaint { $0.limits[.fileSize] = ResourceLimit(soft: 1, hard: 1) }.contains("LimitFSIZE"))
        #expect(check.complaint { $0.limits[.core] = ResourceLimit() }.hasPrefix("note: a crash"))
    }

    @Test func `reads memory limits of control groups of both versions, including ancestors`() {
        var configuration = Configuration()
        configuration.cache.memorySize = .bytes(512 << 20)
        configuration.workers.decodeBytes = 512 << 20
        let check = MemoryCheck(configuration: configuration)
        #expect(check.complaint { _ in } == "")
        let second = check.complaint {
            $0.texts["/sys/fs/cgroup/system.slice/edgeprint.service/memory.max"] = "max\n"
            $0.texts["/sys/fs/cgroup/system.slice/memory.max"] = "\(512 << 20)\n"
        }
        #expect(second.contains("the control group is limited to 512 MiB"), "\(second)")
        let first = check.complaint {
            $0.texts["/proc/self/cgroup"] = "5:cpu,cpuacct:/\n4:memory:/docker/abc\n1:name=systemd:/x:y\n"
            $0.texts["/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes"] = "\(1 << 30)\n"
            $0.texts["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "9223372036854771712\n"
        }
        #expect(first.contains("MemoryMax"), "\(first)")
        let container = check.complaint {
            $0.texts["/proc/self/cgroup"] = "0::/\n"
            $0.texts["/sys/fs/cgroup/memory.max"] = "\(100 << 20)"
        }
        #expect(container.contains("100 MiB"))
        #expect(check.complaint { $0.texts["/proc/meminfo"] = "MemTotal: 500000 kB" }.contains("488 MiB"))
        #expect(check.complaint { $0.texts = [:] }.hasPrefix("note"))
    }

    @Test func `detects kernels that lack required features`() {
        let check = KernelCheck()
        #expect(check.complaint { $0.kernelRelease = "5.4.0-generic" }.contains("openat2"))
        #expect(check.complaint { $0.kernelRelease = "5.8.1" }.hasPrefix("warning"))
        #expect(check.complaint { $0.kernelRelease = "5.10.0" } == "")
        #expect(check.complaint { $0.kernelRelease = "weird" }.hasPrefix("note"))
        #expect(check.complaint { $0.sealsMemoryFiles = false }.hasPrefix("failure"))
        #expect(check.complaint { $0.ioUringError = ENOSYS } == "")
        #expect(PressureCheck().told { $0.texts = [:] } == ["note pressure"])
        let squeezed = PressureCheck().complaint {
            $0.texts["/proc/pressure/memory"] = "some avg10=50.00 avg60=23.40 avg300=1.00 total=9\n"
        }
        #expect(squeezed.contains("in 23 %"), "\(squeezed)")
    }

    @Test func `reports the sandbox that a worker found in force, with the kernel's reasons`() throws {
        func finding(_ mode: SandboxMode, _ change: (inout WorkerPosture) -> Void) throws -> Finding {
            var probe = RecordedProbe()
            var capabilities = try #require(try probe.workerAnswer.get())
            var posture = RecordedProbe.posture
            change(&posture)
            capabilities.posture = posture
            probe.workerAnswer = .success(capabilities)
            let findings = WorkerCheck(memory: 2 << 30, sandbox: mode).findings(probe)
            return try #require(findings.first { $0.subject == "worker sandbox" })
        }
        let whole = try finding(.require) { _ in }
        #expect(whole.severity == .ok && whole.message.contains("seccomp, landlock 7, landlock-tcp"), "\(whole)")
        let few = try finding(.require) { posture in
            posture.outcomes.removeAll { $0.layer == .userNamespace }
            posture.outcomes.append(.init(.userNamespace, error: Int(EPERM)))
        }
        #expect(
            few.severity == .note && few.message.contains("missing: user-namespace (Operation not permitted)"),
            "\(few)"
        )
        let open: (inout WorkerPosture) -> Void = { posture in
            posture.outcomes.removeAll { $0.layer == .landlock || $0.layer == .systemCallFilter }
            posture.outcomes.append(.init(.landlock, error: Int(ENOSYS)))
        }
        let best = try finding(.best, open)
        #expect(
            best.severity == .warning && best.message.contains("seccomp, landlock (Function not implemented)"),
            "\(best)"
        )
        #expect(try finding(.require, open).severity == .failure)
        let called = try finding(.best) { $0.calls = [.init(name: "getpriority", isAllowed: true)] }
        #expect(called.severity == .warning && called.message.contains("does not list: getpriority"), "\(called)")
        #expect(try finding(.require) { $0.calls = [.init(name: "bpf", isAllowed: false)] }.severity == .failure)
        #expect(try finding(.off) { $0 = WorkerPosture() }.message.hasPrefix("workers.sandbox is off"))
    }

    @Test func `rejects a clock before the release, and notes an unsynchronised one`() {
        #expect(ClockCheck().told() == ["ok clock"])
        #expect(ClockCheck().complaint { $0.wallSeconds = 1000 }.hasPrefix("failure: 1970-01-01T00:16:40Z"))
        #expect(ClockCheck().told { $0.isClockSynchronised = false } == ["note clock"])
        #expect(ClockCheck().told { $0.isClockSynchronised = nil } == ["ok clock"])
        #expect(UserCheck().told { $0.user = 0 } == ["note user"])
    }

    @Test func `reports why a worker does not respond, and which codecs it lacks`() {
        let check = WorkerCheck(memory: 2 << 30)
        #expect(check.told() == ["ok worker", "ok worker sandbox", "ok libvips", "ok codec jpeg", "ok codec heic"])
        #expect(check.complaint { $0.statuses = [:] }.contains("/usr/bin/edgeprint-worker does not exist"))
        #expect(check.complaint { $0.denials["/usr/bin/edgeprint-worker"] = EACCES }.contains("chmod 0755"))
        #expect(check.complaint { $0.workerAnswer = .failure(.ended(code: 127)) }.contains("ldd"))
        #expect(check.complaint { $0.workerAnswer = .failure(.ended(code: 126)) }.contains("limits"))
        #expect(check.complaint { $0.workerAnswer = .failure(.ended(code: nil)) }.contains("by a signal"))
        #expect(check.complaint { $0.workerAnswer = .failure(.timedOut) }.contains("in time"))
        #expect(check.complaint { $0.workerAnswer = .success(nil) }.contains("the same build"))
        let codecs: [WorkerCapabilities.Codec] = [
            .init(format: "jpeg", decodes: false, encodes: true, problem: "no loader"),
            .init(format: "avif", decodes: true, encodes: false, problem: "Unsupported compression"),
        ]
        let lacking = check.complaint {
            $0.workerAnswer = .success(
                .init(protocolVersion: Int(WorkerMessage.version), libvips: "8.15.0", codecs: codecs, libraries: [])
            )
        }
        #expect(lacking.contains("failure: cannot decode: no loader"))
        #expect(lacking.contains("warning: cannot encode: Unsupported compression"))
        #expect(lacking.contains("libheif-plugin-aomenc"))
        let other = check.complaint {
            $0.workerAnswer = .success(.init(protocolVersion: 9, libvips: "", codecs: [], libraries: []))
        }
        #expect(other.contains("has protocol version 9"))
    }

    @Test func `reports whether faces are looked for`() {
        func findings(_ faces: WorkerCapabilities.Faces?) -> String {
            WorkerCheck(memory: 2 << 30).complaint {
                let version = Int(WorkerMessage.version)
                $0.workerAnswer = .success(
                    .init(protocolVersion: version, libvips: "8.15.0", codecs: [], libraries: [], faces: faces)
                )
            }
        }
        #expect(!findings(.init(areFound: true, method: "network")).contains("faces"))
        #expect(!findings(.init(areFound: true, method: "cascade")).contains("does not look for faces"))
        #expect(findings(.init(areFound: false)).contains("note: gravity=subject does not look for faces"))
        let broken = findings(.init(areFound: false, problem: "x.xml ends too early"))
        #expect(broken.contains("warning: gravity=subject does not look for faces: x.xml ends too early"))
        #expect(broken.contains("apt install --reinstall opencv-data"))
        let network = findings(.init(areFound: false, method: "network", problem: "x.onnx has no graph"))
        #expect(network.contains("x.onnx has no graph") && network.contains("install YuNet's model again"))
    }

    @Test func `detects libraries that are too old or incomplete`() {
        let check = LibraryCheck(needsTLS: true)
        #expect(check.told() == ["ok libcurl", "ok SQLite", "ok libcrypto"])
        #expect(check.told { $0.libraries.tls = nil }.first == "failure libcurl")
        #expect(LibraryCheck(needsTLS: false).told { $0.libraries.tls = nil }.first == "warning libcurl")
        #expect(check.told { $0.libraries.hasHTTP2 = false }.first == "note libcurl")
        #expect(check.told { $0.libraries.resolvesInThreads = false }.first == "warning libcurl")
        #expect(check.told { $0.libraries.sqlite = "3.36.9" }.contains("failure SQLite"))
        #expect(check.told { $0.libraries.sqlite = "3.100.0" }.contains("ok SQLite"))
    }
}
