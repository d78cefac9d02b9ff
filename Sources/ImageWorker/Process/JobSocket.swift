import CLinux
import Glibc
import ImagePlan
import LinuxSystem

/// The worker's end of the socket to the daemon: descriptor 3, blocking.
struct JobSocket {
    private static let descriptor: CInt = 3
    /// The idle time after which free heap memory is returned to the system, in milliseconds.
    private static let idleTime: CInt = 200
    /// The further idle time after which code is unmapped, in milliseconds: the next job then takes a millisecond longer.
    private static let longIdleTime: CInt = 5_000

    /// The outcome of waiting for a job.
    enum Arrival {
        /// A job and the descriptors of its source and its auxiliary images, which the receiver must close.
        case job(WorkerJob, [CInt])
        /// The daemon closed the socket or sent an invalid job.
        case end
    }

    /// Tells the daemon that the worker is ready, how it is confined, and what it can encode.
    func greet(_ posture: WorkerPosture) -> Bool {
        let greeting = WorkerGreeting(posture, encoded: CoderRegistry.encoders.formats)
        guard let message = try? WorkerMessage.encodeReady(greeting) else { return false }
        return send(message, [])
    }

    /// Whether a job arrives, or the daemon ends, before the worker is idle.
    var hasJobSoon: Bool { hasMessage(within: Self.idleTime) }

    /// Whether the daemon has sent a message, which cancels the job that runs, or closed the socket.
    var hasMessage: Bool { hasMessage(within: 0) }

    private func hasMessage(within milliseconds: CInt) -> Bool {
        var entry = pollfd(fd: Self.descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    /// Waits for the next job; if none arrives for a while, trims the heap, and later unmaps code.
    func next() -> Arrival {
        while true {
            if let arrival = receive() { return arrival }
        }
    }

    /// Waits for a message; `nil` for the cancellation of a job that has ended.
    private func receive() -> Arrival? {
        var entry = pollfd(fd: Self.descriptor, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&entry, 1, Self.idleTime) == 0 {
            edge_malloc_trim()
            if unsafe poll(&entry, 1, Self.longIdleTime) == 0 { edge_unmap_unused_code() }
        }
        var bytes = [UInt8](repeating: 0, count: WorkerMessage.maximumSize + 1)
        var sources = [CInt](repeating: -1, count: 1 + WorkerMessage.maximumAuxiliaries)
        var count: CInt
        var received: Int
        repeat {
            count = CInt(sources.count)
            received = unsafe edge_receive_with_descriptors(Self.descriptor, &bytes, bytes.count, &sources, &count)
        } while received < 0 && errno == EINTR
        guard received > 0 else { return .end }
        bytes.removeSubrange(received...)
        if bytes == WorkerMessage.cancellation { return nil }
        guard let job = try? WorkerJob(decoding: bytes), Int(count) == 1 + job.auxiliaries.count else { return .end }
        return .job(job, Array(sources.prefix(Int(count))))
    }

    /// Sends a reply: small results inside the message, large ones in sealed memory files.
    ///
    /// - Returns: `false` if the daemon is gone.
    func send(_ answer: JobRunner.Answer) -> Bool {
        var files: [SharedDescriptor] = []
        var room = WorkerMessage.maximumInline
        var inline: [[UInt8]?] = []
        for picture in answer.pictures {
            if picture.count <= room {
                room -= picture.count
                inline.append(picture.copy)
            } else {
                guard let file = picture.withBytes({ unsafe SharedDescriptor.sealed($0, name: "result") }) else {
                    return sendFailure(answer.reply.id, "cannot create a memory file for a result")
                }
                files.append(file)
                inline.append(nil)
            }
        }
        guard let message = try? answer.reply.encoded(inline: inline) else {
            return sendFailure(answer.reply.id, "the reply exceeds the protocol's bounds")
        }
        return send(message, files)
    }

    private func sendFailure(_ id: UInt64, _ text: String) -> Bool {
        let reply = WorkerReply(id: id, result: .failure(.worker(text)), timing: .init())
        guard let message = try? reply.encoded() else { return false }
        return send(message, [])
    }

    private func send(_ message: [UInt8], _ files: [SharedDescriptor]) -> Bool {
        withExtendedLifetime(files) {
            unsafe message.withUnsafeBytes { bytes in
                unsafe edge_send_with_descriptors(
                    Self.descriptor,
                    bytes.baseAddress,
                    bytes.count,
                    files.map(\.number),
                    CInt(files.count)
                ) == bytes.count
            }
        }
    }
}
