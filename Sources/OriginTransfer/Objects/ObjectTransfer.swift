import CCurl
import CCrypto
import Glibc
import HTTPSemantics
import LinuxSystem

/// One request of an `ObjectClient` in progress; confined to the client's thread.
@safe
final class ObjectTransfer {
    let easy: EasyHandle
    let entry: ObjectClient.Entry
    /// The monotonic time at which it is given up.
    private(set) var deadline: Int64
    private var request: ObjectRequest { entry.request }
    private let time: any TimeSource
    private let room: ObjectRoom
    private var head = ResponseHead()
    private var bytes: [UInt8] = []
    /// What `bytes` count against; `nil` if they are not counted.
    private let charge: MemoryCharge?
    private var sink: BodySink?
    private var hasFirstByte = false
    /// Why the content was not taken.
    private var refusal: ObjectFailure?
    private var lines: HeaderList?
    /// The next byte of the content to be sent.
    private var sent = 0

    /// The bytes kept of the content of an error.
    private static let keptOfErrors = 1_024

    /// Prepares a request; `nil` if out of memory.
    init?(_ entry: ObjectClient.Entry, of client: ObjectClient) {
        guard let easy = EasyHandle() else { return nil }
        self.easy = easy
        self.entry = entry
        let request = entry.request
        time = client.time
        room = client.room
        charge = room.ledgers.map { MemoryCharge(to: $0.memory) }
        deadline = entry.begun + Int64(request.patience.firstByte) * 1_000_000
        if case .put(let content) = request.verb { deadline += request.patience.nanoseconds(for: content.length) }
        prepare(client)
    }

    deinit { easy.dispose() }

    private func prepare(_ client: ObjectClient) {
        let url = client.bucket.url(rawPath: request.key, rawQuery: "")
        easy.set(CURLOPT_URL, url)
        easy.set(CURLOPT_PATH_AS_IS, 1)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_FOLLOWLOCATION, 0)
        easy.set(CURLOPT_PROXY, "")
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_QUICK_EXIT, 1)
        easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        easy.set(CURLOPT_TCP_KEEPALIVE, 1)
        var digest = AWSSignature.emptyPayload
        switch request.verb {
        case .get, .getFile: break
        case .delete: easy.set(CURLOPT_CUSTOMREQUEST, "DELETE")
        case .put(let content):
            digest = content.digest.text
            easy.set(CURLOPT_UPLOAD, 1)
            easy.set(CURLOPT_INFILESIZE_LARGE, offset: content.length)
        }
        var fields = signature(of: url, digest, client).map { "\($0.name): \($0.value)" }
        if let condition = request.condition { fields.append(condition.line) }
        let lines = HeaderList(fields)
        self.lines = lines
        easy.set(CURLOPT_HTTPHEADER, lines)
        setCallbacks()
    }

    /// Returns the fields that authenticate the request.
    private func signature(of url: String, _ digest: String, _ client: ObjectClient) -> [HeaderField] {
        guard case .accessKey(let id, let secret, let session)? = client.credentials, let url = try? OriginURL(url)
        else { return [] }
        let seconds = client.signingSeconds
        var own = [
            HeaderField(name: "X-Amz-Content-Sha256", value: digest),
            HeaderField(name: "X-Amz-Date", value: AWSSignature.timestamp(seconds)),
        ]
        // Some stores guess it from the content, which must not be shown in a browser.
        if case .put = request.verb { own.append(HeaderField(name: "Content-Type", value: "application/octet-stream")) }
        if let session { own.append(HeaderField(name: "X-Amz-Security-Token", value: session.value)) }
        let value = AWSSignature(accessKey: id, secretKey: secret, region: client.bucket.region).authorization(
            method: request.verb.method,
            path: url.path,
            query: "",
            fields: own + [HeaderField(name: "Host", value: url.authority)],
            payload: digest,
            at: seconds
        )
        return own + [HeaderField(name: "Authorization", value: value)]
    }

    // The handle keeps a pointer to this object, which the client holds until it has removed the handle.
    private func setCallbacks() {
        let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
        for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA] {
            unsafe easy.set(option, owner)
        }
        unsafe edge_easy_set_write_callback(easy.pointer, CURLOPT_WRITEFUNCTION) { bytes, size, count, owner in
            guard let transfer = unsafe ObjectTransfer.from(owner) else { return 0 }
            return unsafe transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        unsafe edge_easy_set_write_callback(easy.pointer, CURLOPT_HEADERFUNCTION) { bytes, size, count, owner in
            guard let transfer = unsafe ObjectTransfer.from(owner) else { return 0 }
            let line = unsafe Array(UnsafeRawBufferPointer(start: bytes, count: size * count))
            do { _ = try transfer.head.take(line) } catch { return 0 }
            return size * count
        }
        unsafe edge_easy_set_read_callback(easy.pointer) { buffer, size, count, owner in
            guard let transfer = unsafe ObjectTransfer.from(owner) else { return Int(CURL_READFUNC_ABORT) }
            return unsafe transfer.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
        }
        unsafe edge_easy_set_seek_callback(easy.pointer) { owner, offset, origin in
            guard let transfer = unsafe ObjectTransfer.from(owner), origin == SEEK_SET else {
                return CURL_SEEKFUNC_CANTSEEK
            }
            transfer.sent = Int(offset)
            return CURL_SEEKFUNC_OK
        }
    }

    private static func from(_ owner: UnsafeMutableRawPointer?) -> ObjectTransfer? {
        unsafe owner.map { unsafe Unmanaged<ObjectTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Callbacks

    /// Takes content; returns the number of bytes, or 0 to stop the transfer.
    private func receive(_ part: UnsafeRawBufferPointer) -> Int {
        if !hasFirstByte {
            hasFirstByte = true
            let length = head.contentLength.map { min($0, request.limit) } ?? request.limit
            deadline = time.monotonic + request.patience.nanoseconds(for: length)
        }
        // The content of an error may be of any length; its code is at the beginning.
        guard head.status == 200 else {
            unsafe bytes.append(contentsOf: part.prefix(max(0, Self.keptOfErrors - bytes.count)))
            return part.count
        }
        do throws(ObjectFailure) {
            try unsafe keep(part)
            return part.count
        } catch {
            refusal = error
            return 0
        }
    }

    /// Keeps a part of the object.
    ///
    /// - Throws: `.tooLarge`, or `.busy` if this machine has no room, which is no fault of the store.
    private func keep(_ part: UnsafeRawBufferPointer) throws(ObjectFailure) {
        if case .getFile = request.verb {
            do throws(TransferError) {
                let sink = try openSink()
                guard part.count <= request.limit - sink.count else { throw .tooLarge(limit: request.limit) }
                guard sink.charge?.add(part.count) ?? true else { throw .overloaded("the limit for bodies is reached") }
                try unsafe sink.append(part)
            } catch {
                if case .tooLarge = error { throw .tooLarge }
                throw .busy
            }
        } else {
            guard part.count <= request.limit - bytes.count else { throw .tooLarge }
            guard charge?.add(part.count) ?? true else { throw .busy }
            unsafe bytes.append(contentsOf: part)
        }
    }

    /// Returns the file of the content; without content, it is created at the end.
    private func openSink() throws(TransferError) -> BodySink {
        if let sink { return sink }
        let opened = try room.sink(for: head.contentLength, limit: request.limit)
        sink = opened
        return opened
    }

    /// Copies the next bytes to be sent.
    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard case .put(let content) = request.verb else { return 0 }
        let count = min(buffer.count, content.length - sent)
        guard count > 0 else { return 0 }
        switch content {
        case .bytes(let bytes):
            unsafe buffer.copyBytes(from: bytes[sent..<sent + count])
            sent += count
            return count
        case .file(let file, _, _):
            let got = unsafe pread(file.number, buffer.baseAddress, count, off_t(sent))
            guard got > 0 else { return Int(CURL_READFUNC_ABORT) }
            sent += got
            return got
        }
    }

    // MARK: The end

    /// Returns why a transfer with a result of libcurl has failed; `nil` if it has not.
    func failure(_ code: CURLcode) -> ObjectFailure? {
        if code == CURLE_OK { return nil }
        return refusal ?? .broken(unsafe String(cString: curl_easy_strerror(code)))
    }

    /// Returns the response, or the failure.
    func conclude(_ failure: ObjectFailure?) -> Result<ObjectResponse, ObjectFailure> {
        if let failure { return .failure(failure) }
        var response = ObjectResponse(status: head.status)
        response.entityTag = head.lines["etag"]
        response.date = head.lines["date"].flatMap { HTTPDate($0, now: time.wallSeconds) }?.seconds
        response.bytes = bytes
        response.charge = charge
        if head.status == 200, case .getFile = request.verb {
            guard let body = try? openSink().finish() else { return .failure(.busy) }
            response.body = body
        }
        return .success(response)
    }
}
