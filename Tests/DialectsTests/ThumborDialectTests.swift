import Dialects
import ImagePlan
import Testing

/// Requests of thumbor after its documentation, and what they become.
@Suite(.timeLimit(.minutes(1)))
struct ThumborDialectTests {
    private static let requests = TranslationTable(
        dialect: .thumbor,
        prefix: "/unsafe/",
        suffix: "/photos/cat.jpg",
        lines: """
            300x0 -> w=300&enlarge=1&format=source
            0x300 -> h=300&enlarge=1&format=source
            300x -> w=300&enlarge=1&format=source
            x300 -> h=300&enlarge=1&format=source
            0x0 -> format=source
            x -> format=source
            -300x200 -> w=300&h=200&flip=h&enlarge=1&fit=cover&format=source
            300x-200 -> w=300&h=200&flip=v&enlarge=1&fit=cover&format=source
            -300x-200 -> w=300&h=200&flip=hv&enlarge=1&fit=cover&format=source
            -0x-0 -> flip=hv&format=source
            -x- -> flip=hv&format=source
            fit-in/300x200 -> w=300&h=200&format=source
            fit-in/300x0 -> w=300&format=source
            full-fit-in/300x200 -> w=300&h=200&enlarge=1&fit=outside&format=source
            full-fit-in/0x200 -> h=200&enlarge=1&format=source
            fit-in/-300x-200 -> w=300&h=200&flip=hv&format=source
            fit-in/origx300 -> h=300&format=source
            origxorig -> format=source
            origx0 -> format=source
            300x200/left -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=west
            300x200/right/bottom -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=southeast
            300x200/top -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=north
            300x200/center/middle -> w=300&h=200&enlarge=1&fit=cover&format=source
            300x200/smart -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=subject
            300x200/left/top/smart -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=subject
            10x20:300x400 -> crop=10,20,290,380&format=source
            10x20:300x400/100x100 -> crop=10,20,290,380&w=100&h=100&enlarge=1&fit=cover&format=source
            0x0:0x0/100x100 -> w=100&h=100&enlarge=1&fit=cover&format=source
            trim -> trim=1&format=source
            trim:top-left:30/300x200 -> trim=30&w=300&h=200&enlarge=1&fit=cover&format=source
            trim:bottom-right -> flip=hv&trim=1&flip=hv&format=source
            trim:50 -> trim=50&format=source
            fit-in/300x300/filters:fill(blue) -> w=300&h=300&bg=0000ff&fit=pad&format=source
            fit-in/300x300/filters:fill(f00,1) -> w=300&h=300&bg=ff0000&fit=pad&format=source
            fit-in/300x300/filters:fill(transparent) -> w=300&h=300&fit=pad&format=source
            fit-in/300x0/filters:fill(white) -> w=300&pad=300x100%25&bg=ffffff&format=source
            fit-in/300x200/filters:grayscale():fill(white) -> w=300&h=200&filter=grayscale&pad=300x200&bg=ffffff&format=source
            fit-in/300x200/filters:rotate(90):fill(white) -> w=300&h=200&rotate=270&crop=300x200,center&pad=300x200&bg=ffffff&format=source
            full-fit-in/300x200/filters:fill(white) -> w=300&h=200&enlarge=1&fit=outside&format=source
            300x200/filters:fill(white) -> w=300&h=200&enlarge=1&fit=cover&format=source
            fit-in/300x200/filters:upscale() -> w=300&h=200&enlarge=1&format=source
            300x200/filters:no_upscale() -> w=300&h=200&fit=crop&format=source
            300x0/filters:no_upscale() -> w=300&format=source
            300x200/filters:stretch() -> w=300&h=200&enlarge=1&fit=fill&format=source
            300x200/filters:stretch():no_upscale() -> w=300&h=200&fit=fill&format=source
            300x200/filters:proportion(0.5) -> w=150&h=100&enlarge=1&fit=cover&format=source
            filters:quality(40) -> format=source&q=40
            filters:format(webp):quality(70) -> format=webp&q=70
            filters:format(png):quality(70) -> format=png
            filters:format(jpg) -> format=jpeg
            filters:blur(7) -> blur=4.001727&format=source
            filters:blur(10,%202) -> blur=1.999997&format=source
            filters:contrast(40) -> contrast=1.96&format=source
            filters:contrast(-40) -> contrast=0.36&format=source
            filters:saturation(1.8) -> saturation=1.8&format=source
            filters:sharpen(2,1.0,true) -> sharpen=1&format=source
            filters:grayscale() -> filter=grayscale&format=source
            filters:rotate(90) -> rotate=270&format=source
            filters:rotate(-90) -> rotate=90&format=source
            filters:rotate(360) -> format=source
            filters:round_corner(20,255,255,255) -> round=20&bg=ffffff&format=source
            filters:round_corner(20|20,0,255,0) -> round=20&bg=00ff00&format=source
            filters:round_corner(20,255,255,255,1) -> round=20&format=source
            filters:background_color(ccc) -> bg=cccccc&format=source
            filters:max_bytes(7500) -> format=source&max_bytes=7500
            filters:max_age(360):strip_exif():strip_icc() -> format=source
            filters:watermark(logo.png,10,10,50) -> watermark=photos%2Flogo.png,northwest,10,10,,0.5&format=source
            filters:watermark(marks/logo%20a.png,-10,-20,0,30,30) -> watermark=photos%2Fmarks%2Flogo%2520a.png,southeast,10,20,0.3&format=source
            filters:watermark(logo.png,center,10p,50,none,none) -> watermark=photos%2Flogo.png,north,,10%25,,0.5&format=source
            filters:watermark(logo.png,repeat,repeat,50) -> watermark=photos%2Flogo.png,tile,,,,0.5&format=source
            filters:cover() -> anim=first&format=source
            300x200/filters:blur(1):rotate(180):grayscale() -> w=300&h=200&blur=0.740363&rotate=180&filter=grayscale&enlarge=1&fit=cover&format=source
            origx300 -> w=100%25&h=300&enlarge=1&fit=cover&format=source
            300xorig/left -> w=300&h=100%25&enlarge=1&fit=cover&format=source&gravity=west
            adaptive-fit-in/300x400 -> w=300&h=400&fit=adaptive&format=source
            adaptive-fit-in/300x400/filters:upscale() -> w=300&h=400&enlarge=1&fit=adaptive&format=source
            adaptive-fit-in/300x0 -> w=300&format=source
            full-fit-in/origx2000 -> w=100%25&h=2000&enlarge=1&fit=outside&format=source
            filters:proportion(0.5) -> w=50%25&format=source
            300x200/filters:focal(10x20:50x80) -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=30px,50px
            10x20:600x400/300x200/filters:focal(110x120:150x160) -> crop=10,20,590,380&w=300&h=200&enlarge=1&fit=cover&format=source&gravity=120px,120px
            300x200/filters:focal(0x0:10x10):focal(100x100:110x110) -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=55px,55px
            filters:brightness(20) -> offset=51&format=source
            filters:brightness(-33) -> offset=-84&format=source
            filters:rgb(20,-20,40) -> offset=51,-51,102&format=source
            fit-in/2000x1500/filters:fill(ff0000):grayscale():rotate(270) -> w=2000&h=1500&tint=ff0000,dest-over&filter=grayscale&rotate=90&fit=pad&format=source
            filters:background_color(red):grayscale() -> tint=ff0000,dest-over&filter=grayscale&format=source
            filters:background_color(red):rotate(90) -> rotate=270&bg=ff0000&format=source
            filters:background_color(transparent):grayscale() -> filter=grayscale&format=source
            filters:background_color(red):round_corner(20,0,0,0,1) -> tint=ff0000,dest-over&round=20&format=source
            fit-in/300x200/filters:fill(red):round_corner(20,0,0,0,1) -> w=300&h=200&tint=ff0000,dest-over&round=20&fit=pad&format=source
            fit-in/300x200/filters:fill(red):round_corner(20,0,255,0) -> w=300&h=200&tint=ff0000,dest-over&round=20&tint=00ff00,dest-over&fit=pad&format=source
            fit-in/300x200/filters:fill(transparent):grayscale():background_color(red) -> w=300&h=200&filter=grayscale&tint=ff0000,dest-over&fit=pad&format=source
            fit-in/300x200/filters:fill(red):background_color(blue) -> w=300&h=200&bg=ff0000&fit=pad&format=source
            """
    )

    private static let refusals = TranslationTable(
        dialect: .thumbor,
        prefix: "/unsafe/",
        suffix: "/photos/cat.jpg",
        lines: """
            30000x20 -> 30000x20: becomes w=30000
            debug/300x200 -> debug: cannot be said
            meta/300x200 -> meta: cannot be said
            300x400:10x20 -> 300x400:10x20: is empty
            adaptive-fit-in/300xorig -> adaptive-fit-in: cannot be said with orig
            adaptive-fit-in/300x400/filters:fill(red) -> fill: cannot follow adaptive-fit-in
            adaptive-full-fit-in/300x400 -> adaptive-full-fit-in: cannot be said
            trim/10x20:300x400 -> 10x20:300x400: cannot follow trim
            filters:nosuch(1) -> nosuch: is not a filter that can be said
            filters:blurr(1) -> blurr: is not a filter that can be said; did you mean blur?
            filters:blur() -> blur: has 0 arguments instead of 1 to 2
            filters:blur(1,2,3) -> blur: has 3 arguments instead of 1 to 2
            filters:blur(0) -> blur: must be a whole number from 1
            filters:quality(101) -> quality: must be a whole number from 0 to 100
            filters:quality(50):quality(60) -> quality: becomes q=60, but quality has become q=50
            filters:format(heic) -> format: must be one of jpeg, jpg
            filters:contrast(200) -> contrast: must be a whole number from -100 to 100
            filters:rotate(45) -> rotate: must be a multiple of 90
            filters:rgb(1,2) -> rgb: has 2 arguments instead of 3
            filters:brightness(101) -> brightness: must be a whole number from -100 to 100
            filters:brightness(20.5) -> brightness: must be a whole number from -100 to 100
            filters:rgb(1,2.5,3) -> rgb: must be a whole number from -100 to 100
            300x200/filters:focal(0.1x0.1:0.2x0.2) -> focal: must be a whole number
            filters:round_corner(20|30,0,0,0) -> round_corner: cannot be two radii
            filters:round_corner(20,0,0,256) -> round_corner: must be a whole number from 0 to 255
            filters:equalize() -> equalize: is not a filter that can be said
            filters:noise(40) -> noise: is not a filter that can be said
            filters:convolution(1;2;1,3,true) -> convolution: is not a filter that can be said
            filters:colorize(1,2,3,fff) -> colorize: is not a filter that can be said
            filters:red_eye() -> red_eye: is not a filter that can be said
            filters:frame(frame.png) -> frame: is not a filter that can be said
            fit-in/300x200/filters:fill(blur) -> fill: cannot be blur
            fit-in/300x200/filters:fill(auto) -> fill: cannot be auto
            fit-in/300x200/filters:fill(reddish) -> fill: must be a colour
            300x200/filters:focal(10x10) -> focal: must be AxB:CxD
            300x200/filters:focal(50x50:10x10) -> focal: is empty
            fit-in/300x200/filters:focal(here) -> focal: must be a whole number
            fit-in/300x200/filters:proportion(0.5) -> proportion: cannot follow fit-in
            filters:proportion(2) -> proportion: must be a number from 0.000001 to 1
            filters:blur(2):proportion(0.5) -> proportion: cannot follow another filter
            origx200/filters:no_upscale() -> origx200: cannot be orig with no_upscale()
            filters:watermark(http://example.org/logo.png,0,0,50) -> watermark: cannot have an image at another address
            filters:watermark(example.org/logo.png,0,0,50) -> watermark: cannot have an image at another address
            filters:watermark(logo.png,repeat,0,50) -> watermark: cannot repeat in one direction
            filters:watermark(logo.png,0,0,50,20) -> watermark: needs w_ratio and h_ratio
            filters:watermark(logo.png,here,0,50) -> watermark: has a position
            """
    )

    @Test("Each documented request has a query of ours")
    func translations() throws {
        #expect(try Self.requests.check() == 94)
    }

    @Test("What cannot be said is a 400 that names the option")
    func refused() {
        #expect(Self.refusals.checkRefusals() == 46)
    }
}
