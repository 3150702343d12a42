/** A value of a GGUF file. `u32`, `i32` and `f32` are numbers of that type; an array has one type. */
export type GgufValue =
  | string
  | boolean
  | { u32: number }
  | { f32: number }
  | { f32s: readonly number[] }
  | { i32s: readonly number[] }
  | { strings: readonly string[] };

/** A tensor of 32-bit floats. `shape`: the fastest dimension first. */
export type Tensor = { name: string; shape: readonly number[]; values: Float32Array };

const alignment = 32;
const types = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 };

/** Returns a GGUF file of version 3, the form in which llama.cpp reads models. */
export function writeGguf(entries: Readonly<Record<string, GgufValue>>, tensors: readonly Tensor[]): Buffer {
  const pairs = Object.entries(entries).map(([key, value]) => Buffer.concat([text(key), valueBytes(value)]));
  let offset = 0;
  const infos = tensors.map(({ name, shape, values }) => {
    const info = Buffer.concat([text(name), u32(shape.length), ...shape.map(u64), u32(0), u64(offset)]);
    offset += padded(values.byteLength);
    return info;
  });
  const head = Buffer.concat([Buffer.from("GGUF"), u32(3), u64(tensors.length), u64(pairs.length), ...pairs, ...infos]);
  const data = tensors.map(({ values }) => pad(Buffer.from(values.buffer, values.byteOffset, values.byteLength)));
  return Buffer.concat([pad(head), ...data]);
}

function valueBytes(value: GgufValue): Buffer {
  if (typeof value === "string") return Buffer.concat([u32(types.string), text(value)]);
  if (typeof value === "boolean") return Buffer.concat([u32(types.bool), Buffer.from([Number(value)])]);
  if ("u32" in value) return Buffer.concat([u32(types.u32), u32(value.u32)]);
  if ("f32" in value) return Buffer.concat([u32(types.f32), bytes(Float32Array.of(value.f32))]);
  if ("f32s" in value) return array(types.f32, value.f32s.length, bytes(Float32Array.from(value.f32s)));
  if ("i32s" in value) return array(types.i32, value.i32s.length, bytes(Int32Array.from(value.i32s)));
  return array(types.string, value.strings.length, Buffer.concat(value.strings.map(text)));
}

function array(type: number, length: number, content: Buffer): Buffer {
  return Buffer.concat([u32(types.array), u32(type), u64(length), content]);
}

function text(value: string): Buffer {
  const content = Buffer.from(value);
  return Buffer.concat([u64(content.length), content]);
}

const bytes = ({ buffer }: Float32Array | Int32Array | Uint32Array | BigUint64Array) => Buffer.from(buffer);
const u32 = (value: number) => bytes(Uint32Array.of(value));
const u64 = (value: number) => bytes(BigUint64Array.of(BigInt(value)));
const padded = (length: number) => Math.ceil(length / alignment) * alignment;
const pad = (content: Buffer) => Buffer.concat([content, Buffer.alloc(padded(content.length) - content.length)]);
