import CLinux
import Glibc
import HTTPSemantics
import LinuxSystem

/// One load of a file; runs on a reading thread.
struct FileReading {
    private static let chunk = 262_144
    /// Files of at least this many bytes are not copied; smaller ones are cheap to copy and may be kept in memory.
    private static let smallestUncopied = 1 << 20
    /// Maximum number of attempts to read a file that changes meanwhile.
    private static let attempts = 3
    /// Maximum number of calls of openat2(2), which fails with EAGAIN after a concurrent rename.
    private static let openAttempts = 16

    private let ticket: LoadTicket
    private let time: any TimeSource
    private let digests: FileDigests
    private let recognition: FileLoader.Recognition?
    private let ledgers: BodyLedgers?
    private let folder: String?

    init(
        _ ticket: LoadTicket,
        time: any TimeSource,
        digests: FileDigests,
        recognition: FileLoader.Recognition?,
        ledgers: BodyLedgers?,
        folder: String?
    ) {
        self.ledgers = ledgers
        self.folder = folder
        self.recognition = recognition
        self.ticket = ticket
        self.time = time
        self.digests = digests
    }

    /// Reads the file, or returns a 304 if the request's validator matches.
    func run() -> Result<TransferResponse, TransferError> {
        do throws(TransferError) {
            for _ in 0..<Self.attempts {
                if let response = try attempt() { return .success(response) }
            }
            throw .unreachable("the file changed while it was read")
        } catch {
            return .failure(error)
        }
    }

    /// Makes one attempt; `nil` if the file changed meanwhile.
    private func attempt() throws(TransferError) -> TransferResponse? {
        try checkCancelled()
        let file = try open()
        guard let identity = FileIdentity(descriptor: file.number) else { throw .notFound }
        if ticket.request.entityTag == identity.entityTag {
            return TransferResponse(head: self.head(304, identity), body: .none)
        }
        let (limit, decryption) = (ticket.request.options.limits.bytes, ticket.request.options.decryption)
        guard identity.size <= decryption?.codedLength(of: limit) ?? limit else {
            throw isRecognized(file, length: identity.size) ? .tooLarge(limit: limit) : .notFound
        }
        let head = self.head(200, identity)
        // What is decoded must be copied.
        let isSettled = decryption == nil && isSettled(identity)
        if isSettled, let digest = digests.find(identity) {
            let body = TransferBody(file: file, length: identity.size, digest: digest)
            return TransferResponse(head: head, body: .file(body))
        }
        let hasRoom = ledgers.map { $0.memory.used + identity.size <= $0.memory.limit / 2 } ?? true
        let sink =
            try isSettled
            ? BodySink(hashing: file, limit: limit)
            : BodySink(limit: limit, folder: hasRoom ? nil : folder, decryption: decryption, ledgers: ledgers)
        guard sink.charge?.add(identity.size) ?? true else {
            throw .overloaded("the \(sink.isOnDisk ? "disk" : "memory") limit for bodies is reached")
        }
        try copy(file, sink)
        guard sink.received == identity.size, FileIdentity(descriptor: file.number) == identity else { return nil }
        let body = try sink.finish()
        if isSettled { digests.keep(body.digest, of: identity) }
        return TransferResponse(head: head, body: .file(body))
    }

    /// Whether a file is large and was not modified recently, so that it is served without a copy.
    ///
    /// Replacing the file leaves the open descriptor unchanged. Writing to it in place corrupts responses until the file is read
    /// again.
    private func isSettled(_ identity: FileIdentity) -> Bool {
        identity.size >= Self.smallestUncopied && identity.seconds < time.wallSeconds - FileLoader.settlingTime
    }

    /// Whether a file over the limit may be reported as too large; all others are reported as missing.
    private func isRecognized(_ file: SharedDescriptor, length: Int) -> Bool {
        guard let recognition else { return true }
        guard let bytes = file.read(count: min(length, recognition.prefix)) else { return false }
        return recognition.isKnown(bytes, length)
    }

    /// Returns a response head with the file's validators.
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
        // The system would truncate the path at a NUL.
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .notFound }
        let rootNumber = unsafe edge_open(root, edge_O_PATH | O_DIRECTORY | O_CLOEXEC, 0)
        guard rootNumber >= 0 else { throw Self.failure(errno) }
        let folder = SharedDescriptor(owning: rootNumber)
        // O_NONBLOCK opens a FIFO without waiting; it is refused afterwards.
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        for _ in 0..<Self.openAttempts {
            let number = unsafe edge_openat_beneath(folder.number, path, flags)
            if number >= 0 { return SharedDescriptor(owning: number) }
            if errno == ENOSYS { return try walk(folder, path, flags) }
            guard errno == EAGAIN || errno == EINTR else { throw Self.failure(errno) }
        }
        throw .unreachable("the folder changed while it was read")
    }

    /// Opens the file in a sandbox without openat2(2).
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

    /// Maps an error number; missing, unreadable and outside files all look missing, so no response reveals which files exist.
    private static func failure(_ code: CInt) -> TransferError {
        switch code {
        case ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ELOOP, EXDEV, ENAMETOOLONG, ENXIO, ENODEV, EINVAL: .notFound
        case EMFILE, ENFILE, ENOMEM: .overloaded("no file descriptor available")
        default: .unreachable("the file cannot be opened")
        }
    }
}
