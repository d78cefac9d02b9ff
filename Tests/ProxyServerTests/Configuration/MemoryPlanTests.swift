import HTTPCache
import LinuxSystem
import Testing

@testable import ProxyServer

/// The memory budget, and the sizes that derive from it.
@Suite(.timeLimit(.minutes(1)))
struct MemoryPlanTests {
    private static func plan(_ yaml: String = "", machine: Int, group: Int? = nil, cores: Int = 2) throws -> MemoryPlan
    {
        MemoryPlan(try load(yaml), of: memory(machine, group), cores: cores)
    }

    private static func memory(_ machine: Int, _ group: Int?) -> MachineMemory {
        var probe = RecordedProbe()
        probe.texts["/proc/meminfo"] = "MemTotal:       \(machine >> 10) kB\n"
        probe.texts["/proc/self/cgroup"] = "0::/edge\n"
        if let group { probe.texts["/sys/fs/cgroup/edge/memory.max"] = "\(group)\n" }
        return MachineMemory(probe)
    }

    @Test func `the budget is half of the machine, or three quarters of the control group`() throws {
        #expect(try Self.plan(machine: 8 << 30).budget == 4 << 30)
        #expect(try Self.plan(machine: 8 << 30, group: 512 << 20).budget == 384 << 20)
        #expect(try Self.plan(machine: 1 << 30, group: 16 << 30).budget == 512 << 20)
        #expect(try Self.plan("limits: { memory: 1GiB }", machine: 8 << 30).budget == 1 << 30)
        #expect(try Self.plan("limits: { memory: 25% }", machine: 8 << 30, group: 4 << 30).budget == 1 << 30)
    }

    @Test(arguments: [256 << 20, 384 << 20, 512 << 20, 1 << 30, 2 << 30, 4 << 30, 24 << 30, 256 << 30], [1, 2, 8, 64])
    func `derived sizes stay within the budget`(_ memory: Int, _ cores: Int) throws {
        let (machine, group) = (
            try Self.plan(machine: 2 * memory, cores: cores),
            try Self.plan(machine: 1 << 40, group: memory, cores: cores)
        )
        for plan in [machine, group] {
            #expect(plan.sum <= plan.budget && plan.warning == nil, "\(plan.list)")
            #expect(plan.workers >= 1 && plan.workers <= cores + 1)
        }
    }

    private static let store = "cluster: { log: \"redis://h\", store: s3://pics/, region: r }"

    @Test(arguments: [256 << 20, 384 << 20, 512 << 20, 1 << 30, 4 << 30, 256 << 30], [1, 2, 8, 64])
    func `with a shared store, what waits for it is a part of the budget`(_ memory: Int, _ cores: Int) throws {
        // The budget is that of the machine of half its size.
        for plan in [
            try Self.plan(Self.store, machine: 2 * memory, cores: cores),
            try Self.plan(Self.store, machine: 1 << 40, group: max(memory, 320 << 20), cores: cores),
        ] {
            #expect(plan.sharedWrites == min(64 << 20, plan.budget / 16))
            #expect(plan.sum <= plan.budget && plan.warning == nil, "\(plan.list)")
            #expect(plan.parts.contains { $0.name == "shared" && $0.limit == plan.sharedWrites })
        }
    }

    @Test func `a stated queue of the shared store takes precedence, and without a store there is none`() throws {
        let yaml = "cluster: { log: \"redis://h\", store: s3://pics/, region: r, store-queue: 1GiB }"
        let plan = try Self.plan(yaml, machine: 24 << 30, group: 512 << 20)
        #expect(plan.sharedWrites == 1 << 30)
        #expect(try #require(plan.warning).contains("cluster.store-queue 1 GiB"))
        let none = try Self.plan(machine: 24 << 30, group: 512 << 20)
        #expect(none.sharedWrites == 0 && !none.parts.contains { $0.name == "shared" })
    }

    @Test func `a control group of 512 MiB gets two workers and small caches`() throws {
        let plan = try Self.plan(machine: 24 << 30, group: 512 << 20)
        #expect(plan.workers == 2 && plan.cache == 96 << 20 && plan.bodies == 48 << 20)
        #expect(plan.decoded == 88 << 20 && plan.failures == 6 << 20 && plan.writes == 24 << 20)
        #expect(plan.workerMemory == 544 << 20 && plan.workerResident == 128 << 20)
    }

    @Test func `stated sizes take precedence, and a sum over the budget is a warning`() throws {
        let yaml = """
            cache: { memory: 1GiB }
            transfers: { memory: 300MiB }
            negative: { memory: 20MiB }
            workers: { count: 5, memory: 3GiB, rss: 100MiB, decode-bytes: 700MiB }
            """
        let plan = try Self.plan(yaml, machine: 24 << 30, group: 512 << 20)
        #expect(plan.cache == 1 << 30 && plan.bodies == 300 << 20 && plan.failures == 20 << 20)
        #expect(plan.workers == 5 && plan.workerMemory == 3 << 30 && plan.workerResident == 100 << 20)
        #expect(plan.decoded == 700 << 20)
        let warning = try #require(plan.warning)
        #expect(warning.contains("cache.memory 1 GiB") && warning.contains("more than limits.memory (384 MiB)"))
        let findings = MemoryCheck(configuration: try load(yaml)).findings(RecordedProbe())
        #expect(findings.map(\.severity) == [.ok])
        let small = MemoryCheck(configuration: try load(yaml + "\nlimits: { memory: 1GiB }")).findings(RecordedProbe())
        #expect(small.map(\.severity) == [.warning] && small[0].message.contains("more than limits.memory (1 GiB)"))
    }

    @Test func `without a disk, one original fits`() throws {
        let plan = try Self.plan("cache: { path: off }", machine: 24 << 30, group: 512 << 20)
        #expect(plan.bodies == 64 << 20)
    }

    @Test func `refuses a budget that no daemon fits in`() {
        let found = problems("limits: { memory: 1MiB }")
        #expect(
            found.count == 1 && found[0].contains("limits.memory: expected a size such as 256MiB, at least 64MiB,")
        )
    }
}
