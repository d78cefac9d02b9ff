import HTTPKit
import HTTPSemantics

extension RequestPriority {
    /// Reads the priority that a client states with `Priority` and `Sec-Purpose`; normal without them.
    init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
        func text(_ name: StaticString) -> String? {
            head.value(named: name, in: bytes).map { String(decoding: bytes.copy($0), as: UTF8.self) }
        }
        self.init(field: text("priority"), purpose: text("sec-purpose"))
    }
}
