import Glibc
import LinuxSystem
import Testing

/// The limit on descriptors, each in a process of its own.
@Suite(.timeLimit(.minutes(1)))
struct DescriptorLimitTests {
    @Test func `raises the soft limit to the hard one`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 64, rlim_max: 256)
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(1) }
            guard DescriptorLimit.current == 64 else { exit(2) }
            try DescriptorLimit.raise()
            guard DescriptorLimit.current == 256 else { exit(3) }
        }
    }

    @Test func `is reached when no further descriptor can be opened`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 256, rlim_max: 256)
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(1) }
            guard !DescriptorLimit.isReached else { exit(2) }
            var last = dup(0)
            while true {
                let next = dup(0)
                guard next >= 0 else { break }
                last = next
            }
            guard DescriptorLimit.isReached else { exit(3) }
            close(last)
            guard !DescriptorLimit.isReached else { exit(4) }
        }
    }

    @Test func `a relief reports whether it has closed anything`() {
        let relief = DescriptorRelief()
        #expect(!relief.relieve())
        let left = Lock([3, 1, 0])
        relief.set { left.withLock { $0.removeFirst() } }
        #expect(relief.relieve() && relief.relieve())
        #expect(!relief.relieve())
    }
}
