import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ThreadOwnerTests {
    @Test func `knows its own thread from others`() throws {
        let owner = Signal<ThreadOwner?>(nil)
        let isDone = Signal(false)
        try SystemThread.start(name: "owner") {
            let mine = ThreadOwner()
            #expect(mine.isCurrent)
            owner.update { $0 = mine }
            _ = try? isDone.wait { $0 }
        }
        let found = try #require(try owner.wait { $0 != nil })
        #expect(!found.isCurrent)
        isDone.update { $0 = true }
    }

    @Test func `stops a debug build that calls from another thread`() async {
        await #expect(processExitsWith: .failure) {
            let owner = Signal<ThreadOwner?>(nil)
            try SystemThread.start(name: "owner") { owner.update { $0 = ThreadOwner() } }
            try owner.wait { $0 != nil }?.assertCurrent()
        }
    }
}
