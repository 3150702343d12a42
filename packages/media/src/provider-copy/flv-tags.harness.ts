/** The bytes before the first tag: the header, and the length of no tag. */
export const flvHeaderBytes = 13;
/** The first byte of a tag with video. */
export const videoTag = 9;

/** A tag with a call of `onTextData`, whose argument is an array of one text. */
export function flvCaption(text: string): Buffer {
  const string = (value: string) => Buffer.from(`\0${String.fromCharCode(value.length)}${value}`, "latin1");
  const [textType, arrayType, arrayLength] = [Buffer.from([2]), Buffer.from([8]), Buffer.from([0, 0, 0, 1])];
  const named = Buffer.concat([string("text"), textType, string(text)]);
  const end = Buffer.from([0, 0, 9]);
  const content = Buffer.concat([textType, string("onTextData"), arrayType, arrayLength, named, end]);
  const head = Buffer.alloc(11);
  head.writeUIntBE(0x12_000000 + content.length, 0, 4);
  head.writeUIntBE(900, 4, 3);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length + content.length);
  return Buffer.concat([head, content, length]);
}

/** Returns the tags of an FLV file, each with its trailing length. ffmpeg's first tag describes the file. */
export function flvTags(file: Buffer): Buffer[] {
  const tags: Buffer[] = [];
  for (let at = flvHeaderBytes; at + 11 <= file.length; at += tags.at(-1)?.length ?? 0)
    tags.push(file.subarray(at, at + 11 + file.readUIntBE(at + 1, 3) + 4));
  return tags;
}
