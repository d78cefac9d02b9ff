import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct RingQueueTests {
    @Test func `behaves like an array while it grows and wraps`() {
        var queue = RingQueue<Int>()
        var model: [Int] = []
        var generator = SystemRandomNumberGenerator()
        for step in 0..<20_000 {
            // Drifts up and down so that the ring wraps at several sizes.
            if Int.random(in: 0..<100, using: &generator) < ((step / 2000).isMultiple(of: 2) ? 60 : 40) {
                queue.append(step)
                model.append(step)
            } else {
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.count == model.count)
        }
    }
}
