import HTTPCache
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DiskSuccessionTests {
    @Test func `a store that waits for the folder opens it when the other one has closed`() throws {
        let folder = try TemporaryFolder()
        let first = try DiskStore(DiskStore.Configuration(path: folder.path + "/cache"))
        let reports = Signal([DiskHealth]())
        var configuration = DiskStore.Configuration(path: folder.path + "/cache")
        configuration.waitsForLock = true
        configuration.healthChanged = { health in reports.update { $0.append(health) } }
        let second = try DiskStore(configuration)
        #expect(second.health == .waiting && second.statistics.errors == 0)
        first.close()
        let all = try reports.wait { $0.last == .healthy }
        #expect(all.count == 2 && second.health == .healthy && second.statistics.errors == 0)
        second.close()
    }
}
