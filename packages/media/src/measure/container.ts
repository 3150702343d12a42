/** A container's common name and its media type. */
export type Container = { container: string; mimeType: string };

/**
 * Returns the container for ffmpeg's name of the format, the brand of a file of the MP4 family and the first bytes.
 * Returns undefined for images in a container of the MP4 family (AVIF, HEIC).
 */
export function nameContainer(format: string, brand: string | null, firstBytes: Buffer): Container | undefined {
  const family = format.split(",")[0] ?? "";
  if (family === "mov") return nameMov(brand);
  if (family === "matroska") return named(isWebm(firstBytes) ? "webm" : "matroska");
  return named(family);
}

const mimeTypes: Record<string, string> = {
  mp4: "video/mp4",
  mov: "video/quicktime",
  "3gp": "video/3gpp",
  webm: "video/webm",
  matroska: "video/x-matroska",
  avi: "video/avi",
  mpegts: "video/mp2t",
  mpeg: "video/mpeg",
  flv: "video/x-flv",
  ogg: "video/ogg",
  asf: "video/wmv",
};

const imageBrands = /^(avif|avis|mif1|msf1|heic|heix|heim|heis|hevc|hevx|hevm|hevs|jpeg|jpgs|crx )$/;

function nameMov(brand: string | null): Container | undefined {
  if (brand === null || brand === "qt  ") return named("mov");
  if (imageBrands.test(brand)) return undefined;
  return named(/^3g[2-9a-z]/.test(brand) ? "3gp" : "mp4");
}

/** Whether the DocType element (0x4282) of the EBML header says WebM rather than Matroska. */
function isWebm(firstBytes: Buffer): boolean {
  const at = firstBytes.indexOf(Buffer.from([0x42, 0x82]));
  return at >= 0 && firstBytes.toString("latin1", at + 2, at + 12).includes("webm");
}

function named(container: string): Container | undefined {
  const mimeType = mimeTypes[container];
  return mimeType === undefined ? undefined : { container, mimeType };
}
