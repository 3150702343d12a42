import fc from "fast-check";

/** Returns mutations of requests: one to six edits that change, remove, double, insert or cut bytes. */
export function mangle(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  return fc
    .tuple(bytes, fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([whole, edits]) => edits.reduce(apply, whole));
}

type Edit = {
  what: "change" | "flip" | "remove" | "double" | "insert" | "cut";
  at: number;
  length: number;
  byte: number;
};

const edit: fc.Arbitrary<Edit> = fc.record({
  what: fc.constantFrom("change", "change", "flip", "flip", "remove", "double", "insert", "cut"),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 30 }),
  byte: fc.oneof(fc.constantFrom(0, 10, 13, 34, 45, 58, 123, 255), fc.integer({ min: 0, max: 255 })),
});

function apply(bytes: Buffer, { what, at, length, byte }: Edit): Buffer {
  const from = Math.floor(at * bytes.length);
  const [before, after] = [bytes.subarray(0, from), bytes.subarray(from)];
  if (what === "cut") return Buffer.from(before);
  if (what === "insert") return Buffer.concat([before, Buffer.alloc(length, byte), after]);
  if (what === "double") return Buffer.concat([before, after.subarray(0, length), after]);
  if (what === "remove") return Buffer.concat([before, after.subarray(length)]);
  const put = what === "flip" ? (after[0] ?? 0) ^ (1 << (byte & 7)) : byte;
  return Buffer.concat([before, Buffer.from([put]), after.subarray(1)]);
}
