import { tmpdir } from "node:os";
import { declaration } from "./declaration.ts";

/** docs/configuration.md as text: a row a setting, out of the declaration itself. */
export function configurationDocument(): string {
  const rows = Object.entries(declaration).map(([name, spec]) => {
    const told = "default" in spec ? shown(spec.default) : "required";
    const example = spec.example ? ` Example: \`${spec.example}\`` : "";
    return `| \`${name}\` | ${told} | ${spec.desc}${example} |`;
  });
  return `${[
    "# Configuration",
    "",
    "Every process reads its settings from the environment once, when it starts, and lists every fault at once if it cannot start. An empty value counts as none. This page is written by `pnpm docs:configuration`.",
    "",
    "| setting | default | what it is |",
    "|---|---|---|",
    ...rows,
  ].join("\n")}\n`;
}

function shown(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "none";
  return `\`${String(value).replace(tmpdir(), "<temporary directory>")}\``;
}
