import ImagePipeline
import LinuxSystem

extension ValueFormat where Value == Secret {
    /// A non-empty key or token of visible ASCII characters, redacted in output.
    static var credential: ValueFormat {
        .scalar("visible ASCII characters") { text in
            isVisibleASCII(text) ? Secret(text) : nil
        } write: {
            .quoted($0.description)
        }
        .secret
    }
}

extension ValueFormat where Value == String {
    /// A user name of basic authentication, which cannot contain a colon (RFC 7617).
    static var user: ValueFormat {
        .scalar("a user name without a colon") { text in
            isPrintable(text) && !text.isEmpty && !text.utf8.contains(UInt8(ascii: ":")) ? text : nil
        } write: {
            .quoted($0)
        }
    }

    /// The access key ID of an object store.
    static var accessKeyID: ValueFormat {
        // It is delimited by commas and slashes in the Authorization field.
        .scalar("an access key ID") { text in
            isVisibleASCII(text) && !text.utf8.contains { ",/=".utf8.contains($0) } ? text : nil
        } write: {
            .quoted($0)
        }
        // If both halves are swapped, the secret one must not be shown.
        .secret
    }

    /// A region of an object store.
    static var region: ValueFormat {
        .scalar("a region such as eu-central-1") { text in
            let isSound = text.utf8.allSatisfy {
                (48...57).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: "-")
            }
            return isSound && (1...64).contains(text.utf8.count) ? text : nil
        } write: {
            .quoted($0)
        }
    }

    /// The endpoint of an object store.
    static var endpoint: ValueFormat {
        .scalar("a URL without a path such as http://127.0.0.1:9000", parse: LocationParser.origin) { .quoted($0) }
    }
}

private func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
}

private func isVisibleASCII(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
}
