import Dialects
import ImagePlan
import Testing

/// Requests of imagor after its documentation, and what they become.
@Suite(.timeLimit(.minutes(1)))
struct ImagorDialectTests {
    private static let requests = TranslationTable(
        dialect: .imagor,
        prefix: "/unsafe/",
        suffix: "/photos/cat.jpg",
        lines: """
            400x400 -> w=400&h=400&enlarge=1&fit=cover&format=source&meta=keep
            400x0 -> w=400&enlarge=1&format=source&meta=keep
            0x400 -> h=400&enlarge=1&format=source&meta=keep
            400x400/left/top -> w=400&h=400&enlarge=1&fit=cover&format=source&gravity=northwest&meta=keep
            400x400/right/bottom -> w=400&h=400&enlarge=1&fit=cover&format=source&gravity=southeast&meta=keep
            400x400/smart -> w=400&h=400&enlarge=1&fit=cover&format=source&gravity=attention&meta=keep
            fit-in/400x400 -> w=400&h=400&format=source&meta=keep
            fit-in/400x400/filters:fill(red) -> w=400&h=400&bg=ff0000&fit=pad&format=source&meta=keep
            fit-in/400x400/filters:fill(white):format(jpeg) -> w=400&h=400&bg=ffffff&fit=pad&format=jpeg&meta=keep
            fit-in/400x400/filters:fill(none) -> w=400&h=400&fit=pad&format=source&meta=keep
            full-fit-in/400x300 -> w=400&h=300&enlarge=1&fit=outside&format=source&meta=keep
            fit-in/400x400/filters:upscale() -> w=400&h=400&enlarge=1&format=source&meta=keep
            -400x400 -> w=400&h=400&flip=h&enlarge=1&fit=cover&format=source&meta=keep
            400x-400 -> w=400&h=400&flip=v&enlarge=1&fit=cover&format=source&meta=keep
            -400x-400 -> w=400&h=400&flip=hv&enlarge=1&fit=cover&format=source&meta=keep
            100x50:1800x1200/400x400 -> crop=100,50,1700,1150&w=400&h=400&enlarge=1&fit=cover&format=source&meta=keep
            0.1x0.1:0.9x0.9 -> crop=10%25,10%25,80%25,80%25&format=source&meta=keep
            0.1x0.2:0.9x1/300x300 -> crop=10%25,20%25,80%25,80%25&w=300&h=300&enlarge=1&fit=cover&format=source&meta=keep
            stretch/400x400 -> w=400&h=400&enlarge=1&fit=fill&format=source&meta=keep
            fit-in/360x360/20x20:20x20/filters:fill(yellow) -> w=360&h=360&pad=20&bg=ffff00&fit=pad&format=source&meta=keep
            fit-in/200x150/10x20/filters:fill(yellow) -> w=200&h=150&pad=20,10&bg=ffff00&fit=pad&format=source&meta=keep
            200x150/10x20:30x40/filters:fill(fff) -> w=200&h=150&pad=20,30,40,10&bg=ffffff&enlarge=1&fit=cover&format=source&meta=keep
            200x150/10x20 -> w=200&h=150&enlarge=1&fit=cover&format=source&meta=keep
            fit-in/300x0/filters:fill(yellow) -> w=300&pad=300x100%25&bg=ffff00&format=source&meta=keep
            trim -> trim=1&format=source&meta=keep
            trim:bottom-right -> flip=hv&trim=1&flip=hv&format=source&meta=keep
            trim:100/400x400 -> trim=100&w=400&h=400&enlarge=1&fit=cover&format=source&meta=keep
            trim:bottom-right:100 -> flip=hv&trim=100&flip=hv&format=source&meta=keep
            400x400/filters:grayscale():quality(80) -> w=400&h=400&filter=grayscale&enlarge=1&fit=cover&format=source&meta=keep&q=80
            filters:background_color(red) -> bg=ff0000&format=source&meta=keep
            filters:blur(5) -> blur=2.5&format=source&meta=keep
            filters:blur(5,3) -> blur=3&format=source&meta=keep
            filters:contrast(50) -> contrast=2.954373&format=source&meta=keep
            filters:contrast(-50) -> contrast=0.335058&format=source&meta=keep
            filters:crop(10,20,200,150) -> crop=10,20,200,150&format=source&meta=keep
            filters:crop(0.1,0.1,0.8,0.8) -> crop=10%25,10%25,80%25,80%25&format=source&meta=keep
            filters:dpi(144) -> dpi=144&format=source&meta=keep
            400x400/filters:focal(0.1x0.2:0.3x0.4) -> w=400&h=400&enlarge=1&fit=cover&format=source&gravity=0.2,0.3&meta=keep
            400x400/filters:focal(0.1,0.2) -> w=400&h=400&enlarge=1&fit=cover&format=source&gravity=0.1,0.2&meta=keep
            0.1x0.1:0.9x0.9/400x400/filters:focal(0.5,0.3) -> crop=10%25,10%25,80%25,80%25&w=400&h=400&enlarge=1&fit=cover&format=source&gravity=0.5,0.25&meta=keep
            filters:format(webp) -> format=webp&meta=keep
            filters:format(png) -> anim=first&format=png&meta=keep
            filters:format(avif):max_frames(10) -> anim=first&format=avif&meta=keep
            filters:format(png):page(2) -> format=png&meta=keep&page=1
            filters:format(jxl):lossless() -> format=jxl&lossless=1&meta=keep
            filters:format(jpeg):lossless() -> format=jpeg&meta=keep
            filters:hue(290):saturation(100):fill(yellow):format(jpeg):quality(80) -> hue=290&saturation=2&bg=ffff00&format=jpeg&meta=keep&q=80
            filters:saturation(-80) -> saturation=0.2&format=source&meta=keep
            filters:invert() -> filter=invert&format=source&meta=keep
            filters:max_bytes(40000) -> format=source&max_bytes=40000&meta=keep
            filters:max_frames(1) -> anim=first&format=source&meta=keep
            filters:max_frames(10) -> format=source&frames=0-9&meta=keep
            400x300/filters:no_upscale() -> w=400&h=300&fit=crop&format=source&meta=keep
            100x200/filters:orient(90) -> rotate=270&w=100&h=200&enlarge=1&fit=cover&format=source&meta=keep
            filters:pixelate() -> pixelate=10&format=source&meta=keep
            filters:pixelate(20) -> pixelate=20&format=source&meta=keep
            filters:rotate(90) -> rotate=270&format=source&meta=keep
            fit-in/300x200/filters:rotate(90):fill(red) -> w=300&h=200&rotate=270&pad=200x300&bg=ff0000&format=source&meta=keep
            filters:round_corner(50) -> round=50&format=source&meta=keep
            filters:round_corner(20,20,ff0) -> round=20&bg=ffff00&format=source&meta=keep
            filters:sharpen(3) -> sharpen=7&format=source&meta=keep
            filters:strip_exif() -> format=source
            filters:strip_metadata():strip_icc():to_colorspace(srgb) -> format=source
            filters:watermark(logo.png,-20,-20,0,30,30) -> watermark=photos%2Flogo.png,southeast,20,20,0.3&format=source&meta=keep
            filters:watermark(logo.png,center,-10) -> watermark=photos%2Flogo.png,south,,10&format=source&meta=keep
            filters:watermark(logo.png) -> watermark=photos%2Flogo.png,northwest&format=source&meta=keep
            adaptive-fit-in/300x200 -> w=300&h=200&fit=adaptive&format=source&meta=keep
            filters:watermark(logo.png,left,b-20,25) -> watermark=photos%2Flogo.png,southwest,,20,,0.75&format=source&meta=keep
            filters:label(Hello%2C%20world,center,10,30,red,20) -> watermark=text:Hello%252C%20world,north,,10,30,0.8,ff0000&format=source&meta=keep
            filters:label(IMAGOR) -> watermark=text:IMAGOR,northwest,,,20,,000000&format=source&meta=keep
            filters:padding(red,10) -> pad=10&bg=ff0000&format=source&meta=keep
            filters:padding(red,10,20,30,40) -> pad=20,30,40,10&bg=ff0000&format=source&meta=keep
            filters:modulate(10,20,90) -> brightness=1.1&saturation=1.2&hue=90&format=source&meta=keep
            filters:attachment(cat.jpg) -> format=source&meta=keep&download=1&filename=cat.jpg
            filters:expire(1893456000000) -> format=source&meta=keep&exp=1893456000
            filters:preview():max_age(60) -> format=source&meta=keep
            meta -> format=json&meta=keep
            300x200/filters:focal(100x100:200x300) -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=150px,200px&meta=keep
            300x200/filters:focal(120,80) -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=120px,80px&meta=keep
            filters:brightness(50) -> offset=127.5&format=source&meta=keep
            filters:rgb(60,-30,-30) -> offset=153,-76.5,-76.5&format=source&meta=keep
            filters:proportion(50) -> w=50%25&format=source&meta=keep
            filters:proportion(0.25) -> w=25%25&format=source&meta=keep
            fit-in/300x200/left/filters:fill(ff0000) -> w=300&h=200&bg=ff0000&fit=pad&format=source&meta=keep
            fit-in/400x400/filters:fill(cyan):round_corner(60) -> w=400&h=400&tint=00ffff,dest-over&round=60&fit=pad&format=source&meta=keep
            filters:padding(red,10):round_corner(30) -> pad=10&tint=ff0000,dest-over&round=30&format=source&meta=keep
            filters:round_corner(30):padding(red,10) -> round=30&pad=10&bg=ff0000&format=source&meta=keep
            trim:9/filters:trim(20,bottom-right) -> trim=9&flip=hv&trim=20&flip=hv&format=source&meta=keep
            """
    )

    private static let refusals = TranslationTable(
        dialect: .imagor,
        prefix: "/unsafe/",
        suffix: "/photos/cat.jpg",
        lines: """
            400x400/filters:format(heif) -> format: must be one of jpeg
            400x400/filters:format(jp2) -> format: must be one of jpeg
            filters:text(Hello,1,2) -> text: is not a filter that can be said
            filters:image(/10x10/a.png,1,2) -> image: is not a filter that can be said
            filters:redact() -> redact: is not a filter that can be said
            filters:contrast(90) -> contrast: becomes contrast=
            filters:saturation(-200) -> saturation: must be a number from -100
            filters:rotate(30) -> rotate: must be 0, 90, 180 or 270
            filters:orient(45) -> orient: must be one of 0, 90
            filters:page(0) -> page: must be a whole number from 1
            filters:max_frames(0) -> max_frames: must be a whole number from 1
            filters:to_colorspace(cmyk) -> to_colorspace: cannot be another colour space
            filters:expire(soon) -> expire: must be a time in milliseconds
            filters:palette() -> palette: is not a filter that can be said
            filters:round_corner(20,30) -> round_corner: cannot have two radii
            0.1x0.1:0.9x0.9/300x200/filters:focal(10,20) -> focal: is in pixels and the crop in shares
            300x200/filters:focal(0.5,0.5):focal(100,20) -> focal: mixes pixels with shares
            filters:crop(1,2,3) -> crop: has 3 arguments instead of 4
            filters:label() -> label: has 0 arguments instead of 1 to 7
            filters:label(%20) -> label: lacks an argument
            meta/300x200/filters:thumbhash() -> thumbhash: is not a filter that can be said
            """
    )

    @Test("Each documented request has a query of ours")
    func translations() throws {
        #expect(try Self.requests.check() == 88)
    }

    @Test("What cannot be said is a 400 that names the option")
    func refused() {
        #expect(Self.refusals.checkRefusals() == 21)
    }
}
