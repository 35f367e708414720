/** Pictures made to fit: as they are where they may be, else drawn smaller. */

interface Fitted {
  mediaType: string;
  /** Base64. */
  data: string;
  /** Width and height, if it was drawn anew. */
  size: string;
}

const KNOWN = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Base64 characters of one picture. */
const LARGEST = 420_000;
const SIDES = [1_568, 1_200, 900, 640, 400];
const QUALITIES = [0.85, 0.7, 0.5];

/** The picture in at most so many characters of base64; rejects what is none, or cannot be made to fit. */
export async function fitted(file: Blob, most: number): Promise<Fitted> {
  const budget = Math.min(most, LARGEST);
  if (KNOWN.includes(file.type) && inBase64(file.size) <= budget)
    return { mediaType: file.type, data: await base64(file), size: "" };
  const picture = await createImageBitmap(file);
  try {
    for (const side of SIDES) {
      const scale = Math.min(1, side / Math.max(picture.width, picture.height));
      const width = Math.max(1, Math.round(picture.width * scale));
      const height = Math.max(1, Math.round(picture.height * scale));
      const canvas = drawn(picture, width, height);
      for (const quality of QUALITIES) {
        const blob = await encoded(canvas, quality);
        if (inBase64(blob.size) <= budget)
          return { mediaType: blob.type, data: await base64(blob), size: `${width} × ${height}` };
      }
    }
  } finally {
    picture.close();
  }
  throw new RangeError("It does not fit.");
}

const inBase64 = (size: number) => Math.ceil(size / 3) * 4;

function drawn(picture: ImageBitmap, width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const brush = canvas.getContext("2d");
  if (!brush) throw new Error("This browser draws nothing.");
  // What was transparent would become black.
  brush.fillStyle = "white";
  brush.fillRect(0, 0, width, height);
  brush.imageSmoothingQuality = "high";
  brush.drawImage(picture, 0, 0, width, height);
  return canvas;
}

function encoded(canvas: HTMLCanvasElement, quality: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/jpeg", quality);
  });
}

export function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
