import CCurl
import Glibc
import HTTPSemantics
import LinuxSystem

/// The callbacks of libcurl during a request; on the transfer thread.
extension Transfer {
    /// Opens a socket for an address unless the policy refuses it, so nothing is sent to a refused address.
    func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return -1 }
        // The structure's last member is the start of an address of `addrlen` bytes.
        let bytes = unsafe UnsafeRawBufferPointer(
            start: UnsafeRawPointer(address) + offset,
            count: Int(address.pointee.addrlen)
        )
        if judgesAddresses {
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
        var opened = unsafe socket(address.pointee.family, type, address.pointee.protocol)
        var isLacking = opened < 0 && (errno == EMFILE || errno == ENFILE)
        if isLacking, configuration.relief?.relieve() == true {
            opened = unsafe socket(address.pointee.family, type, address.pointee.protocol)
            isLacking = opened < 0 && (errno == EMFILE || errno == ENFILE)
        }
        isOutOfDescriptors = isLacking
        hasSocket = hasSocket || opened >= 0
        if let silence = options.timeouts.silence {
            var limit = CUnsignedInt(clamping: silence)
            // A socket of another kind has no such option, and needs none.
            let size = socklen_t(MemoryLayout.size(ofValue: limit))
            _ = unsafe setsockopt(opened, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &limit, size)
        }
        return opened
    }

    /// Checks the address of the connection that a request is about to use.
    ///
    /// A pooled connection may have been opened for a source with more access.
    func mayUse(connectionTo text: String) -> Bool {
        if judgesAddresses {
            // A link-local address includes its zone.
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

    /// Receives a line of the head; `false` aborts the request.
    func receive(headLine line: [UInt8]) -> Bool {
        do {
            guard try head.take(line) else {
                if let interim = head.interim,
                    let patience = ticket.request.patience?(interim) ?? options.timeouts.afterInterim
                {
                    enter(.interim, milliseconds: patience)
                }
                // The lengths of all heads together are bounded only for one request.
                if let interim = head.interim, interim.isForwarded, attempts.isFirst { ticket.announce(interim) }
                return true
            }
        } catch {
            failure = .violation(error.rawValue)
            return false
        }
        if let treatment = ticket.request.statusTreatment { head.treat(as: treatment(head.status, head.lines)) }
        responseTime = time.wallSeconds
        headTime = time.monotonic
        enter(.body, milliseconds: options.timeouts.firstByte)
        if let resumption, continueBody(resumption) {
            expectMore()
        } else {
            beginBody()
        }
        return failure == nil
    }
}
