import CLinux
import Glibc
import HTTPSemantics
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
    private let recognition: FileLoader.Recognition?

    init(
        _ ticket: LoadTicket,
        time: any TimeSource,
        digests: FileDigests,
        recognition: FileLoader.Recognition?
    ) {
        self.recognition = recognition
        self.ticket = ticket
        self.time = time
        self.digests = digests
    }

    /// Reads the file, unless its validator is the one that the request names.
    func run() -> Result<TransferResponse, TransferError> {
        do throws(TransferError) {
            for _ in 0..<Self.attempts {
                if let response = try attempt() { return .success(response) }
            }
            throw .unreachable("the file changes while it is read")
        } catch {
            return .failure(error)
        }
    }

    /// `nil` when the file changed meanwhile.
    private func attempt() throws(TransferError) -> TransferResponse? {
        try checkCancelled()
        let file = try open()
        guard let identity = FileIdentity(descriptor: file.number) else { throw .notFound }
        if ticket.request.entityTag == identity.entityTag {
            return TransferResponse(head: self.head(304, identity), body: .none)
        }
        let limit = ticket.request.options.limits.bytes
        guard identity.size <= limit else {
            throw isRecognized(file, length: identity.size) ? .tooLarge(limit: limit) : .notFound
        }
        let head = self.head(200, identity)
        let isSettled = isSettled(identity)
        if isSettled, let digest = digests.find(identity) {
            let body = TransferBody(file: file, length: identity.size, digest: digest)
            return TransferResponse(head: head, body: .file(body))
        }
        let sink = try isSettled ? BodySink(hashing: file, limit: limit) : BodySink(limit: limit)
        try copy(file, sink)
        guard sink.count == identity.size, FileIdentity(descriptor: file.number) == identity else { return nil }
        let body = try sink.finish()
        if isSettled { digests.keep(body.digest, of: identity) }
        return TransferResponse(head: head, body: .file(body))
    }

    /// Whether a file is served as it is, without a copy: it is large, and was not written to for a while.
    ///
    /// Replacing a file by another leaves the open one unchanged. Writing into it in place makes the response wrong until the
    /// file is read again.
    private func isSettled(_ identity: FileIdentity) -> Bool {
        identity.size >= Self.smallestUncopied && identity.seconds < time.wallSeconds - FileLoader.settlingTime
    }

    /// Whether a file over the limit may be reported as too large; every other file is reported as missing.
    private func isRecognized(_ file: SharedDescriptor, length: Int) -> Bool {
        guard let recognition else { return true }
        guard let bytes = file.read(count: min(length, recognition.prefix)) else { return false }
        return recognition.isKnown(bytes, length)
    }

    /// A file's validators as the head of a response.
    private func head(_ status: Int, _ identity: FileIdentity) -> TransferHead {
        let now = time.wallSeconds
        var fields = FieldLines()
        fields.append("ETag", identity.entityTag)
        if let date = HTTPDate(seconds: identity.seconds) { fields.append("Last-Modified", date.description) }
        return TransferHead(status: status, fields: fields, requestTime: now, responseTime: now)
    }

    private func open() throws(TransferError) -> SharedDescriptor {
        guard let root = ticket.request.options.root, case .file(let path) = ticket.request.target else {
            throw .notFound
        }
        // A NUL would end the path early for the system.
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .notFound }
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
        throw .unreachable("the folder changes while it is read")
    }

    /// Where a sandbox has no openat2(2).
    private func walk(_ folder: SharedDescriptor, _ path: String, _ flags: CInt) throws(TransferError)
        -> SharedDescriptor
    {
        do {
            return try FolderWalk.open(path, below: folder, flags: flags)
        } catch {
            throw Self.failure(error.code)
        }
    }

    private func copy(_ file: SharedDescriptor, _ sink: BodySink) throws(TransferError) {
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        while true {
            try checkCancelled()
            let count: Int
            do {
                count = try checked("read") { unsafe read(file.number, &buffer, Self.chunk) }
            } catch {
                throw .unreachable("the file cannot be read")
            }
            guard count > 0 else { return }
            try append(buffer, count, to: sink)
            ticket.count(count)
        }
    }

    private func append(_ buffer: [UInt8], _ count: Int, to sink: BodySink) throws(TransferError) {
        try unsafe buffer.withUnsafeBufferPointer { (bytes) throws(TransferError) in
            try unsafe sink.append(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<count])))
        }
    }

    private func checkCancelled() throws(TransferError) {
        if ticket.isCancelled { throw .cancelled }
    }

    /// A file that is missing, outside the root or unreadable looks the same: no answer tells what else the machine holds.
    private static func failure(_ code: CInt) -> TransferError {
        switch code {
        case ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ELOOP, EXDEV, ENAMETOOLONG, ENXIO, ENODEV, EINVAL: .notFound
        case EMFILE, ENFILE, ENOMEM: .overloaded("no descriptor for the file")
        default: .unreachable("the file cannot be opened")
        }
    }
}
