import ImagePipeline
import LinuxSystem

extension ValueFormat where Value == Secret {
    /// A key or token of visible ASCII characters that is not empty, never shown.
    static var credential: ValueFormat {
        .scalar("a text of visible ASCII characters") { text in
            isVisibleASCII(text) ? Secret(text) : nil
        } write: {
            .quoted($0.description)
        }
        .secret
    }
}

extension ValueFormat where Value == String {
    /// The user of RFC 7617, which holds no colon.
    static var user: ValueFormat {
        .scalar("a user without a colon") { text in
            isPrintable(text) && !text.isEmpty && !text.utf8.contains(UInt8(ascii: ":")) ? text : nil
        } write: {
            .quoted($0)
        }
    }

    /// The public half of an object store's keys.
    static var accessKeyID: ValueFormat {
        // It stands between commas and slashes in the Authorization field.
        .scalar("an access key's id") { text in
            isVisibleASCII(text) && !text.utf8.contains { ",/=".utf8.contains($0) } ? text : nil
        } write: {
            .quoted($0)
        }
        // Who has swapped the two halves must not read the secret one here.
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

    /// Where an object store is.
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
