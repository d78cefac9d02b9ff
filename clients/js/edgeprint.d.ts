// Types of browsers, where the compiler's library has them; "dom" is not needed.
type Key = typeof globalThis extends { CryptoKey: { prototype: infer Found } } ? Found : object;
type Address = typeof globalThis extends { URL: { prototype: infer Found } } ? Found : { readonly href: string };
export {};

/** A value of a parameter: a list stands for the parameter several times, `undefined` and `null` for no parameter. */
export type Value = string | number | boolean | null | undefined;

/** Parameters in the order of their steps, not encoded; `README.md` of Edgeprint describes all of them. */
export interface Parameters {
  w?: number | "auto" | (string & {});
  h?: number | (string & {});
  fit?: "contain" | "cover" | "fill" | "pad" | "outside" | "crop" | "auto" | "adaptive";
  gravity?: "center" | "north" | "south" | "east" | "west" | "northeast" | "northwest" | "southeast" | "southwest"
    | "attention" | "entropy" | "subject" | (string & {});
  dpr?: number | "auto";
  enlarge?: boolean | 0 | 1;
  linear?: boolean | 0 | 1;
  format?: "auto" | "source" | "jpeg" | "jpg" | "png" | "webp" | "avif" | "gif" | "jxl" | "tiff"
    | "json" | "blurhash" | "thumbhash" | "lqip";
  q?: number | (string & {});
  preset?: string;
  [name: string]: Value | readonly Value[];
}

/** A name and a value. */
export type Pair = readonly [name: string, value: Value | readonly Value[]];

/** An object, or pairs where names repeat between others. */
export type AnyParameters = Parameters | readonly Pair[] | Iterable<Pair>;

export interface TargetOptions {
  /** Seconds since 1970 at which the request expires; `null` for none, also where the client has one. */
  exp?: number | null;
  /** What is signed in place of the parameters, as by `scopeText`; `null` for nothing. */
  scope?: string | null;
  /** How the URL of a remote image is written. */
  form?: "plain" | "base64";
  /** Whether URLs of other servers are images, too: true by default, but for `SigningEdgeprint`. */
  remote?: boolean;
}

/** A request that cannot be built. */
export class RequestError extends Error {
  constructor(parameter: string, reason: string);
  /** The parameter at fault, or `path`. */
  readonly parameter: string;
}

/**
 * The path and query of a request, not signed.
 *
 * @param subject `SOURCE/PATH`, not encoded, or the absolute URL of an image elsewhere.
 * @throws {RequestError} for paths without a source, dot segments, control characters, text that is not Unicode, values without
 *   a text, and names that the builder writes itself.
 */
export function target(subject: string, parameters?: AnyParameters, options?: TargetOptions): string;

/**
 * Replaces parameters of a URL where they stand, or appends them; `w` is inserted behind a preset, or first. The rest of the URL stays as it is.
 *
 * A URL that is signed as a whole is returned as it is.
 *
 * @throws {RequestError} as `target`
 */
export function withParameters(url: string, parameters: AnyParameters): string;

/**
 * The URL for another width: `h` beside `w` is scaled alike.
 *
 * A URL that is signed as a whole is returned as it is.
 *
 * @param width pixels
 * @param density 1 to 4
 */
export function sized(url: string, width: number, density?: number): string;

/**
 * The value of `scope`: the parameters that a signature permits.
 *
 * @throws {RequestError} for the ends of ranges that are not numbers, or not below 10⁹
 */
export function scopeText(entries: readonly {
  name: string;
  /** Whether the parameter must be given. */
  required?: boolean;
  /** Texts, numbers, and ranges with both ends included; every value if there are none. */
  values?: readonly (string | number | readonly [low: string | number, high: string | number])[] | null;
}[]): string;

/** The first part of `watermark` for a text: `` `${markText("© Zoë")},southeast,16,16` ``. */
export function markText(text: string): string;

/** The first part of `watermark` or `mask` for an image, `SOURCE/PATH`. */
export function markPath(subject: string): string;

/**
 * Imports a signing key.
 *
 * @param key hexadecimal digits, as in `signing.keys`
 * @throws {TypeError} for other texts
 */
export function importKey(key: string): Promise<Key>;

/** The value of `sig` for a path and query: over all of it, or with `scope` over the path, `scope` and `exp`. */
export function signature(key: Key | string, target: string): Promise<string>;

/** The target with its signature at the end. */
export function signed(key: Key | string, target: string): Promise<string>;

/**
 * Parameters, and the widths in pixels or the densities at which they are offered.
 *
 * Widths replace `w` and drop `dpr`, and scale `h`, which must have a `w` beside it. A height that only a preset states is not
 * scaled: each width is then another crop.
 */
export interface ImageSet {
  parameters?: AnyParameters;
  widths?: readonly number[];
  densities?: readonly (number | string)[];
}

export interface Picture {
  /** The sources before the image, for other formats or crops. */
  sources?: readonly (ImageSet & {
    media?: string; type?: string; sizes?: string; width?: number | string; height?: number | string;
  })[];
  img: ImageSet & { sizes?: string; attributes?: Record<string, string | number | null | undefined> };
}

export interface ClientOptions extends TargetOptions {
  /** The beginning of all URLs, such as `https://img.example.com`. */
  base?: string;
  /** The `prefix` of the site in the server's configuration, such as `/blog`, which signatures cover. */
  prefix?: string;
}

/** Builds URLs and markup without signatures. */
export class Edgeprint<Text = string> {
  constructor(options?: ClientOptions);
  /** The URL of an image. */
  url(subject: string, parameters?: AnyParameters, options?: TargetOptions): Text;
  /** The value of a `srcset` attribute. */
  srcset(subject: string, set: ImageSet, options?: TargetOptions): Text;
  /** The markup of an `<img>`, or with sources a `<picture>`. */
  picture(subject: string, picture: Picture, options?: TargetOptions): Text;
}

/**
 * Builds URLs and markup with signatures, for servers: a key in a page is no secret.
 *
 * A signature permits what `remote.allow` does not, so URLs of other servers are refused without `remote: true`.
 */
export class SigningEdgeprint extends Edgeprint<Promise<string>> {
  constructor(options: ClientOptions & { key: Key | string });
}

/** Pixels: four bytes each, row by row, alpha not multiplied in. */
export interface Pixels {
  width: number;
  height: number;
  rgba: Uint8ClampedArray;
}

/** Decodes a ThumbHash in base64 to at most 32 pixels a side; `null` for other texts. */
export function thumbHash(text: string): Pixels | null;

/** Decodes a BlurHash to pixels of a size; `null` for other texts. */
export function blurHash(text: string, width?: number, height?: number): Pixels | null;

/** A PNG as a `data:` URL, for small pictures: it is not compressed. */
export function dataURL(picture: Pixels): string;

/** What a cache says of a response (RFC 9211). */
export interface CacheStatus {
  cache: string;
  hit: boolean;
  fwd?: string;
  fwdStatus?: number;
  ttl?: number;
  stored?: boolean;
  collapsed?: boolean;
  key?: string;
  detail?: string;
}

/** Reads `Cache-Status`: the cache nearest to the origin first; empty if the field is missing or malformed. */
export function cacheStatus(value: string | null | undefined): CacheStatus[];

/** Reads `Server-Timing`: the stages with their durations in milliseconds. */
export function serverTiming(value: string | null | undefined): { name: string; duration?: number; description?: string }[];

/**
 * A loader for `next/image`, the default export of the file that `images.loaderFile` names.
 *
 * Sources are encoded paths below `base`, such URLs, also with a scoped signature, or URLs of other hosts. The parameters beside
 * `base` are part of every URL.
 */
export function nextLoader(options?: { base?: string } & Parameters):
  (image: { src: string; width: number; quality?: number }) => string;

/** A provider for Nuxt Image: `defineProvider(nuxtProvider)`, or with version 1 `export const { getImage } = nuxtProvider`. */
export const nuxtProvider: {
  getImage(src: string, options?: { modifiers?: Record<string, any>; baseURL?: string }, context?: unknown): { url: string };
};

/** The options of Astro's `<Image>` that concern the file. */
export interface AstroTransform {
  src: string | { src: string; width: number; height: number; format?: string };
  width?: number;
  height?: number;
  widths?: number[];
  densities?: (number | `${number}x`)[];
  quality?: "low" | "mid" | "high" | "max" | number | (string & {});
  format?: string;
  fit?: string;
  position?: string;
  [name: string]: any;
}

/** An external image service for Astro; `image.service.config` has `base` and parameters of every URL. */
export const astroService: {
  getURL(options: AstroTransform, imageConfig?: { service?: { config?: Record<string, any> } }): string;
  getSrcSet(options: AstroTransform): { transform: AstroTransform; descriptor: string; attributes: Record<string, string> }[];
  getHTMLAttributes(options: AstroTransform): Record<string, any>;
};

export interface UnpicOperations {
  width?: number | string;
  height?: number | string;
  quality?: number | string;
  format?: string;
  [name: string]: Value;
}

/** A provider for unpic, whose URLs begin with `base`. */
export function unpicProvider(options?: { base?: string }): {
  generate(src: string | Address, operations?: UnpicOperations): string;
  extract(url: string | Address): { src: string; operations: Record<string, string> } | null;
  transform(src: string | Address, operations?: UnpicOperations): string;
};

declare global {
  // Empty without "dom", else that of browsers.
  interface HTMLElement {}
  interface HTMLElementTagNameMap {
    /**
     * An image whose width follows the layout.
     *
     * `src` is a URL without a signature or with a scoped one; `width` and `height` are its proportions, and `width` is its width
     * where content determines that, as in flex and grid containers. `thumbhash` or `blurhash` is shown until the image has
     * loaded, `max-dpr` is the highest density. `alt`, `loading`, `fetchpriority`, `decoding`,
     * `crossorigin` and `referrerpolicy` are those of `<img>`.
     */
    "edge-picture": HTMLElement;
  }
}
