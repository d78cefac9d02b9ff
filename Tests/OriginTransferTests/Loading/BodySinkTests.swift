import CLinux
import Glibc
import LinuxSystem
import OriginTransfer
import Testing

@testable import OriginTransfer

@Suite(.timeLimit(.minutes(1)))
struct BodySinkTests {
    private func append(_ bytes: [UInt8], to sink: BodySink) throws {
        try unsafe bytes.withUnsafeBytes { try unsafe sink.append($0) }
    }

    @Test func `stores, hashes and seals its bytes`() throws {
        let sink = try BodySink(limit: 6)
        for part in ["a", "", "bc", "def"] { try append(Array(part.utf8), to: sink) }
        let body = try sink.finish()
        #expect(body.length == 6)
        #expect(body.digest == SHA256Digest(hashing: "abcdef"))
        #expect(try body.bytes() == Array("abcdef".utf8))
        #expect(edge_memfd_is_sealed(body.file.number) == 1)
    }

    @Test func `accepts exactly its limit and not one byte more`() throws {
        let sink = try BodySink(limit: 3)
        try append([1, 2], to: sink)
        try append([3], to: sink)
        #expect(throws: TransferError.tooLarge(limit: 3)) { try append([4], to: sink) }
        #expect(sink.count == 3)
    }

    @Test func `makes an empty body`() throws {
        let body = try BodySink(limit: 0).finish()
        #expect(body.length == 0)
        #expect(body.digest == SHA256Digest(hashing: ""))
        #expect(edge_memfd_is_sealed(body.file.number) == 1)
    }

    @Test func `a body that clients have read is protected by a descriptor that cannot write`() throws {
        for wasRead in [false, true] {
            let sink = try BodySink(limit: 6)
            try append([7, 7, 7], to: sink)
            let body = try sink.finish(wasRead: wasRead)
            #expect(edge_memfd_is_sealed(body.file.number) == (wasRead ? 0 : 1))
            #expect(body.file.read(count: 3) == [7, 7, 7])
            let byte: UInt8 = 1
            let written = unsafe withUnsafeBytes(of: byte) { unsafe write(body.file.number, $0.baseAddress, 1) }
            #expect(written < 0)
        }
    }
}

extension TransferBody {
    /// Reads the whole file from its start.
    func bytes() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length + 1)
        let count = try checked("pread") { unsafe pread(file.number, &bytes, bytes.count, 0) }
        return Array(bytes.prefix(count))
    }
}
