import CCurl
import Glibc
import HTTPSemantics
import LinuxSystem

/// What libcurl asks and tells while a request runs, on the transfer thread.
extension Transfer {
    /// Opens the socket for an address unless the policy refuses it: nothing is sent to a refused one.
    func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return -1 }
        // The structure's last member stands for a longer address; addrlen says how long.
        let bytes = unsafe UnsafeRawBufferPointer(
            start: UnsafeRawPointer(address) + offset,
            count: Int(address.pointee.addrlen)
        )
        if !options.allowPrivate {
            guard let parsed = unsafe IPAddress(socketAddress: bytes) else {
                refusal = AddressPolicy.Refusal(.reserved)
                return -1
            }
            if let refused = configuration.refusal(parsed) {
                refusal = refused
                return -1
            }
        }
        let type = unsafe address.pointee.socktype | CInt(SOCK_CLOEXEC.rawValue)
        let opened = unsafe socket(address.pointee.family, type, address.pointee.protocol)
        hasSocket = hasSocket || opened >= 0
        return opened
    }

    /// Judges the connection that a request is about to go over, above all one of the pool: it may have been opened for a
    /// source that may ask more.
    func mayUse(connectionTo text: String) -> Bool {
        if !options.allowPrivate {
            // A link-local address comes with its zone.
            guard let address = IPAddress(String(text.prefix { $0 != "%" })) else {
                refusal = AddressPolicy.Refusal(.reserved)
                return false
            }
            if let refused = configuration.refusal(address) {
                refusal = refused
                return false
            }
        }
        requestTime = time.wallSeconds
        enter(.firstByte, milliseconds: options.timeouts.firstByte)
        return true
    }

    /// Takes a line of the head; `false` aborts the request.
    func receive(headLine line: [UInt8]) -> Bool {
        do {
            guard try head.take(line) else { return true }
        } catch {
            failure = .violation(error.rawValue)
            return false
        }
        responseTime = time.wallSeconds
        enter(.body, milliseconds: options.timeouts.firstByte)
        let limit = options.limits.bytes
        if head.status == 200 || isRaw && !isHEAD, let length = head.contentLength, length > limit {
            failure = .tooLarge(limit: limit)
        }
        return failure == nil
    }

    /// Takes bytes of the body; `false` aborts the request.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        enter(.body, milliseconds: options.timeouts.firstByte)
        if isRaw { return unsafe receive(raw: bytes) }
        guard head.status == 200 else {
            discarded += bytes.count
            return discarded <= Self.maximumDiscarded
        }
        do throws(TransferError) {
            let sink = try openSink()
            guard budget.take(bytes.count) else { throw TransferError.overloaded("memory for bodies is used up") }
            do throws(TransferError) {
                try unsafe sink.append(bytes)
            } catch {
                budget.give(back: bytes.count)
                throw error
            }
        } catch {
            failure = error
            return false
        }
        ticket.count(bytes.count)
        return true
    }

    /// Takes bytes of a raw answer's body, whatever its status.
    private func receive(raw bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.count > options.limits.bytes - content.count {
            failure = .tooLarge(limit: options.limits.bytes)
        } else if !budget.take(bytes.count) {
            failure = .overloaded("memory for bodies is used up")
        } else {
            unsafe content.append(contentsOf: bytes)
            ticket.count(bytes.count)
        }
        return failure == nil
    }

    /// Whether no body will come, whatever its length says.
    private var isHEAD: Bool { ticket.request.exchange?.method == "HEAD" }

    private func openSink() throws(TransferError) -> BodySink {
        if let sink { return sink }
        let opened = try BodySink(limit: options.limits.bytes)
        sink = opened
        return opened
    }
}
