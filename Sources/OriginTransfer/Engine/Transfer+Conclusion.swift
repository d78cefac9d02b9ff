import CCurl
import HTTPSemantics
import LinuxSystem

/// The outcome of a request.
extension Transfer {
    /// Returns the conclusion of a request that libcurl has completed.
    func conclude(_ code: CURLcode) -> Conclusion {
        if let failure { return .finished(.failure(failure)) }
        if let refusal, code == CURLE_ABORTED_BY_CALLBACK || !hasSocket {
            return .finished(.failure(.addressRefused(refusal.name)))
        }
        guard head.isComplete else { return .finished(.failure(headFailure(code))) }
        if isHeld, code != CURLE_OK {
            return .finished(.failure(.unreachable("the origin responded with \(head.status)")))
        }
        if let wholeLength, code == CURLE_OK, received != wholeLength {
            return .finished(.failure(.violation("body shorter than its length")))
        }
        if isRaw {
            // A partial body must not be mistaken for the whole.
            guard code == CURLE_OK else { return .finished(.failure(Self.failure(code))) }
            // The load of a body that was only passed on may have been completed before.
            if isPassedOn { return .finished(.success(response(.none))) }
            return .finished(sink == nil ? .success(response(.bytes(content))) : delivered())
        }
        switch head.status {
        case 200:
            guard code == CURLE_OK else { return .finished(.failure(Self.failure(code))) }
            return .finished(delivered())
        case 301, 302, 303, 307, 308:
            return redirected()
        default:
            return .finished(.success(response(.none)))
        }
    }

    /// Returns the conclusion of a load whose deadline has passed.
    func expire() -> Conclusion {
        // Only part of a discarded body is missing.
        if head.isComplete, head.status != 200, !isRaw, failure == nil { return conclude(CURLE_OPERATION_TIMEDOUT) }
        if phase == .queue { return .finished(.failure(.overloaded(phase.rawValue))) }
        let isTotal = totalDeadline <= phaseDeadline
        return .finished(.failure(.timeout(isTotal ? "total" : phase.rawValue)))
    }

    private func response(_ body: TransferResponse.Content) -> TransferResponse {
        var response = TransferResponse(head: transferHead, redirects: hops, body: body)
        response.mirror = attempts.index
        return response
    }

    private func delivered() -> Result<TransferResponse, TransferError> {
        do throws(TransferError) {
            let body: TransferBody
            if let sink {
                body = try sink.finish(wasRead: growing?.wasRead ?? false)
            } else {
                body = try BodySink(limit: options.limits.bytes, decryption: options.decryption).finish()
            }
            return .success(response(.file(body)))
        } catch {
            return .failure(error)
        }
    }

    private func redirected() -> Conclusion {
        guard let location = head[.location] else {
            return .finished(.failure(.violation("redirect without a location")))
        }
        guard redirects < options.limits.redirects else {
            let reason = "too many redirects; limits.redirects is \(options.limits.redirects)"
            return .finished(.failure(.violation(reason)))
        }
        do {
            return .redirected(try url.resolving(location))
        } catch {
            return .finished(.failure(.violation("redirect to an unusable URL (\(error.rawValue))")))
        }
    }

    private var waitsForHead: Bool { phase == .firstByte || phase == .interim }

    /// Returns the failure of a request without a complete head.
    private func headFailure(_ code: CURLcode) -> TransferError {
        if lacksDescriptor(code) {
            configuration.relief?.relieve()
            return .overloaded("no file descriptor available for a connection")
        }
        return switch code {
        case CURLE_COULDNT_RESOLVE_HOST where isForeign && !options.allowPrivate:
            .unresolved
        case CURLE_OUT_OF_MEMORY where waitsForHead, Self.tooLarge where waitsForHead:
            // libcurl fails with this for a line over 100 kB and does not pass the line on.
            .violation(ResponseHead.Defect.tooLong.rawValue)
        default: Self.failure(code)
        }
    }

    /// Whether the request has failed because this process has no descriptor left, which says nothing about the origin.
    private func lacksDescriptor(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_COULDNT_CONNECT: isOutOfDescriptors
        // The resolver and the TLS library do not report why they could not open a socket or a file.
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_FAILED_INIT, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_PEER_FAILED_VERIFICATION:
            isOutOfDescriptors || DescriptorLimit.isReached
        default: false
        }
    }

    /// `CURLE_TOO_LARGE`, added in libcurl 8.6.
    private static let tooLarge = CURLcode(rawValue: 100)

    private static func failure(_ code: CURLcode) -> TransferError {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .timeout("total")
        case CURLE_COULDNT_RESOLVE_HOST: .unreachable("the host's name does not resolve")
        case CURLE_COULDNT_CONNECT: .unreachable("the connection failed")
        case CURLE_PEER_FAILED_VERIFICATION: .unreachable("the certificate is not trusted")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
            .unreachable("the TLS handshake failed")
        case CURLE_SSL_CERTPROBLEM: .unreachable("cannot use the client certificate")
        case CURLE_INTERFACE_FAILED: .unreachable("cannot use the source's interface")
        case CURLE_COULDNT_RESOLVE_PROXY: .unreachable("the proxy's name does not resolve")
        case CURLE_PROXY: .unreachable("the proxy refused the connection")
        case CURLE_SSL_CACERT_BADFILE: .unreachable("cannot read the trusted certificates")
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR: .unreachable("the connection was lost")
        case CURLE_PARTIAL_FILE: .violation("body shorter than its length")
        case CURLE_GOT_NOTHING, CURLE_OK: .violation("connection closed without a response")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: .violation("not an HTTP response")
        case CURLE_BAD_CONTENT_ENCODING: .violation("undecodable content coding")
        case CURLE_HTTP2, CURLE_HTTP2_STREAM: .violation("HTTP/2 framing error")
        case CURLE_OUT_OF_MEMORY: .overloaded("no memory for a transfer")
        default: .unreachable("the transfer failed (libcurl \(code.rawValue))")
        }
    }
}
