// Compiled by `make clients`, and never run: what compiles here must, and each line after @ts-expect-error must not.
import {
  Edgeprint, RequestError, SigningEdgeprint, astroService, blurHash, cacheStatus, dataURL, importKey, markPath, markText, nextLoader,
  nuxtProvider, scopeText, serverTiming, signature, signed, sized, target, thumbHash, unpicProvider, withParameters,
} from "edgeprint";
import type { AnyParameters, AstroTransform, CacheStatus, ImageSet, Parameters, Picture, Pixels } from "edgeprint";

const parameters: Parameters = { w: 400, h: "50%", fit: "adaptive", gravity: "southeast,16,5%", dpr: 2, format: "webp", q: "auto:good", blur: 2 };
const repeated: AnyParameters = [["filter", "chroma:ff8800"], ["filter", ["sepia", "vignette:0.5"]], ["round", "max"]];
const set: ImageSet = { parameters, widths: [320, 640], densities: ["1", 2] };
const picture: Picture = {
  sources: [{ ...set, media: "(min-width: 40em)", sizes: "50vw", type: "image/avif" }],
  img: { ...set, sizes: "100vw", attributes: { alt: "A cat", loading: "lazy", title: null } },
};

const text: string = target("photos/cat.jpg", parameters, { exp: null, scope: "w=1-2000", form: "base64", remote: false });
const pages = new Edgeprint({ base: "https://img.example.com", prefix: "/blog", exp: 1_900_000_000 });
const texts: string[] = [
  text, pages.url("photos/cat.jpg", repeated), pages.srcset("photos/cat.jpg", set), pages.picture("photos/cat.jpg", picture),
  sized(text, 640, 2), withParameters(text, { w: 640 }), markText("© Zoë"), markPath("photos/logo.png"),
  scopeText([{ name: "w", values: [[1, 2000], 2400, "auto"], required: true }, { name: "format", values: null }]),
];

export async function signs(): Promise<string[]> {
  const key: CryptoKey = await importKey("ab".repeat(32));
  const server = new SigningEdgeprint({ base: "https://img.example.com", key });
  return [await server.url("photos/cat.jpg", parameters), await signed(key, text), await signature("ab".repeat(32), text), ...texts];
}

const decoded: Pixels | null = thumbHash("3OcRJYB4d3h/iIeHeEh3eIhw+j2w") ?? blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj", 32, 32);
const placeholder: string | null = decoded && dataURL(decoded);
const caches: CacheStatus[] = cacheStatus(null);
const stages: { name: string; duration?: number }[] = serverTiming("origin;dur=12.5");
const next: string = nextLoader({ base: "/photos", q: 70 })({ src: "cat.jpg", width: 640 });
const nuxt: string = nuxtProvider.getImage("/cat.jpg", { modifiers: { width: 640 }, baseURL: "/photos" }).url;
const transform: AstroTransform = { src: { src: "/cat.jpg", width: 640, height: 480 }, densities: [1, "2x"], quality: "high" };
const astro: string[] = [astroService.getURL(transform), ...astroService.getSrcSet(transform).map((entry) => entry.descriptor)];
const unpic: string | undefined = unpicProvider({ base: "/photos" }).extract(new URL("https://img.example.com/photos/cat.jpg"))?.src;
const element: HTMLElement = document.createElement("edge-picture");
export const made = { placeholder, caches, stages, next, nuxt, astro, unpic, element, parameter: new RequestError("w", "is 0").parameter };

// @ts-expect-error an object that is no key, where the library has keys
signed({}, text);
// @ts-expect-error an object that is no URL, where the library has URLs
unpicProvider().extract({ href: "/photos/cat.jpg" });
// @ts-expect-error a fit that does not exist
target("photos/cat.jpg", { fit: "stretch" });
// @ts-expect-error a format that does not exist
target("photos/cat.jpg", { format: "bmp" });
// @ts-expect-error a value that is not text, a number or a list of them
target("photos/cat.jpg", { blur: { sigma: 2 } });
// @ts-expect-error no image
pages.url();
// @ts-expect-error a signature takes time
const early: string = new SigningEdgeprint({ key: "ab" }).url("photos/cat.jpg");
// @ts-expect-error a key is needed
new SigningEdgeprint({ base: "https://img.example.com" });
// @ts-expect-error another way to write URLs
target("https://example.org/cat.jpg", {}, { form: "hexadecimal" });
