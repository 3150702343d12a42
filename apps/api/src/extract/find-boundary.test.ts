import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import busboy from "busboy";
import { expect, onTestFinished, test, vi } from "vitest";

const boundary = "-----------------------7b1";
const delimiter = `\r\n--${boundary}`;

/** Bytes that look like the beginning of a boundary, again and again. */
const lookalikes = Array.from({ length: delimiter.length }, (_, length) => delimiter.slice(0, length)).join("");

/** Returns the content of a form's file that arrives in pieces of one size. */
async function fileOf(content: string, pieceBytes: number): Promise<string> {
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="video"; filename="a"\r\n\r\n`;
  const form = Buffer.from(`${head}${content}${delimiter}--\r\n`, "latin1");
  const pieces = Array.from({ length: Math.ceil(form.length / pieceBytes) }, (_, index) =>
    form.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  const parser = busboy({ headers: { "content-type": `multipart/form-data; boundary=${boundary}` } });
  let found = "";
  parser.on("file", (_name, file) => {
    file.on("data", (chunk: Buffer) => {
      found += chunk.toString("latin1");
    });
  });
  await pipeline(Readable.from(pieces), parser);
  return found;
}

test.each(Array.from({ length: 80 }, (_, index) => index + 1))(
  "a file with the beginnings of boundaries is read unchanged in pieces of %d bytes",
  async (pieceBytes) => {
    for (const content of ["", "v", lookalikes, `${lookalikes}${"\r\n--".repeat(20)}${delimiter.slice(0, -1)}`]) {
      expect(await fileOf(content, pieceBytes)).toBe(content);
    }
  },
);

test("a patch of the parser makes Node search for boundaries", async () => {
  const search = vi.spyOn(Buffer.prototype, "indexOf");
  onTestFinished(() => search.mockRestore());
  expect(await fileOf("v".repeat(100_000), 64 * 1024)).toHaveLength(100_000);
  expect(search.mock.calls.filter(([needle]) => String(needle) === delimiter).length).toBeGreaterThan(0);
});
