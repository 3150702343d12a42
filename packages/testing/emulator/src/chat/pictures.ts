/** A picture of a question, with the time that stands before it as text; null without one. */
export type Shown = { jpeg: Buffer; seconds: number | null };

/** The width and height of a JPEG picture, or undefined for other bytes. */
export function sizeOf(jpeg: Buffer): { width: number; height: number } | undefined {
  if (jpeg.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < jpeg.length; at += 2 + jpeg.readUInt16BE(at + 2)) {
    const marker = jpeg.readUInt16BE(at);
    if (marker >= 0xffc0 && marker <= 0xffc2)
      return { height: jpeg.readUInt16BE(at + 5), width: jpeg.readUInt16BE(at + 7) };
  }
  return undefined;
}

/** Returns an AVI file with these pictures, each as long as the others. */
export function videoOf(pictures: readonly Buffer[], pictureMs: number): Buffer {
  const { width = 0, height = 0 } = (pictures[0] && sizeOf(pictures[0])) ?? {};
  const [count, micros] = [pictures.length, Math.round(pictureMs * 1000)];
  const stream = Buffer.concat([Buffer.from("vidsMJPG"), words(0, 0, 0, micros, 1_000_000, 0, count, 0, 0, 0, 0, 0)]);
  const format = Buffer.concat([words(40, width, height, 0x180001), Buffer.from("MJPG"), words(0, 0, 0, 0, 0)]);
  const header = chunk("avih", words(micros, 0, 0, 0, count, 0, 1, 0, width, height, 0, 0, 0, 0));
  const streams = list("LIST", "strl", [chunk("strh", stream), chunk("strf", format)]);
  const movie = pictures.map((jpeg) => chunk("00dc", jpeg));
  return list("RIFF", "AVI ", [list("LIST", "hdrl", [header, streams]), list("LIST", "movi", movie)]);
}

function chunk(name: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(name), words(body.length), body, Buffer.alloc(body.length % 2)]);
}

function list(name: string, type: string, parts: readonly Buffer[]): Buffer {
  return chunk(name, Buffer.concat([Buffer.from(type), ...parts]));
}

function words(...values: number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}
