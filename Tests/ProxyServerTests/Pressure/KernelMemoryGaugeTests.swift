import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct KernelMemoryGaugeTests {
    private func reading(_ texts: [String: String]) -> MemoryReading {
        var probe = RecordedProbe()
        probe.texts = texts
        return KernelMemoryGauge(probe: probe).reading()
    }

    @Test func `reads nothing from a kernel without PSI and control groups`() {
        #expect(reading([:]) == MemoryReading())
        #expect(reading(["/proc/pressure/memory": "weird\n", "/proc/self/cgroup": "::\n"]) == MemoryReading())
        #expect(reading([:]).level == .calm)
    }

    @Test func `reads the worse of the machine's pressure and its limited group's`() {
        var texts = [
            "/proc/self/cgroup": "0::/system.slice/edgeprint.service\n",
            "/proc/pressure/memory":
                "some avg10=1.50 avg60=0.00 avg300=0.00 total=1\nfull avg10=90.00 avg60=0.00 avg300=0.00 total=0\n",
            "/sys/fs/cgroup/system.slice/edgeprint.service/memory.pressure": "some avg10=12.25 avg60=9.00 total=5\n",
            "/sys/fs/cgroup/system.slice/edgeprint.service/memory.max": "max\n",
        ]
        #expect(reading(texts).stalled == 1.5)
        texts["/sys/fs/cgroup/system.slice/edgeprint.service/memory.max"] = "1000\n"
        #expect(reading(texts).stalled == 12.25)
    }

    @Test func `compares version 2 usage, without file pages, with the lower of two limits`() {
        let folder = "/sys/fs/cgroup/system.slice/edgeprint.service"
        let texts = [
            "/proc/self/cgroup": "0::/system.slice/edgeprint.service\n",
            "\(folder)/memory.current": "1000\n",
            "\(folder)/memory.max": "2000\n",
            "\(folder)/memory.high": "1600\n",
            "\(folder)/memory.stat":
                "anon 600\nfile 400\nshmem 100\ninactive_anon 0\nactive_anon 700\ninactive_file 200\nactive_file 100\n",
            // Farther from its limit.
            "/sys/fs/cgroup/system.slice/memory.current": "5000\n",
            "/sys/fs/cgroup/system.slice/memory.max": "50000\n",
        ]
        #expect(reading(texts).group == MemoryReading.Group(used: 700, limit: 1600))
    }

    @Test func `selects the group nearest to its limit, including ancestors`() {
        let texts = [
            "/proc/self/cgroup": "0::/a/b\n",
            "/sys/fs/cgroup/a/b/memory.current": "10\n", "/sys/fs/cgroup/a/b/memory.max": "100\n",
            "/sys/fs/cgroup/a/memory.current": "190\n", "/sys/fs/cgroup/a/memory.max": "200\n",
        ]
        #expect(reading(texts).group == MemoryReading.Group(used: 190, limit: 200))
        #expect(reading(texts).level == .pressed)
    }

    @Test func `reads version 1 with its own names and its numeric form of no limit`() {
        let folder = "/sys/fs/cgroup/memory/docker/abc"
        var texts = [
            "/proc/self/cgroup": "5:cpu,cpuacct:/\n4:memory:/docker/abc\n1:name=systemd:/x:y\n",
            "\(folder)/memory.usage_in_bytes": "900\n",
            "\(folder)/memory.limit_in_bytes": "1000\n",
            "\(folder)/memory.stat":
                "cache 500\nrss 400\ninactive_file 1\nactive_file 1\ntotal_inactive_file 300\ntotal_active_file 50\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes": "90000\n",
        ]
        #expect(reading(texts).group == MemoryReading.Group(used: 550, limit: 1000))
        texts["\(folder)/memory.limit_in_bytes"] = "9223372036854771712\n"
        #expect(reading(texts).group == nil)
    }

    @Test(arguments: [
        (0.0, 50, MemoryReading.Level.calm), (4.9, 79, .calm), (5, 0, .tight), (0, 80, .tight), (10, 0, .pressed),
        (0, 90, .pressed), (40, 0, .critical), (0, 97, .critical), (0, 100, .critical),
    ])
    func `uses the higher level of stalls and usage`(stalled: Double, percent: Int, level: MemoryReading.Level) {
        let group = MemoryReading.Group(used: percent * 10, limit: 1000)
        #expect(MemoryReading(stalled: stalled, group: group).level == level)
    }
}
