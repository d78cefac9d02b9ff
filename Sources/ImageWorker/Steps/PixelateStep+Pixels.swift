import ImagePlan

extension PixelateStep: PixelStep {
    func apply(to canvas: inout Canvas) throws {
        let deadline = canvas.deadline
        try canvas.change(to: canvas.shape) { frame in
            let means =
                frame.hasAlpha
                ? try frame.premultiplied().blockMeans(block: block).unpremultiplied()
                : try frame.blockMeans(block: block)
            let small = try means.roundedToEightBits()
            deadline.watch(small)
            // In memory: every line of it is read once for each line of its blocks.
            return try small.inMemory().blocks(block, width: frame.width, height: frame.height)
        }
    }
}
