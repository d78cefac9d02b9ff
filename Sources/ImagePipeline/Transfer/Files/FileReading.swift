import CLinux
import Glibc
import HTTPSemantics
import ImagePlan
import LinuxSystem

/// One load of a file, on a reading thread.
struct FileReading {
    private static let chunk = 262_144
    /// Bytes from which a file is not copied; smaller ones may be kept in memory, and cost little.
    private static let smallestUncopied = 1 << 20
    /// How often a file that changes under the reading is begun again.
    private static let attempts = 3
    /// openat2(2) answers EAGAIN when something was renamed while it looked.
    private static let openAttempts = 16

    private let ticket: LoadTicket
    private let time: any TimeSource
    private let digests: FileDigests

    init(_ ticket: LoadTicket, time: any TimeSource, digests: FileDigests) {
        self.ticket = ticket
        self.time = time
        self.digests = digests
    }

    /// Reads the file, or finds that it is the one that the asker knows.
    func run() -> Result<OriginResponse, PipelineError> {
        do throws(PipelineError) {
            for _ in 0..<Self.attempts {
                if let response = try attempt() { return .success(response) }
            }
            throw .originUnreachable("the file changes while it is read")
        } catch {
            return .failure(error)
        }
    }

    /// `nil` when the file changed meanwhile.
    private func attempt() throws(PipelineError) -> OriginResponse? {
        try checkCancelled()
        let file = try open()
        guard let identity = FileIdentity(descriptor: file.number) else { throw .originNotFound }
        let fields = fields(identity)
        if ticket.fetch.entityTag == identity.entityTag { return .notModified(fields) }
        let limit = ticket.fetch.source.limits.sourceBytes
        guard identity.size <= limit else {
            throw Self.isImage(file, length: identity.size) ? .sourceTooLarge(limit: limit) : .originNotFound
        }
        let isSettled = isSettled(identity)
        if isSettled, let digest = digests.find(identity) {
            return .fetched(fields, OriginBody(file: file, length: identity.size, digest: digest))
        }
        let sink = try isSettled ? BodySink(hashing: file, limit: limit) : BodySink(limit: limit)
        try copy(file, sink)
        guard sink.count == identity.size, FileIdentity(descriptor: file.number) == identity else { return nil }
        let body = try sink.finish()
        if isSettled { digests.keep(body.digest, of: identity) }
        return .fetched(fields, body)
    }

    /// Whether a file may be given away as it is, and need not be copied first: large, and not written to for a while.
    ///
    /// Who replaces a file by another leaves this one alone. Who then writes into it all the same makes a picture wrong until
    /// the file is looked at again.
    private func isSettled(_ identity: FileIdentity) -> Bool {
        identity.size >= Self.smallestUncopied && identity.seconds < time.wallSeconds - FileLoader.vouchedLifetime
    }

    /// Whether a file that is too large to be read begins like an image; every other file is reported as missing.
    private static func isImage(_ file: SharedDescriptor, length: Int) -> Bool {
        guard let bytes = file.read(count: min(length, ImageSniffer.preferredPrefix)) else { return false }
        if case .unknown = ImageSniffer.sniff(bytes.span, totalLength: length) { return false }
        return true
    }

    private func fields(_ identity: FileIdentity) -> OriginFields {
        let now = time.wallSeconds
        var fields = OriginFields(requestTime: now, responseTime: now)
        fields.entityTag = identity.entityTag
        fields.lastModified = HTTPDate(seconds: identity.seconds)?.description
        fields.vouchedLifetime = FileLoader.vouchedLifetime
        return fields
    }

    private func open() throws(PipelineError) -> SharedDescriptor {
        guard case .file(let root) = ticket.fetch.source.location, case .file(let path) = ticket.fetch.target else {
            throw .originNotFound
        }
        // A NUL would end the path early for the system.
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .originNotFound }
        let rootNumber = unsafe edge_open(root, edge_O_PATH | O_DIRECTORY | O_CLOEXEC, 0)
        guard rootNumber >= 0 else { throw Self.failure(errno) }
        let folder = SharedDescriptor(owning: rootNumber)
        // O_NONBLOCK: a FIFO opens at once, and is then refused.
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        for _ in 0..<Self.openAttempts {
            let number = unsafe edge_openat_beneath(folder.number, path, flags)
            if number >= 0 { return SharedDescriptor(owning: number) }
            if errno == ENOSYS { return try walk(folder, path, flags) }
            guard errno == EAGAIN || errno == EINTR else { throw Self.failure(errno) }
        }
        throw .originUnreachable("the folder changes while it is read")
    }

    /// Where a sandbox has no openat2(2).
    private func walk(_ folder: SharedDescriptor, _ path: String, _ flags: CInt) throws(PipelineError)
        -> SharedDescriptor
    {
        do {
            return try FolderWalk.open(path, below: folder, flags: flags)
        } catch {
            throw Self.failure(error.code)
        }
    }

    private func copy(_ file: SharedDescriptor, _ sink: BodySink) throws(PipelineError) {
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        while true {
            try checkCancelled()
            let count: Int
            do {
                count = try checked("read") { unsafe read(file.number, &buffer, Self.chunk) }
            } catch {
                throw .originUnreachable("the file cannot be read")
            }
            guard count > 0 else { return }
            try append(buffer, count, to: sink)
            ticket.count(count)
        }
    }

    private func append(_ buffer: [UInt8], _ count: Int, to sink: BodySink) throws(PipelineError) {
        try unsafe buffer.withUnsafeBufferPointer { (bytes) throws(PipelineError) in
            try unsafe sink.append(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<count])))
        }
    }

    private func checkCancelled() throws(PipelineError) {
        if ticket.isCancelled { throw .cancelled }
    }

    /// What is not there, is outside, or may not be read looks the same: no answer says what else lies on the machine.
    private static func failure(_ code: CInt) -> PipelineError {
        switch code {
        case ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ELOOP, EXDEV, ENAMETOOLONG, ENXIO, ENODEV, EINVAL: .originNotFound
        case EMFILE, ENFILE, ENOMEM: .overloaded("no descriptor for the file")
        default: .originUnreachable("the file cannot be opened")
        }
    }
}
