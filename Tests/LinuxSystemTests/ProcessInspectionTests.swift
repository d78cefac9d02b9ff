import Glibc
import LinuxSystem
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ProcessInspectionTests {
    @Test func `inspection is allowed until it is forbidden, and can be allowed again`() throws {
        let before = ProcessInspection.isAllowed
        defer { try? ProcessInspection.setAllowed(before) }
        try ProcessInspection.setAllowed(false)
        #expect(!ProcessInspection.isAllowed)
        try ProcessInspection.setAllowed(true)
        #expect(ProcessInspection.isAllowed)
    }
}
