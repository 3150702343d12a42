import { spawn } from "node:child_process";

/** Returns the text in a grey picture, or null if the picture shows no text or tesseract is not installed. */
export async function recognizeText(picture: GreyPicture, signal: AbortSignal): Promise<RecognizedText | null> {
  const table = await run(pgm(picture), signal);
  const recognized = table === null ? null : readTable(table);
  return recognized && recognized.text !== "" ? recognized : null;
}

/** A recognized text. Its score grows with the number of letters and the confidence. */
export type RecognizedText = { text: string; score: number };

/** A grey picture with one byte for each pixel. */
export type GreyPicture = { width: number; height: number; grey: Uint8Array };

function pgm({ width, height, grey }: GreyPicture): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, "latin1"), grey]);
}

const timeoutMs = 20_000;
const program = "tesseract";
const args = ["-", "-", "--psm", "11", "--dpi", "150", "-l", "eng", "tsv"];

function run(input: Buffer, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const reading = spawn(program, args, { signal, timeout: timeoutMs, stdio: ["pipe", "pipe", "ignore"] });
    const chunks: Buffer[] = [];
    reading.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    reading.stdin.on("error", () => {});
    reading.once("error", (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? resolve(null) : reject(error)));
    reading.once("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
    reading.stdin.end(input);
  });
}

/** The smallest confidence, of 100, of a word, and of a word with one letter. */
const minConfidence = 50;
const minLetterConfidence = 80;

/** Returns the confident words of tesseract's table, in lines from top to bottom. */
function readTable(table: string): RecognizedText {
  const lines = new Map<string, { top: number; left: number; words: string[] }>();
  let score = 0;
  for (const row of table.split("\n").slice(1)) {
    const [, page, block, paragraph, line, , left, top, , height, confidence, ...rest] = row.split("\t");
    const word = (rest.join("\t") ?? "").trim();
    const letters = word.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
    if (letters === 0 || Number(confidence) < (letters > 1 ? minConfidence : minLetterConfidence) || Number(height) < 8)
      continue;
    const key = [page, block, paragraph, line].join("/");
    const found = lines.get(key) ?? { top: Number(top), left: Number(left), words: [] };
    found.words.push(word);
    lines.set(key, found);
    score += letters ** 2 * (Number(confidence) - minConfidence);
  }
  const sorted = [...lines.values()].sort((a, b) => a.top - b.top || a.left - b.left);
  return { text: sorted.map(({ words }) => words.join(" ")).join(" "), score };
}
