import CCurl
import CLinux
import Glibc
import LinuxSystem

/// The epoll instance: libcurl requests sockets and a timer through callbacks.
extension TransferLoop {
    func configureMulti() {
        unsafe edge_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, configuration.idleConnections))
        unsafe edge_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe edge_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, owner)
        unsafe edge_multi_set_pointer(multi, CURLMOPT_TIMERDATA, owner)
        unsafe edge_multi_set_socket_callback(multi) { _, descriptor, what, owner, _ in
            guard let owner = unsafe owner else { return 0 }
            unsafe Unmanaged<TransferLoop>.fromOpaque(owner).takeUnretainedValue().watch(descriptor, what)
            return 0
        }
        unsafe edge_multi_set_timer_callback(multi) { _, milliseconds, owner in
            guard let owner = unsafe owner else { return 0 }
            unsafe Unmanaged<TransferLoop>.fromOpaque(owner).takeUnretainedValue().setTimer(milliseconds)
            return 0
        }
    }

    func watchMailbox() {
        control(CInt(EPOLL_CTL_ADD), mailbox.event.number, edge_EPOLLIN)
    }

    private func setTimer(_ milliseconds: Int) {
        curlDeadline = milliseconds < 0 ? nil : time.monotonic + Int64(milliseconds) * 1_000_000
    }

    private func watch(_ descriptor: CInt, _ what: CInt) {
        guard what != CURL_POLL_REMOVE else {
            watched.remove(descriptor)
            control(CInt(EPOLL_CTL_DEL), descriptor, 0)
            return
        }
        var events: UInt32 = 0
        if what & CURL_POLL_IN != 0 { events |= edge_EPOLLIN }
        if what & CURL_POLL_OUT != 0 { events |= edge_EPOLLOUT }
        let isKnown = !watched.insert(descriptor).inserted
        // Closing a descriptor removes it from the epoll silently, and its number may have been reused.
        if !control(CInt(isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD), descriptor, events) {
            control(CInt(isKnown ? EPOLL_CTL_ADD : EPOLL_CTL_MOD), descriptor, events)
        }
    }

    @discardableResult
    private func control(_ operation: CInt, _ descriptor: CInt, _ events: UInt32) -> Bool {
        var event = unsafe epoll_event()
        unsafe event.events = events
        unsafe event.data.fd = descriptor
        return unsafe epoll_ctl(poller.number, operation, descriptor, &event) == 0
    }
}
