import CLinux
import Glibc
import ImagePlan
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

/// Workers that violate the protocol: shell scripts on the same socket.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct HostileWorkerTests {
    private static let greeting = "printf 'EDGW\\007\\001\\007\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000' >&3\n"
    private static let readJob = "dd bs=200000 count=1 <&3 >/dev/null 2>&1\n"

    /// Runs a job on scripts and returns its result.
    private func outcome(
        of script: String,
        milliseconds: Int = 5_000
    ) async throws -> (PipelineError?, WorkerPool.Statistics) {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/worker"
        let descriptor = unsafe edge_open(path, O_WRONLY | O_CREAT, 0o755)
        try #require(descriptor >= 0)
        let text = Array("#!/bin/sh\n\(script)".utf8)
        let written = unsafe write(descriptor, text, text.count)
        close(descriptor)
        try #require(written == text.count)
        var configuration = WorkerPool.Configuration(workers: 1)
        configuration.workerPath = path
        configuration.deadlineGrace = 100
        configuration.startTimeout = 300
        let pool = try WorkerPool(configuration)
        let result = try await pool.result(of: PoolBench.job(milliseconds: milliseconds))
        let statistics = pool.statistics
        pool.stop()
        withExtendedLifetime(folder) {}
        guard case .failure(let error) = result else { return (nil, statistics) }
        return (error, statistics)
    }

    @Test(arguments: [
        "printf garbage >&3", "printf 'EDGW\\007\\003\\377\\377\\377\\177' >&3",
        "printf 'EDGW\\007\\001\\007\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000' >&3",
        "head -c 150000 /dev/zero | dd bs=150000 iflag=fullblock >&3 2>/dev/null",
        // A well-formed failure, but of job 255.
        "printf 'EDGW\\007\\003\\031\\000\\000\\000\\377\\000\\000\\000\\000\\000\\000\\000\\002\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\000\\000\\000\\000' >&3",
        // A job that was not cancelled.
        "printf 'EDGW\\007\\003\\031\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000\\006\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\000\\000\\000\\000' >&3",
    ])
    func `a malformed reply counts as a lost worker`(reply: String) async throws {
        let (error, statistics) = try await outcome(of: Self.greeting + Self.readJob + reply + "\nexec sleep 20\n")
        #expect(error == .workerLost)
        #expect(statistics.violations == 2)
        #expect(statistics.retries == 1)
        #expect(statistics.decoderCrashes == 0)
    }

    @Test func `a well-formed failure is accepted`() async throws {
        let reply =
            "printf 'EDGW\\007\\003\\031\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000\\002\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\000\\000\\000\\000' >&3\n"
        let (error, statistics) = try await outcome(of: Self.greeting + Self.readJob + reply + "exec sleep 20\n")
        #expect(error == .broken(""))
        #expect(statistics.violations == 0)
    }

    @Test func `a worker that exits on every job ends the job as lost`() async throws {
        let (error, statistics) = try await outcome(of: Self.greeting + Self.readJob + "exit 0\n")
        #expect(error == .workerLost)
        #expect(statistics.retries == 1)
    }

    @Test(arguments: ["SEGV", "ABRT", "BUS", "ILL", "FPE", "TRAP", "SYS", "XCPU", "XFSZ"])
    func `a worker that crashes on a job ends it as crashedDecoder`(signal: String) async throws {
        let (error, statistics) = try await outcome(of: Self.greeting + Self.readJob + "kill -\(signal) $$\n")
        #expect(error == .crashedDecoder)
        #expect(statistics.retries == 0)
    }

    @Test func `a worker that closes its socket is killed`() async throws {
        let (error, _) = try await outcome(of: Self.greeting + Self.readJob + "exec 3>&-\nexec sleep 20\n")
        #expect(error == .workerLost)
    }

    @Test func `a worker that never greets is not used`() async throws {
        let (error, statistics) = try await outcome(of: "exec sleep 20\n")
        #expect(error == .noWorker)
        #expect(statistics.starts >= 3)
    }

    @Test func `memory files must be sealed and as long as stated`() throws {
        let output = WorkerReply.Output(format: .png, width: 1, height: 1, frames: 1, hasAlpha: false, length: 5)
        let bytes = try WorkerReply(id: 1, result: .success([output]), timing: .init()).encoded(inline: [nil])
        let message = try WorkerReplyMessage(decoding: bytes, descriptors: 1)
        func read(_ file: SharedDescriptor, limit: Int = 100) throws -> [UInt8] {
            try message.pictures([output], message: bytes, descriptors: [file], limit: limit)[0].bytes
        }
        let sealed = try PoolBench.memoryFile([1, 2, 3, 4, 5])
        #expect(throws: ResultError.unsealed) { try read(sealed) }
        #expect(edge_memfd_seal(sealed.number) == 0)
        #expect(try read(sealed) == [1, 2, 3, 4, 5])
        #expect(throws: ResultError.oversized) { try read(sealed, limit: 4) }
        let longer = try PoolBench.memoryFile([1, 2, 3, 4, 5, 6])
        #expect(edge_memfd_seal(longer.number) == 0)
        #expect(throws: ResultError.size) { try read(longer) }
    }
}
