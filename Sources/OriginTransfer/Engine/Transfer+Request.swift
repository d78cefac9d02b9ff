import CCurl
import Glibc
import HTTPSemantics
import LinuxSystem

/// The set-up of a request.
extension Transfer {
    /// Configures a new or reset handle for the current URL.
    ///
    /// The handle keeps a pointer to this object, which must outlive the request.
    func prepare(_ easy: EasyHandle) {
        self.easy = easy
        easy.set(CURLOPT_URL, url.text)
        // The URL is sent as parsed; libcurl must not remove dot segments.
        easy.set(CURLOPT_PATH_AS_IS, 1)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_FOLLOWLOCATION, 0)
        // netrc and cookies are off by default.
        setRoute(easy)
        easy.set(CURLOPT_NOSIGNAL, 1)
        // Do not wait for the resolver thread of a cancelled transfer; it cleans up after itself.
        easy.set(CURLOPT_QUICK_EXIT, 1)
        setVersion(easy)
        easy.set(CURLOPT_TCP_KEEPALIVE, 1)
        if let silence = options.timeouts.silence {
            easy.set(CURLOPT_TCP_KEEPIDLE, max(1, silence / 2_000))
            easy.set(CURLOPT_TCP_KEEPINTVL, 1)
        }
        easy.set(CURLOPT_BUFFERSIZE, 65_536)
        // Request the identity coding; an encoded response is still decoded, and its decoded size is limited.
        if let exchange = currentExchange {
            setExchange(exchange, easy)
        } else {
            easy.set(CURLOPT_ACCEPT_ENCODING, "identity")
        }
        setTimeouts(easy)
        setLists(easy)
        setCallbacks(easy)
        enter(.connect, milliseconds: options.timeouts.connect)
        requestTime = time.wallSeconds
    }

    /// Sets the method and the content; content codings of the response are not decoded.
    private func setExchange(_ exchange: TransferRequest.Exchange, _ easy: EasyHandle) {
        if exchange.method == "HEAD" { easy.set(CURLOPT_NOBODY, 1) }
        let takesContent = !["GET", "HEAD", "OPTIONS", "TRACE", "DELETE"].contains(exchange.method)
        if takesContent || !exchange.body.isEmpty {
            easy.set(CURLOPT_POSTFIELDSIZE, exchange.body.count)
            // libcurl copies the bytes.
            unsafe exchange.body.withUnsafeBytes { bytes in
                let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                unsafe easy.set(CURLOPT_COPYPOSTFIELDS, bytes.isEmpty ? nil : start)
            }
            if exchange.body.isEmpty { easy.set(CURLOPT_COPYPOSTFIELDS, "") }
        }
        if exchange.method != "HEAD" { easy.set(CURLOPT_CUSTOMREQUEST, exchange.method) }
    }

    /// Enables HTTP/2 over TLS, and waits for a connection in progress rather than opening another.
    ///
    /// Without TLS, libcurl would hold back the second request until the first response.
    private func setVersion(_ easy: EasyHandle) {
        let isSecure = url.scheme == .https
        easy.set(CURLOPT_HTTP_VERSION, Int(isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        easy.set(CURLOPT_PIPEWAIT, isSecure ? 1 : 0)
    }

    /// Sets libcurl's timeouts as a fallback for the loop's deadlines, which cover more phases.
    private func setTimeouts(_ easy: EasyHandle) {
        let rest = max(1, (totalDeadline - time.monotonic) / 1_000_000)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, options.timeouts.connect))
        // A body that is passed on may take any time.
        if !ticket.wantsArrival { easy.set(CURLOPT_TIMEOUT_MS, Int(rest) + 1_000) }
    }

    private func setLists(_ easy: EasyHandle) {
        let credentials = isTrusted ? options.credentialFields(for: url, at: time.wallSeconds) : []
        let fields: HeaderList
        if let exchange = currentExchange {
            fields = HeaderList(
                bytes: RequestFields.rawLines(
                    exchange,
                    caller: ticket.request.caller,
                    headers: options.headers,
                    credentials: credentials,
                    pseudonym: configuration.pseudonym
                )
            )
        } else {
            fields = HeaderList(
                RequestFields.lines(
                    ticket.request,
                    withSource: isTrusted,
                    range: rangeFields,
                    credentials: credentials,
                    userAgent: configuration.userAgent,
                    pseudonym: configuration.pseudonym
                )
            )
        }
        lists = [fields, HeaderList(configuration.hosts)]
        easy.set(CURLOPT_HTTPHEADER, lists[0])
        easy.set(CURLOPT_RESOLVE, lists[1])
    }

    private func setCallbacks(_ easy: EasyHandle) {
        let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
        for option in [
            CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_PREREQDATA,
        ] {
            unsafe easy.set(option, owner)
        }
        unsafe edge_easy_set_write_callback(easy.pointer, CURLOPT_WRITEFUNCTION) { bytes, size, count, owner in
            guard let transfer = unsafe Transfer.from(owner) else { return 0 }
            return unsafe transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        unsafe edge_easy_set_write_callback(easy.pointer, CURLOPT_HEADERFUNCTION) { bytes, size, count, owner in
            guard let transfer = unsafe Transfer.from(owner) else { return 0 }
            let line = unsafe Array(UnsafeRawBufferPointer(start: bytes, count: size * count))
            return transfer.receive(headLine: line) ? size * count : 0
        }
        unsafe edge_easy_set_opensocket_callback(easy.pointer) { owner, _, address in
            guard let transfer = unsafe Transfer.from(owner), let address = unsafe address else { return -1 }
            return unsafe transfer.openSocket(address)
        }
        unsafe edge_easy_set_prereq_callback(easy.pointer) { owner, address, _, _, _ in
            guard let transfer = unsafe Transfer.from(owner) else { return CInt(CURL_PREREQFUNC_ABORT) }
            let text = unsafe address.map { unsafe String(cString: $0) }
            return CInt(transfer.mayUse(connectionTo: text ?? "") ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
        }
    }

    /// Returns the transfer of a callback.
    static func from(_ owner: UnsafeMutableRawPointer?) -> Transfer? {
        unsafe owner.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }
}
