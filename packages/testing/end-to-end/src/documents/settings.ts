import { recipes } from "@video-to-json/contract/cookbook/recipes";

/** The state of a reader before the first block of a document. */
export type Setting = {
  /** Names of videos in the reader's folder. */
  videos: readonly string[];
  files?: Readonly<Record<string, string>>;
  /** Programs that the document assumes, with their output. */
  programs?: Readonly<Record<string, string>>;
  /** A folder of the repository whose files are the reader's. */
  folder?: string;
  /** Names that the blocks of a package's README use and that the text around them introduces, with their code. */
  names?: Readonly<Record<string, string>>;
  /** Whether the reader runs the service, and so has access to its database. */
  isOperator?: boolean;
  /** Run by `./scripts/test --all` only. */
  isSlow?: boolean;
};

const goals = '{"goals":[{"at":"timestamp","scorer":"string?"}]}';

const settings: Readonly<Record<string, Setting>> = {
  // Its own command makes the video.
  "docs/quickstart.md": { videos: [] },
  "docs/cli.md": {
    videos: ["clip.mp4", "match.mp4", "talk.mkv"],
    files: { "goals.json": goals, "notes.txt": "The home team wears red." },
    programs: { "generate-schema": goals },
    isSlow: true,
  },
  // The code samples of the reference page.
  "/docs": { videos: ["final.mp4"] },
  "docs/cookbook/README.md": {
    videos: ["match.mp4"],
    files: { "highlights.json": recipes[0]?.schema ?? "", "instructions.txt": recipes[0]?.instructions ?? "" },
  },
  "docs/operating.md": { videos: [], isOperator: true, isSlow: true },
  "docs/upgrades-and-backups.md": { videos: [], isOperator: true, isSlow: true },
  "packages/sdk/README.md": {
    isSlow: true,
    videos: ["match.mp4"],
    names: {
      createClient: 'import { createClient } from "video-to-json";',
      client: 'import { createClient } from "video-to-json";\nconst client = createClient();',
      z: 'import { z } from "zod";',
      video: 'const video = "match.mp4";',
      schema: 'const schema = { title: "string?" } as const;',
      pino: "const pino = { debug() {}, info() {}, warn() {} } as Record<string, (...shown: unknown[]) => void>;",
      id: 'const { id } = await createClient().extract({ video: "match.mp4", schema: { title: "string?" } });',
      bar: "const bar = (_share: number) => {};",
      spin: "const spin = (..._shown: unknown[]) => {};",
      warn: "const warn = (..._shown: unknown[]) => {};",
    },
  },
  "examples/python/README.md": { videos: ["clip.mp4"], folder: "examples/python" },
};

export function settingOf(path: string): Setting {
  return settings[path] ?? { videos: ["clip.mp4", "match.mp4"] };
}

/** Returns a block of a README, with the code of the names that it uses without declaring them. */
export function withNames(code: string, names: Readonly<Record<string, string>> = {}): string {
  const parts: string[] = [];
  let whole = code;
  // A name's code can use other names: later ones use earlier ones.
  for (const [name, given] of Object.entries(names).reverse()) {
    const isUsed = new RegExp(`(?<![\\w."-])${name}(?![\\w"-])`).test(whole);
    const isDeclared = new RegExp(`(?:import|const|let|function)\\b[^;=]*(?<![\\w"-])${name}(?![\\w-])`).test(whole);
    if (!isUsed || isDeclared) continue;
    parts.unshift(given);
    whole = `${given}\n${whole}`;
  }
  return [...parts, code].join("\n");
}
