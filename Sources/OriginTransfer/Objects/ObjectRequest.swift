package import LinuxSystem

/// A request for one object of a bucket.
package struct ObjectRequest: Sendable {
    /// What is done with the object.
    package enum Verb: Sendable {
        /// Returns the object in memory.
        case get
        /// Returns the object in a sealed memory file, or in a file of `ObjectRoom.folder`, hashed while it arrives.
        case getFile
        /// Replaces or creates the object.
        case put(Content)
        case delete

        /// The request method.
        var method: String {
            switch self {
            case .get, .getFile: "GET"
            case .put: "PUT"
            case .delete: "DELETE"
            }
        }
    }

    /// The bytes of an object to be stored.
    package enum Content: Sendable {
        case bytes([UInt8])
        /// The first bytes of a file, with their digest.
        case file(SharedDescriptor, length: Int, digest: SHA256Digest)

        /// The length in bytes.
        package var length: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(_, let length, _): length
            }
        }

        /// The digest, with which the store verifies what it receives.
        var digest: SHA256Digest {
            switch self {
            case .bytes(let bytes): SHA256Digest(hashing: bytes)
            case .file(_, _, let digest): digest
            }
        }
    }

    /// A precondition of a write (RFC 9110 §13.1): if it does not hold, the response is 412.
    package enum Condition: Hashable, Sendable {
        /// The object has this entity tag.
        case matches(String)
        /// There is no object.
        case isAbsent

        /// What is compared.
        package enum Kind: Sendable {
            case matches
            case isAbsent
        }

        /// The kind of comparison, without the entity tag.
        package var kind: Kind {
            switch self {
            case .matches: .matches
            case .isAbsent: .isAbsent
            }
        }

        /// The header line.
        var line: String {
            switch self {
            case .matches(let tag): "If-Match: \(tag)"
            case .isAbsent: "If-None-Match: *"
            }
        }
    }

    /// The limits of a request's duration.
    package struct Patience: Hashable, Sendable {
        /// The longest time until the first byte of the response's content, in milliseconds.
        package var firstByte: Int
        /// The time for the rest, in milliseconds, besides what its length takes at `rate`.
        package var rest: Int
        /// The lowest rate, in bytes per second, at which content is expected to be transferred.
        package var rate: Int

        /// Creates limits.
        package init(firstByte: Int, rest: Int = 1_000, rate: Int = 4 << 20) {
            self.firstByte = firstByte
            self.rest = rest
            self.rate = rate
        }

        /// The longest time that the length of content is worth, in milliseconds: a day.
        private static let longest = 86_400_000.0

        /// The nanoseconds that content of a length may take.
        func nanoseconds(for length: Int) -> Int64 {
            // A limit may be any length that a record of the store states: integers would overflow.
            let transfer = min(Double(length) * 1_000 / Double(max(1, rate)), Self.longest)
            return (Int64(rest) + Int64(transfer)) * 1_000_000
        }
    }

    /// The key below the bucket's prefix, of unreserved characters and slashes (RFC 3986 §2.3).
    package var key: String
    package var verb: Verb
    package var condition: Condition?
    /// The maximum bytes of the response's content.
    package var limit: Int
    package var patience: Patience

    /// Creates a request.
    package init(
        _ verb: Verb,
        _ key: String,
        if condition: Condition? = nil,
        limit: Int = 64 << 10,
        patience: Patience
    ) {
        self.verb = verb
        self.key = key
        self.condition = condition
        self.limit = limit
        self.patience = patience
    }
}

/// A store's response.
package struct ObjectResponse: Sendable {
    package var status: Int
    /// The value of `ETag`.
    package var entityTag: String?
    /// The time of the store's clock at which it responded, in seconds since 1970; `nil` without a valid `Date`.
    package var date: Int64?
    /// The content of a response to `.get` with status 200; for other statuses, the first bytes.
    package var bytes: [UInt8] = []
    /// What `bytes` count against until the response is released; `nil` if they are not counted.
    var charge: MemoryCharge?
    /// The content of a response to `.getFile` with status 200.
    package var body: TransferBody?

    /// Creates a response without content.
    package init(status: Int) { self.status = status }
}

/// Why there is no usable response.
package enum ObjectFailure: Error, Hashable, Sendable {
    /// The time of `ObjectRequest.patience` was exceeded.
    case slow
    /// The connection failed, or the content was cut off; the reason, in libcurl's words.
    case broken(String)
    /// The content exceeds the limit.
    case tooLarge
    /// Too many requests are in progress, or the contents of others leave no room for this one's.
    case busy
    /// The client was closed.
    case closed
}
