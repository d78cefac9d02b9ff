import Dialects
import ImagePlan
import Testing

/// Requests of Cloudflare Images after its documentation, and what they become.
@Suite(.timeLimit(.minutes(1)))
struct CloudflareDialectTests {
    private static let requests = TranslationTable(
        dialect: .cloudflare,
        prefix: "/cdn-cgi/image/",
        suffix: "/photo.jpg",
        lines: """
            fit=scale-down,width=1920 -> w=1920&format=source&meta=copyright
            fit=contain,w=300,h=200 -> w=300&h=200&enlarge=1&format=source&meta=copyright
            fit=cover,w=300,h=200 -> w=300&h=200&enlarge=1&fit=cover&format=source&meta=copyright
            fit=crop,w=300,h=200 -> w=300&h=200&fit=crop&format=source&meta=copyright
            fit=aspect-crop,w=300,h=200 -> w=300&h=200&fit=cover&format=source&meta=copyright
            fit=pad,w=300,h=200 -> w=300&h=200&bg=ffffff&enlarge=1&fit=pad&format=source&meta=copyright
            fit=pad,w=300,h=200,background=%23336699 -> w=300&h=200&bg=336699&enlarge=1&fit=pad&format=source&meta=copyright
            fit=pad,w=300,h=200,background=red -> w=300&h=200&bg=ff0000&enlarge=1&fit=pad&format=source&meta=copyright
            fit=pad,w=300,h=200,background=rgb%28240%2C40%2C145%29 -> w=300&h=200&bg=f02891&enlarge=1&fit=pad&format=source&meta=copyright
            fit=pad,w=300,h=200,background=rgb(240,40,145) -> w=300&h=200&bg=f02891&enlarge=1&fit=pad&format=source&meta=copyright
            background=rgba(255%20255%200%20%2F%2050%25),w=10 -> w=10&bg=ffff0080&format=source&meta=copyright
            background=hsl(120,100%25,25%25) -> bg=008000&format=source&meta=copyright
            fit=squeeze,w=300,h=200 -> w=300&h=200&enlarge=1&fit=fill&format=source&meta=copyright
            fit=cover,w=300 -> w=300&enlarge=1&format=source&meta=copyright
            fit=cover,w=300,h=200,gravity=auto -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=attention&meta=copyright
            fit=cover,w=300,h=200,g=face -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=subject&meta=copyright
            fit=cover,w=300,h=200,g=face,zoom=0 -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=subject&meta=copyright
            fit=cover,w=300,h=200,g=left -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=west&meta=copyright
            fit=cover,w=300,h=200,g=top -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=north&meta=copyright
            fit=cover,w=300,h=200,g=0x1 -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=southwest&meta=copyright
            fit=cover,w=300,h=200,g=0.5x0.33 -> w=300&h=200&enlarge=1&fit=cover&format=source&gravity=0.5,0.33&meta=copyright
            fit=cover,w=300,h=200,g=0.2x0.3,rotate=90 -> rotate=90&w=300&h=200&enlarge=1&fit=cover&format=source&gravity=0.7,0.2&meta=copyright
            fit=cover,w=300,h=200,g=0.2x0.3,rotate=180,flip=h -> flip=h&rotate=180&w=300&h=200&enlarge=1&fit=cover&format=source&gravity=0.2,0.7&meta=copyright
            w=300,gravity=0.1x0.1 -> w=300&format=source&meta=copyright
            w=300,dpr=2 -> w=600&format=source&meta=copyright
            w=301,h=101,dpr=1.5 -> w=452&h=152&format=source&meta=copyright
            quality=50 -> format=source&meta=copyright&q=50
            q=high -> format=source&meta=copyright&q=auto:best
            q=medium-high -> format=source&meta=copyright&q=auto:good
            q=medium-low,f=auto -> meta=copyright&q=auto:eco
            quality=low -> format=source&meta=copyright&q=auto:low
            format=auto -> meta=copyright
            f=avif,w=100 -> w=100&format=avif&meta=copyright
            f=webp,w=100 -> w=100&format=webp
            f=webp,q=100 -> format=webp&lossless=1
            f=jpeg -> format=jpeg&meta=copyright&progressive=1
            f=baseline-jpeg,q=60 -> format=jpeg&meta=copyright&q=60
            f=png,q=60 -> format=png&q=60
            f=json -> format=json&meta=copyright
            anim=false -> anim=first&format=source&meta=copyright
            anim=true,w=50 -> w=50&format=source&meta=copyright
            blur=50 -> blur=25&format=source&meta=copyright
            sharpen=2 -> sharpen=2&format=source&meta=copyright
            sharpen=0,w=5 -> w=5&format=source&meta=copyright
            brightness=0.5 -> brightness=0.5&format=source&meta=copyright
            brightness=0,contrast=0,gamma=0,w=9 -> w=9&format=source&meta=copyright
            contrast=1.5,gamma=0.5,saturation=0 -> contrast=1.5&gamma=0.5&saturation=0&format=source&meta=copyright
            rotate=90,w=300 -> rotate=90&w=300&format=source&meta=copyright
            flip=h -> flip=h&format=source&meta=copyright
            flip=hv,rotate=270 -> flip=hv&rotate=270&format=source&meta=copyright
            trim=20;30;20;0 -> flip=hv&crop=30,20,100%25,100%25&flip=hv&crop=0,20,100%25,100%25&format=source&meta=copyright
            trim=20;0;0;10,w=100 -> crop=10,20,100%25,100%25&w=100&format=source&meta=copyright
            trim=20%3B30%3B20%3B0,dpr=2 -> flip=hv&crop=60,40,100%25,100%25&flip=hv&crop=0,40,100%25,100%25&format=source&meta=copyright
            trim.width=678,trim.height=678,trim.left=30,trim.top=40 -> crop=30,40,678,678&format=source&meta=copyright
            trim.left=30 -> crop=30,0,100%25,100%25&format=source&meta=copyright
            metadata=none -> format=source
            metadata=keep -> format=source&meta=keep
            metadata=keep,f=png -> format=png
            metadata=keep,f=webp -> format=webp
            metadata=keep,f=jpeg -> format=jpeg&meta=keep&progressive=1
            metadata=copyright -> format=source&meta=copyright
            onerror=redirect,w=10 -> w=10&format=source&meta=copyright
            scq=50,w=10 -> w=10&format=source&meta=copyright
            compression=fast,w=10 -> w=10&effort=0&format=source&meta=copyright
            upscale=interpolate,fit=contain,w=10 -> w=10&enlarge=1&format=source&meta=copyright
            """
    )

    private static let refusals = TranslationTable(
        dialect: .cloudflare,
        prefix: "/cdn-cgi/image/",
        suffix: "/photo.jpg",
        lines: """
            width=0 -> width: must be a whole number from 1
            width=20000 -> width: becomes w=20000
            width -> width: must be written as name=value
            width= -> width: must be written as name=value
            =5 -> path: has an option without a name
            w=10,width=20 -> width: is given more than once
            widht=10 -> widht: is not an option of Cloudflare's URLs; did you mean width?
            fit=inside,w=5,h=5 -> fit: must be one of scale-down, contain, cover
            gravity=middle,fit=cover,w=5,h=5 -> gravity: must be auto, face, left
            gravity=2x2,fit=cover,w=5,h=5 -> gravity: must be a number from 0 to 1
            g=face,zoom=0.5,fit=cover,w=5,h=5 -> zoom: cannot be said
            q=101 -> q: must be a number from 1 to 100, or one of high
            quality=great -> quality: must be a number from 1 to 100
            scq=lowest -> scq: must be a number
            f=gif -> f: must be one of auto, avif
            background=reddish -> background: must be a colour of CSS
            border=5 -> border: has no form in URLs
            segment=foreground -> segment: cannot be said
            upscale=generate,w=5 -> upscale: cannot be generate
            rotate=45 -> rotate: must be one of 0, 90
            flip=x -> flip: must be one of h, v
            trim=1;2;3 -> trim: must be top;right;bottom;left
            trim=1;2;3;4,trim.left=3 -> trim: states margins
            trim.width=0 -> trim.width: becomes crop=0,0,0,100%
            blur=251 -> blur: must be a number from 0 to 250
            sharpen=11 -> sharpen: must be a number from 0 to 10
            brightness=20 -> brightness: becomes brightness=20, which must be a number from 0 to 10
            dpr=5,w=5 -> dpr: must be a number from 0.1 to 4
            metadata=some -> metadata: must be one of copyright, keep, none
            anim=yes -> anim: must be one of true, false
            onerror=ignore -> onerror: must be one of redirect
            compression=slow -> compression: must be one of fast
            w=%zz -> path: has an option that has a % that
            """
    )

    @Test("Each documented request has a query of ours")
    func translations() throws {
        #expect(try Self.requests.check() == 65)
    }

    @Test("What cannot be said is a 400 that names the option")
    func refused() {
        #expect(Self.refusals.checkRefusals() == 33)
    }
}
