import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RequestPriorityTests {
    @Test(arguments: [
        (nil, RequestPriority.normal), ("", .normal), ("u=0", .high), ("u=2, i", .high), ("u=3", .normal),
        ("i", .normal),
        ("u=5", .normal), ("u=6", .low), ("i, u=7", .low), ("u=1, u=7", .low), ("u=8", .normal), ("u=-1", .normal),
        ("u=1;a=b", .high), ("u=x", .normal), ("U=0", .normal), ("xu=0", .normal),
    ])
    func `reads the urgency, and ignores what it cannot parse`(_ field: String?, _ expected: RequestPriority) {
        #expect(RequestPriority(field: field) == expected)
    }

    @Test func `a prefetch is background work, whatever its urgency`() {
        #expect(RequestPriority(field: "u=0", purpose: "prefetch") == .background)
        #expect(RequestPriority(field: nil, purpose: "prefetch;prerender") == .background)
        #expect(RequestPriority(field: "u=0", purpose: "other") == .high)
    }
}
