/** Returns a box of the MP4 family. */
export function box(type: string, ...content: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 4, "latin1");
  const whole = Buffer.concat([head, ...content]);
  whole.writeUInt32BE(whole.length, 0);
  return whole;
}

/** Returns a copy of a file in which `change` edits the content of every box at a path, such as `moov/trak/tkhd`. */
export function changeBoxes(file: Buffer, path: string, change: (content: Buffer) => void): Buffer {
  const copy = Buffer.from(file);
  const places = placesOf(copy, path.split("/"));
  if (places.length === 0) throw new Error(`no box at ${path}`);
  for (const place of places) change(copy.subarray(place.start + 8, place.end));
  return copy;
}

/** Returns a copy of a file with new content in the first box at a path. The samples must precede the `moov` box. */
export function putBox(file: Buffer, path: string, content: (old: Buffer) => Buffer): Buffer {
  const names = path.split("/");
  const [place] = placesOf(file, names);
  if (!place) throw new Error(`no box at ${path}`);
  const put = box(names.at(-1) ?? "", content(file.subarray(place.start + 8, place.end)));
  const copy = Buffer.concat([file.subarray(0, place.start), put, file.subarray(place.end)]);
  for (let depth = 1; depth < names.length; depth++) {
    const [outer] = placesOf(file, names.slice(0, depth));
    if (outer) copy.writeUInt32BE(outer.end - outer.start + put.length - (place.end - place.start), outer.start);
  }
  return copy;
}

/** Returns a change for `changeBoxes` that writes 32-bit numbers at an offset. */
export function numbersAt(offset: number, values: readonly number[]): (content: Buffer) => void {
  return (content) => {
    for (const [index, value] of values.entries()) content.writeUInt32BE(value, offset + 4 * index);
  };
}

type Place = { start: number; end: number };

function placesOf(
  file: Buffer,
  [name, ...rest]: readonly string[],
  within: Place = { start: 0, end: file.length },
): Place[] {
  const places: Place[] = [];
  for (let at = within.start; at + 8 <= within.end; ) {
    const place = { start: at, end: at + (file.readUInt32BE(at) || within.end - at) };
    if (file.toString("latin1", at + 4, at + 8) === name)
      places.push(...(rest.length === 0 ? [place] : placesOf(file, rest, { start: at + 8, end: place.end })));
    at = Math.max(at + 8, place.end);
  }
  return places;
}
