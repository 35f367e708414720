/** Pictures by the endings of their names: what is fetched is taken as that kind alone. SVG is none, as it may hold more. */
const TYPES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  ico: "image/x-icon",
};

export function pictureType(path: string): string | undefined {
  return TYPES[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
}
