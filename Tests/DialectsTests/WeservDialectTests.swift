import Dialects
import ImagePlan
import Testing

/// Requests of images.weserv.nl after its documentation, and what they become.
@Suite(.timeLimit(.minutes(1)))
struct WeservDialectTests {
    private static let requests = TranslationTable(
        dialect: .weserv,
        prefix: "/?url=example.org/cat.jpg&",
        lines: """
            w=300 -> w=300&anim=first&enlarge=1&format=source
            h=300 -> h=300&anim=first&enlarge=1&format=source
            w=300&h=300 -> w=300&h=300&anim=first&enlarge=1&format=source
            w=300&h=300&fit=inside -> w=300&h=300&anim=first&enlarge=1&format=source
            w=300&h=300&fit=outside -> w=300&h=300&anim=first&enlarge=1&fit=outside&format=source
            w=300&h=300&fit=cover -> w=300&h=300&anim=first&enlarge=1&fit=cover&format=source
            w=300&h=300&fit=fill -> w=300&h=300&anim=first&enlarge=1&fit=fill&format=source
            w=300&h=300&fit=contain&cbg=black -> w=300&h=300&anim=first&bg=000000&enlarge=1&fit=pad&format=source
            w=300&h=300&fit=contain -> w=300&h=300&anim=first&enlarge=1&fit=pad
            w=300&h=300&fit=inside&we -> w=300&h=300&anim=first&format=source
            w=300&h=300&fit=cover&we -> w=300&h=300&anim=first&fit=crop&format=source
            w=300&h=300&fit=fill&we -> w=300&h=300&anim=first&fit=fill&format=source
            tint=red -> filter=chroma:ff0000&anim=first&format=source
            tint=80704214&blur=2 -> blur=2&filter=chroma:704214&anim=first&format=source
            tint=0f00 -> anim=first&format=source
            blur=true&gam=true&sharp=true -> gamma=0.454545&sharpen=0.5&blur=0.816497&anim=first&format=source
            cw=50%&ch=100% -> crop=0,0,50%25,100%25&anim=first&format=source
            v=1700000000&w=50% -> w=50%25&anim=first&enlarge=1&format=source
            w=300&dpr=2 -> w=600&anim=first&enlarge=1&format=source
            w=301&h=201&dpr=1.5 -> w=452&h=302&anim=first&enlarge=1&format=source
            w=0&h=200 -> h=200&anim=first&enlarge=1&format=source
            w=300&h=300&fit=cover&a=top -> w=300&h=300&anim=first&enlarge=1&fit=cover&format=source&gravity=north
            w=300&h=300&fit=cover&a=bottom-right -> w=300&h=300&anim=first&enlarge=1&fit=cover&format=source&gravity=southeast
            w=300&h=300&fit=cover&a=focal&fpy=0.45 -> w=300&h=300&anim=first&enlarge=1&fit=cover&format=source&gravity=0.5,0.45
            w=300&h=300&fit=cover&a=attention -> w=300&h=300&anim=first&enlarge=1&fit=cover&format=source&gravity=attention
            w=300&h=300&fit=cover&a=entropy -> w=300&h=300&anim=first&enlarge=1&fit=cover&format=source&gravity=entropy
            w=300&h=300&t=square&a=crop-25-75 -> w=300&h=300&anim=first&enlarge=1&fit=cover&format=source&gravity=0.25,0.75
            w=300&h=300&t=squaredown -> w=300&h=300&anim=first&fit=crop&format=source
            w=300&h=300&t=letterbox&bg=white -> w=300&h=300&anim=first&bg=ffffff&enlarge=1&fit=pad&format=source
            cx=680&cy=500&cw=300&ch=300 -> crop=680,500,300,300&anim=first&format=source
            cx=10%25&cy=20%25&cw=50%25 -> crop=10%25,20%25,50%25,100%25&anim=first&format=source
            crop=300,200,680,500 -> crop=680,500,300,200&anim=first&format=source
            w=300&h=300&fit=cover&cx=10&cy=10&cw=200&ch=100 -> w=300&h=300&crop=10,10,200,100&anim=first&enlarge=1&fit=cover&format=source
            w=300&h=300&fit=cover&cx=10&cy=10&cw=200&ch=100&precrop -> crop=10,10,200,100&w=300&h=300&anim=first&enlarge=1&fit=cover&format=source
            w=300&h=200&fit=contain&cx=10&cw=100&cbg=red -> w=300&h=200&crop=10,0,100,100%25&crop=300x200,center&pad=300x200&anim=first&bg=ff0000&enlarge=1&format=source
            w=300&trim=10 -> trim=10&w=300&anim=first&enlarge=1&format=source
            w=300&trim -> trim=10&w=300&anim=first&enlarge=1&format=source
            w=300&h=300&fit=cover&mask=circle -> w=300&h=300&mask=circle&anim=first&enlarge=1&fit=cover
            w=300&h=900&fit=cover&a=crop-22-0&mask=circle&mtrim -> w=300&h=900&mask=circle&crop=0,300,300,300&anim=first&enlarge=1&fit=cover&gravity=0.22,0
            w=400&mask=heart&mbg=red -> w=400&mask=heart&anim=first&bg=ff0000&enlarge=1&format=source
            w=300&h=300&fit=cover&mask=triangle-180&output=png -> w=300&h=300&flip=v&mask=triangle&flip=v&anim=first&enlarge=1&fit=cover&format=png
            mask=square -> mask=diamond&anim=first
            mask=none -> anim=first&format=source
            w=300&bg=red&mask=circle&output=png -> w=300&tint=ff0000,dest-over&mask=circle&anim=first&enlarge=1&format=png
            w=300&bg=red&mask=circle -> w=300&tint=ff0000,dest-over&mask=circle&anim=first&enlarge=1
            bg=red&mbg=blue&mask=circle -> tint=ff0000,dest-over&mask=circle&tint=0000ff,dest-over&anim=first&format=source
            w=300&h=300&fit=contain&cbg=red&mask=circle -> w=300&h=300&tint=ff0000,dest-over&mask=circle&anim=first&enlarge=1&fit=pad
            w=300&h=300&fit=contain&cbg=red&filt=greyscale -> w=300&h=300&tint=ff0000,dest-over&filter=grayscale&anim=first&enlarge=1&fit=pad&format=source
            ro=45&rbg=red&mask=circle&mbg=fff -> rotate=45&tint=ff0000,dest-over&mask=circle&tint=ffffff,dest-over&anim=first&format=source
            w=9&h=9&fit=contain&cbg=red&ro=45&rbg=0000 -> w=9&h=9&tint=ff0000,dest-over&rotate=45&anim=first&enlarge=1&fit=pad
            h=300&flip -> h=300&flip=v&anim=first&enlarge=1&format=source
            h=300&flop -> h=300&flip=h&anim=first&enlarge=1&format=source
            h=300&flip&flop=true -> h=300&flip=hv&anim=first&enlarge=1&format=source
            h=300&ro=45&rbg=red -> h=300&rotate=45&anim=first&bg=ff0000&enlarge=1&format=source
            h=300&ro=-450 -> h=300&rotate=270&anim=first&enlarge=1&format=source
            w=300&h=200&fit=cover&ro=90&a=left -> w=300&h=200&rotate=90&crop=300x200,west&anim=first&enlarge=1&fit=outside&format=source
            w=300&h=200&fit=cover&flop&a=left -> w=300&h=200&flip=h&anim=first&enlarge=1&fit=cover&format=source&gravity=east
            w=300&h=200&fit=contain&ro=270&cbg=fff -> w=300&h=200&rotate=270&crop=300x200,center&pad=300x200&anim=first&bg=ffffff&enlarge=1&format=source
            w=400&bg=black -> w=400&anim=first&bg=000000&enlarge=1&format=source
            w=400&bg=5CCC -> w=400&anim=first&bg=cccccc55&enlarge=1&format=source
            w=400&bg=55CCCCCC -> w=400&anim=first&bg=cccccc55&enlarge=1&format=source
            w=300&blur=5 -> w=300&blur=5&anim=first&enlarge=1&format=source
            w=300&blur -> w=300&blur=0.816497&anim=first&enlarge=1&format=source
            w=300&con=25 -> w=300&contrast=1.965316&anim=first&enlarge=1&format=source
            w=300&con=-50 -> w=300&contrast=0.266372&anim=first&enlarge=1&format=source
            w=300&h=300&fit=cover&a=focal&fpx=0.6&filt=duotone -> w=300&h=300&filter=duotone:c83658,d8e74f&anim=first&enlarge=1&fit=cover&format=source&gravity=0.6,0.5
            w=300&filt=greyscale -> w=300&filter=grayscale&anim=first&enlarge=1&format=source
            w=300&filt=duotone&start=000&stop=ff0 -> w=300&filter=duotone:000000,ffff00&anim=first&enlarge=1&format=source
            w=300&gam=3 -> w=300&gamma=0.333333&anim=first&enlarge=1&format=source
            w=300&gam -> w=300&gamma=0.454545&anim=first&enlarge=1&format=source
            w=300&mod=2 -> w=300&brightness=2&anim=first&enlarge=1&format=source
            w=300&mod=1.5,0.5,90 -> w=300&brightness=1.5&saturation=0.5&hue=90&anim=first&enlarge=1&format=source
            w=300&sat=0.5 -> w=300&saturation=0.5&anim=first&enlarge=1&format=source
            w=300&hue=-90 -> w=300&hue=270&anim=first&enlarge=1&format=source
            w=300&sharp=3 -> w=300&sharpen=3&anim=first&enlarge=1&format=source
            w=300&sharp -> w=300&sharpen=0.5&anim=first&enlarge=1&format=source
            w=300&sharp=1,2,4 -> w=300&sharpen=4&anim=first&enlarge=1&format=source
            w=300&il -> w=300&anim=first&enlarge=1&format=source&progressive=1
            w=300&output=webp&ll -> w=300&anim=first&enlarge=1&format=webp&lossless=1
            w=300&output=jpg&q=20 -> w=300&anim=first&enlarge=1&format=jpeg&q=20
            w=300&output=png&l=9&q=50&af -> w=300&anim=first&effort=9&enlarge=1&format=png
            h=300&output=gif&n=-1 -> h=300&enlarge=1&format=gif
            w=100&maxage=31d&default=wsrv.nl/placeholder.svg -> w=100&anim=first&enlarge=1&format=source
            w=100&filename=cat -> w=100&anim=first&enlarge=1&format=source&filename=cat
            output=json -> anim=first&format=json
            w=300&blur=2&filt=sepia&sharp=1&con=10&sat=2&mod=1.2 -> w=300&brightness=1.2&saturation=2&contrast=1.180825&sharpen=1&filter=sepia&blur=2&anim=first&enlarge=1&format=source
            w=50%25 -> w=50%25&anim=first&enlarge=1&format=source
            w=50%25&h=25%25&dpr=2 -> w=100%25&h=50%25&anim=first&enlarge=1&format=source
            w=300&fit=fill -> w=300&h=100%25&anim=first&enlarge=1&fit=fill&format=source
            h=300&fit=fill&we -> w=100%25&h=300&anim=first&fit=fill&format=source
            w=300&bri=20 -> w=300&offset=51&anim=first&enlarge=1&format=source
            w=300&bri=-20 -> w=300&offset=-51&anim=first&enlarge=1&format=source
            w=300&fit=contain&we&cbg=red -> w=300&pad=300x100%25&anim=first&bg=ff0000&format=source
            n=5&loop=3 -> format=source&frames=0-4&loop=3
            n=1 -> anim=first&format=source
            width=300&height=200&align=left&quality=70&t=square -> w=300&h=200&anim=first&enlarge=1&fit=cover&format=source&gravity=west&q=70
            """
    )

    private static let refusals = TranslationTable(
        dialect: .weserv,
        prefix: "/?url=example.org/cat.jpg&",
        lines: """
            w=abc -> w: must be a whole number from 0 to 100000
            w=20000 -> w: becomes w=20000, which must be a whole number from 1 to 16384
            w=-5 -> w: must be a whole number
            w=200%25 -> w: must be a number from 0 to 100
            dpr=9&w=10 -> dpr: must be a number from 0 to 8
            fit=bigger&w=10&h=10 -> fit: must be one of inside, outside, cover
            a=middle&w=1&h=1 -> a: must be one of center, top
            q=101 -> q: must be a whole number from 1 to 100
            w=10&w=20 -> w: is given more than once
            w=10&width=20 -> width: is given more than once
            wdith=10 -> wdith: is not a parameter of images.weserv.nl
            utm=1 -> utm: is not a parameter of images.weserv.nl
            tint=reddish -> tint: must be a colour
            tbg=red&trim=10 -> tbg: cannot be said
            encoding=base64 -> encoding: cannot be said
            delay=100 -> delay: cannot be said
            output=bmp -> output: must be one of jpg, png, gif
            mask=blob -> mask: must be one of circle, ellipse
            mask=circle&mtrim -> mtrim: cannot be said unless w, h and fit=cover
            sharp=5,9,2 -> sharp: cannot be said, except for sharpf=1
            sharpf=3&sharp=2 -> sharpf: cannot be said
            blur=0.1 -> blur: must be a number from 0.3 to 1000
            blur=300 -> blur: becomes blur=300, which must be a number from 0.3 to 250
            gam=4 -> gam: must be a number from 1 to 3
            con=101 -> con: must be a whole number from -100 to 100
            mod=20 -> mod: becomes brightness=20, which must be a number from 0 to 10
            mod=1,2&sat=3 -> mod: states what sat does
            bg=ggg -> bg: must be a colour
            crop=1,2,3 -> crop: must be w,h,x,y
            cx=-10 -> cx: must not be negative
            cx=10&cy=-20%25 -> cy: must not be negative
            cw=0 -> cw: becomes crop=0,0,0,100%, which must be a whole number
            n=0 -> n: must be a number of pages
            page=-1 -> page: must be a whole number
            w=50%25&h=50&fit=cover&ro=90 -> fit: cannot be cover with sides in percent
            we=2&w=10 -> we: must be one of 1, true, 0, false
            filename=%00 -> filename: has a control character
            """
    )

    @Test("Each documented request has a query of ours")
    func translations() throws {
        #expect(try Self.requests.check() == 96)
    }

    @Test("What cannot be said is a 400 that names the option")
    func refused() {
        #expect(Self.refusals.checkRefusals() == 37)
    }
}
