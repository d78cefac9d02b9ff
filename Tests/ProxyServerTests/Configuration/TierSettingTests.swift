import HTTPCache
import Testing

@testable import ProxyServer

/// The settings of the cache's tiers: sizes, the number of entries, policies, and a cache without a disk.
@Suite(.timeLimit(.minutes(1)))
struct TierSettingTests {
    @Test(arguments: [
        ("256MiB", 256 << 20), ("0", 0), ("25%", 2 << 30), ("1%", 85_899_345), ("90%", 7_730_941_132),
        ("auto", 1 << 30),
    ])
    func `the memory cache has a size, or a share of the machine's memory`(_ text: String, _ bytes: Int) throws {
        let size = try load("cache: { memory: \(text) }").cache.memorySize
        #expect(size.bytes(of: 8 << 30, derived: 1 << 30) == bytes)
    }

    @Test(arguments: ["0%", "91%", "-5%", "25 %", "automatic", "%", "1.5%"])
    func `refuses other shares`(_ text: String) {
        let found = problems("cache: { memory: \"\(text)\" }")
        #expect(found.count == 1 && found[0].contains("cache.memory: expected a size such as 256MiB, a percentage"))
    }

    @Test func `a share is one of the control group's limit if that is lower than the machine's memory`() {
        var probe = RecordedProbe()
        probe.texts["/proc/meminfo"] = "MemTotal:       16777216 kB\n"
        #expect(MachineMemory(probe).available == 16 << 30)
        probe.texts["/proc/self/cgroup"] = "0::/edge\n"
        probe.texts["/sys/fs/cgroup/edge/memory.max"] = "1073741824\n"
        #expect(MachineMemory(probe).available == 1 << 30)
        #expect(MemorySize.percent(50).bytes(of: 1 << 30, derived: 0) == 512 << 20)
    }

    @Test func `raw sources have a quarter of the entries, as of the bytes`() throws {
        let raw = "sources: { a: { url: \"https://a.example/\", raw: true } }\n"
        let shared = try load(raw + "cache: { memory-entries: 100, memory: 100MB }")
        #expect(shared.memoryEntries == MemoryShares(pictures: 75, raw: 25))
        #expect(shared.memoryShares == MemoryShares(pictures: 75_000_000, raw: 25_000_000))
        #expect(try load("cache: { memory-entries: 100 }").memoryEntries == MemoryShares(pictures: 100, raw: 0))
        #expect(Configuration().memoryEntries.pictures == .max)
        let site = "sites: { a: { hosts: [a.example], sources: { r: { url: \"https://r.example/\", raw: true } } } }\n"
        #expect(try load(site + "cache: { memory-entries: 100 }").memoryEntries == MemoryShares(pictures: 75, raw: 25))
    }

    @Test(
        arguments: [
            ("", nil), ("cache: { path: off, originals: 1MiB }", nil),
            ("cache: { originals: 64MiB }", nil),
            (
                "cache: { originals: 63MiB }",
                "cache.originals: 63MiB has no room for an original of 64MiB (limits.source-bytes of a)"
            ),
            (
                "sites: { s: { hosts: [s.example], quota: { originals: 1MiB }, sources: { b: { url: \"https://b.example/\" } } } }",
                "sites.s.quota.originals: 1MiB has no room for an original of 64MiB (limits.source-bytes of s/b)"
            ),
        ] as [(String, String?)]
    )
    func `warns about a quota of originals below the largest original`(_ text: String, _ warning: String?) throws {
        let sources =
            "sources: { a: { url: \"https://a.example/\" }, f: { url: \"file:///srv\", limits: { source-bytes: 1GiB } } }\n"
        let warnings = TierChecks.warnings(try load(sources + text)).map { "\($0.key): \($0.message)" }
        #expect(warnings.count == (warning == nil ? 0 : 1))
        if let warning { #expect(warnings.first?.hasPrefix(warning) == true, "\(warnings)") }
    }

    @Test(arguments: ["off", "none", "OFF"]) func `a cache without a disk`(_ text: String) throws {
        let cache = try load("cache: { path: \(text) }").cache
        #expect(!cache.hasDisk && cache.path.isEmpty)
    }

    @Test(arguments: [
        ("{ query: serial, store: concurrent }", TierPolicy(query: .serial, store: .concurrent)),
        ("{ store: highest }", TierPolicy(query: .serial, store: .highest)),
        ("{ store: lowest }", TierPolicy(query: .serial, store: .lowest)),
        ("{ query: highest, store: highest }", TierPolicy(query: .highest, store: .highest)),
        ("{ query: lowest, store: lowest }", TierPolicy(query: .lowest, store: .lowest)),
    ])
    func `policies that make sense`(_ text: String, _ policy: TierPolicy) throws {
        #expect(try load("cache: { tiers: \(text) }").cache.tiers == policy)
    }

    @Test(arguments: [
        ("tiers: { query: concurrent }", "cache.tiers.query: concurrent has no effect here"),
        ("tiers: { store: serial }", "cache.tiers.store: serial has no effect here"),
        ("tiers: { query: highest }", "cache.tiers.query: highest never reads the disk"),
        ("tiers: { query: highest, store: lowest }", "cache.tiers.query: highest never reads the disk"),
        ("tiers: { query: lowest }", "cache.tiers.query: lowest never reads memory"),
        ("path: off, tiers: { store: lowest }", "cache.tiers.store: lowest stores nothing, since cache.path is off"),
        ("memory: 0, tiers: { store: highest }", "cache.tiers.store: highest stores nothing, since cache.memory is 0"),
        ("path: off, seed: /seed", "cache.seed: requires cache.path"),
        ("tiers: { query: hihgest }", "did you mean highest?"),
    ])
    func `refuses policies that would store what is never read, or nothing`(_ text: String, _ problem: String) {
        let found = problems("cache: { \(text) }")
        #expect(found.count == 1 && found[0].contains(problem), "\(found)")
    }

    @Test(arguments: [
        ("path: off", "disk", "disk would keep no variants: cache.path is off"),
        ("tiers: { store: highest }", "disk", "disk would keep no variants: cache.tiers.store is highest"),
        ("tiers: { store: lowest }", "memory", "memory would keep no variants: cache.tiers.store is lowest"),
        ("path: off", "{ variants: all, originals: disk }", "disk would keep no originals: cache.path is off"),
    ])
    func `refuses a source whose only tier is not used`(_ cache: String, _ own: String, _ problem: String) {
        let source = "sources: { a: { url: \"https://a.example/\", cache: \(own) } }\n"
        let found = problems(source + "cache: { \(cache) }")
        #expect(found.count == 1 && found[0].contains("sources.a.cache: \(problem)"), "\(found)")
        #expect(problems(source).isEmpty)
    }
}
