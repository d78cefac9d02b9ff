import CLinux
import Glibc
import LinuxSystem
import Synchronization

/// Listening and accepting.
extension EventLoop {
    private static let exclusive: UInt32 = 1 << 28
    /// How many connections above the maximum get a 503; further ones are closed without a response.
    private static let overflowLimit = 256
    /// How many connections above a client's maximum get a 429; further ones are closed without a response.
    private static let clientOverflowLimit = 16

    /// Registers the mailbox and the listeners with epoll; runs on the starting thread so that the caller sees errors.
    static func watch(_ epoll: CInt, _ mailbox: LoopMailbox, _ listeners: [Listener]) throws(Errno) {
        try add(epoll, mailbox.wakeDescriptor, edge_EPOLLIN | edge_EPOLLET, UInt64(wakeSlot))
        for index in listeners.indices { try watch(epoll, listeners[index], index) }
    }

    private static func watch(_ epoll: CInt, _ listener: Listener, _ index: Int) throws(Errno) {
        let flags = edge_EPOLLIN | (listener.isShared ? exclusive : 0)
        try add(epoll, listener.descriptor.number, flags, UInt64(firstListenerSlot) + UInt64(index))
    }

    private static func add(_ epoll: CInt, _ descriptor: CInt, _ flags: UInt32, _ data: UInt64) throws(Errno) {
        var event = unsafe epoll_event(events: flags, data: epoll_data_t(u64: data))
        try checked("epoll_ctl") { unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) }
    }

    /// Accepts waiting connections, a bounded number per turn; listeners are level-triggered, so the event repeats.
    ///
    /// - Returns: whether more connections may be waiting.
    @discardableResult
    func acceptConnections(_ listener: Int) -> Bool {
        guard let descriptor = listeners[listener]?.descriptor.number else { return false }
        // Accept one at a time from a shared socket: the event repeats, and may go to another loop.
        for _ in 0..<(listeners[listener]?.isShared == true ? 1 : 64) {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let accepted = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe edge_accept4(descriptor, $0, &length)
                }
            }
            if accepted >= 0 {
                admit(accepted, PeerAddress(storage))
                continue
            }
            switch errno {
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, EHOSTUNREACH, ENETUNREACH:
                continue
            case EAGAIN:
                return false
            case EMFILE where configuration.relief?.relieve() == true:
                continue
            default:
                // Out of descriptors or memory: wait for connections to end instead of spinning.
                pauseListeners()
                return false
            }
        }
        return true
    }

    private func admit(_ descriptor: CInt, _ peer: PeerAddress) {
        counters.accepted.addSingleWriter(1)
        let open = shared.open.wrappingAdd(1, ordering: .relaxed).newValue
        let isOver = open > configuration.maximumConnections
        let connection = register(descriptor, peer)
        let ofClient = chargeConnection(connection)
        let isWatched = (try? Self.add(epoll, descriptor, Self.connectionFlags, connection.id.userData)) != nil
        if !isWatched || open > configuration.maximumConnections + Self.overflowLimit {
            if isOver { counters.turnedAway.addSingleWriter(1) }
            return end(connection)
        }
        if isOver {
            counters.turnedAway.addSingleWriter(1)
            turnAway(connection, .tooManyConnections)
        } else if ofClient > configuration.maximumConnectionsPerClient {
            turnAwayClient(connection, ofClient)
        } else {
            setTimer(connection)
        }
    }

    private func turnAway(_ connection: Connection, _ rejection: RequestRejection) {
        refuse(connection, rejection)
        flush(connection)
        proceed(connection)
    }

    /// Counts a connection for its client, which a PROXY protocol header may name later than the accept.
    ///
    /// - Returns: the number of the client's connections, this one included; 0 if it is not counted.
    func chargeConnection(_ connection: Connection) -> Int {
        guard connection.account == nil, !connection.carriesManyClients else { return 0 }
        let account = connection.peer.account
        connection.account = account
        return configuration.accounts.add(1, .connections, to: account)
    }

    /// Closes the newest connection of a client that has too many.
    ///
    /// The newest, because which of the others is of least use is not known: a client's open connections may be those of many
    /// users behind one address, and closing an idle one may reset a request on its way.
    private func turnAwayClient(_ connection: Connection, _ ofClient: Int) {
        counters.turnedAway.addSingleWriter(1)
        counters.turnedAwayOfClients.addSingleWriter(1)
        guard ofClient <= configuration.maximumConnectionsPerClient + Self.clientOverflowLimit else {
            return end(connection)
        }
        turnAway(connection, .tooManyConnectionsOfClient)
    }

    private static var connectionFlags: UInt32 { edge_EPOLLIN | edge_EPOLLOUT | edge_EPOLLRDHUP | edge_EPOLLET }

    private func register(_ descriptor: CInt, _ peer: PeerAddress) -> Connection {
        connectionCount += 1
        let slot: UInt32
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = UInt32(slots.count)
            slots.append(Slot(generation: 0, connection: nil))
        }
        let generation = slots[Int(slot)].generation
        let id = ConnectionID(slot: slot, generation: generation)
        let connection = Connection(descriptor: descriptor, id: id, peer: peer, proxies: configuration.proxies)
        slots[Int(slot)].connection = connection
        return connection
    }

    private func pauseListeners() {
        areListenersPaused = true
        for listener in listeners.compactMap(\.self) { forget(listener) }
    }

    func forget(_ listener: Listener) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, listener.descriptor.number, nil)
    }

    func resumeListeners() {
        areListenersPaused = false
        for (index, listener) in listeners.enumerated() {
            guard let listener else { continue }
            do throws(Errno) {
                try Self.watch(epoll, listener, index)
            } catch {
                areListenersPaused = true
            }
        }
    }
}
