// Compiled by `make clients` without the library "dom", as on a server, and never run.
import { Edgeprint, SigningEdgeprint, importKey, signature, signed, unpicProvider } from "edgeprint";

const pages = new Edgeprint({ base: "https://img.example.com" });
const unpic = unpicProvider({ base: "/photos" });
export const texts: (string | undefined)[] = [
  pages.url("photos/cat.jpg", { w: 400 }), unpic.extract("/photos/cat.jpg")?.src, unpic.generate({ href: "/photos/cat.jpg" }, { width: 400 }),
];

export async function signs(): Promise<string[]> {
  const key = await importKey("ab".repeat(32));
  const server = new SigningEdgeprint({ base: "https://img.example.com", key });
  return [await server.url("photos/cat.jpg"), await signed(key, "/photos/cat.jpg"), await signature("ab".repeat(32), "/photos/cat.jpg")];
}

// @ts-expect-error a number is no key
signed(1, "/photos/cat.jpg");
// @ts-expect-error a number is no URL
unpic.extract(1);
