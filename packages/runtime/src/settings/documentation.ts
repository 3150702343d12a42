import { tmpdir } from "node:os";
import { composeVariables, setByCompose } from "./compose-variables.ts";
import { sections } from "./declaration.ts";

type Spec = { desc?: string; example?: string; default?: unknown };

/** Returns docs/configuration.md: a section for each subject, with a row for each setting. */
export function configurationDocument(): string {
  const tables = Object.entries(sections).map(([title, settings]) =>
    [
      `## ${title}`,
      "",
      "| setting | default | what it does |",
      "|---|---|---|",
      ...Object.entries(settings).map(row),
    ].join("\n"),
  );
  const introduction = `# Configuration

Every process reads its settings from environment variables when it starts. If settings are missing or invalid, it lists
all of them and exits. They treat an empty value as not set. \`NAME_FILE\` names a file with the value of \`NAME\`.

\`pnpm docs:generate\` writes this page from \`packages/runtime/src/settings/declaration.ts\`.`;
  return `${[introduction, ...tables].join("\n\n")}\n`;
}

function row([name, spec]: [string, Spec]): string {
  const defaultText = "default" in spec ? defaultOf(spec.default) : "required";
  const example = spec.example ? ` Example: \`${spec.example}\`` : "";
  return `| \`${name}\` | ${defaultText} | ${spec.desc}${example} |`;
}

function defaultOf(value: unknown): string {
  const isEmpty = typeof value === "object" && Object.keys(value ?? {}).length === 0;
  if (value === undefined || isEmpty) return "none";
  return `\`${String(value).replace(tmpdir(), "<temporary directory>")}\``;
}

const width = 120;

/**
 * Returns infra/.env.example: the variables that the operator has to set, then every other variable with its default,
 * commented out.
 */
export function envExample(): string {
  const settings = Object.entries(sections).flatMap(([title, specs]) =>
    Object.entries(specs as Record<string, Spec>)
      .filter(([name]) => !setByCompose.has(name))
      .map(([name, spec]) => ({ title, name, ...spec })),
  );
  const isToFillIn = ({ name, ...spec }: { name: string }) =>
    // compose.yaml has a value for STORAGE_URL.
    ["FIRST_ACCOUNT_EMAIL", "GEMINI_API_KEY"].includes(name) || (!("default" in spec) && name !== "STORAGE_URL");
  const [toFillIn, ...others] = Object.entries(composeVariables);
  const blocks = [
    block(toFillIn?.[0] ?? "", [
      ...settings.filter(isToFillIn).map(({ name, desc }) => entry(desc ?? "", `${name}=`)),
      ...(toFillIn?.[1] ?? []).map(({ name, desc }) => entry(desc, `${name}=`)),
    ]),
    ...others.map(([title, variables]) =>
      block(
        title,
        variables.map(({ name, desc, default: value, isSet }) =>
          entry(desc, `${isSet ? "" : "#"}${name}=${value ?? ""}`),
        ),
      ),
    ),
    ...Object.keys(sections).map((title) =>
      block(
        title,
        settings
          .filter((setting) => setting.title === title && !isToFillIn(setting))
          .map(({ name, desc, example, ...spec }) => entry(desc ?? "", `#${name}=${shown(spec) || (example ?? "")}`)),
      ),
    ),
  ];
  const head = wrapped(
    "Copy this file to .env and fill in the first part. To change anything else, remove the # before its name. `pnpm docs:generate` writes this file.",
  );
  return `${[head, ...blocks].join("\n\n")}\n`;
}

function block(title: string, entries: readonly string[]): string {
  return [`# --- ${title} ---`, ...entries].join("\n\n");
}

function entry(desc: string, line: string): string {
  return `${wrapped(desc)}\n${line}`;
}

function shown({ default: value }: Spec): string {
  const isEmpty = typeof value === "object" && Object.keys(value ?? {}).length === 0;
  return value === undefined || isEmpty ? "" : String(value);
}

/** Returns a text as lines of comment. */
function wrapped(text: string): string {
  const lines: string[] = [];
  // A link to another document becomes the path of that document.
  const plain = text.replace(/\[[^\]]+\]\(([\w-]+\.md)[^)]*\)/g, "docs/$1");
  for (const word of plain.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`# ${word}`);
  }
  return lines.join("\n");
}
