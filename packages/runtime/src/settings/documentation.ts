import { tmpdir } from "node:os";
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
  const defaultText = "default" in spec ? shown(spec.default) : "required";
  const example = spec.example ? ` Example: \`${spec.example}\`` : "";
  return `| \`${name}\` | ${defaultText} | ${spec.desc}${example} |`;
}

function shown(value: unknown): string {
  const isEmpty = typeof value === "object" && Object.keys(value ?? {}).length === 0;
  if (value === undefined || isEmpty) return "none";
  return `\`${String(value).replace(tmpdir(), "<temporary directory>")}\``;
}
