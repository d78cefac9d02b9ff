import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct RawFlightsTests {
    private let source = SourceRule(name: "raw", location: .remote)

    private func request(_ number: Int) -> RawRequest {
        RawRequest(
            method: "GET",
            origin: OriginRequest(source: source, at: "http://a/\(number)"),
            fields: FieldLines([])
        )
    }

    @Test func `of requests that come together one begins and the others wait`() async {
        let flights = RawFlights(waiters: 10)
        let woken = Signal(0)
        let requests = (0..<20_000).map(request)
        // Two go through the same rounds side by side, each hard on the other's heels.
        let begun = await withTaskGroup(of: [RawFlights.Flight].self) { group in
            for _ in 0..<2 {
                group.addTask {
                    requests.compactMap { request in
                        let admission = flights.join(request) { woken.update { $0 += 1 } }
                        if case .begin(let flight) = admission { return flight }
                        return nil
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(begun.count == requests.count)
        for flight in begun { flights.end(flight) }
        #expect(woken.value == requests.count)
    }
}
