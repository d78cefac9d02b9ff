import LinuxSystem
import Testing

@testable import OriginTransfer

@Suite(.timeLimit(.minutes(1)))
struct BodyFolderTests {
    @Test func `a slow write makes the folder rest, a fast one does not`() {
        let folder = BodyFolder(path: "/nonexistent")
        #expect(folder.keepsUp(at: 0))
        folder.noteWrite(from: 0, to: BodyFolder.patience)
        #expect(folder.keepsUp(at: BodyFolder.patience))
        folder.noteWrite(from: 0, to: BodyFolder.patience + 1)
        let end = BodyFolder.patience + 1 + BodyFolder.rest
        #expect(!folder.keepsUp(at: BodyFolder.patience + 1) && !folder.keepsUp(at: end - 1) && folder.keepsUp(at: end))
        // A fast one that had begun before does not end it.
        folder.noteWrite(from: 0, to: 1)
        #expect(!folder.keepsUp(at: end - 1))
    }
}
