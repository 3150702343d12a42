/** The place of a box in a file of the MP4 family: the offset of its length field, and its whole length. */
type Place = { at: number; length: number };

/** Returns a copy of the file in which `edit` has changed the content of each box at a path, such as `moov/trak/tkhd`. */
export function editBoxes(file: Buffer, path: string, edit: (content: Buffer) => void): Buffer {
  const copy = Buffer.from(file);
  const places = findBoxes(copy, path);
  if (places.length === 0) throw new Error(`no box at ${path}`);
  for (const { at, length } of places) edit(copy.subarray(at + 8, at + length));
  return copy;
}

/** Replaces the content of the first box at a path. Later bytes move, so the samples must be before it. */
export function replaceBox(file: Buffer, path: string, content: (old: Buffer) => Buffer): Buffer {
  const place = findBoxes(file, path)[0];
  if (!place) throw new Error(`no box at ${path}`);
  const next = content(file.subarray(place.at + 8, place.at + place.length));
  const parts = [file.subarray(0, place.at), box(path.split("/").at(-1) ?? "", next)];
  const copy = Buffer.concat([...parts, file.subarray(place.at + place.length)]);
  const names = path.split("/");
  for (let depth = 1; depth < names.length; depth++) {
    const outer = findBoxes(file, names.slice(0, depth).join("/"))[0];
    if (outer) copy.writeUInt32BE(outer.length + next.length + 8 - place.length, outer.at);
  }
  return copy;
}

/** Returns a box of a type with a content. */
export function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8, 0);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, content]);
}

/** Returns an edit that multiplies the 32-bit number at an offset in the content of a box. */
export function scaleAt(offset: number, factor: number): (content: Buffer) => void {
  return (content) => {
    content.writeUInt32BE(Math.round(content.readUInt32BE(offset) * factor), offset);
  };
}

function findBoxes(file: Buffer, path: string, start = 0, end = file.length): Place[] {
  const [name, ...rest] = path.split("/");
  const places: Place[] = [];
  for (let at = start; at + 8 <= end; ) {
    const length = file.readUInt32BE(at) || end - at;
    if (file.toString("latin1", at + 4, at + 8) === name)
      places.push(...(rest.length ? findBoxes(file, rest.join("/"), at + 8, at + length) : [{ at, length }]));
    at += Math.max(8, length);
  }
  return places;
}
