import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runHere } from "../testing/run-here.ts";
import { startScriptInTerminal } from "../testing/start-cli.ts";

const run = promisify(execFile);
const isThere = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

/** The offers of each shell for a command line: words, or nothing, in which case the shell may offer files. */
const lines: [line: string, offered: string[]][] = [
  ["ex", ["extract"]],
  ["jobs ", ["delete"]],
  ["jobs --st", ["--status"]],
  ["jobs --status ", ["failed", "queued", "running", "succeeded"]],
  ["jobs --status=fa", ["failed"]],
  ["jobs -n 5 --status r", ["running"]],
  ["jobs -n=5 --status r", ["running"]],
  ["jobs delete --", ["--help", "--no-color", "--url"]],
  ["job ", []],
  ["extract jobs --con", ["--concurrency"]],
  ["extract --jq ", []],
  ["extract cl", ["clip one.mp4"]],
  ["extract -s ", ["clip one.mp4", "folder", "notes.txt"]],
  ["extract clip.mp4 --schema no", ["notes.txt"]],
  ["--no-color completion ", ["bash", "fish", "zsh"]],
  ["extract -i @no", ["@notes.txt"]],
];

let scripts: string;
let folder: string;
beforeAll(async () => {
  scripts = await mkdtemp(join(tmpdir(), "v2j-scripts-"));
  folder = await mkdtemp(join(tmpdir(), "v2j-completion-"));
  await Promise.all([
    ...["clip one.mp4", "notes.txt"].map((name) => writeFile(join(folder, name), "")),
    mkdir(join(folder, "folder")),
  ]);
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await runHere(["completion", shell], {});
    expect(code).toBe(0);
    await writeFile(join(scripts, shell), stdout);
  }
});
afterAll(() => Promise.all([folder, scripts].map((path) => rm(path, { recursive: true }))));

test("bash gets the commands, options, values and files of every place", async () => {
  // Outside a completion there is no compopt, so files come from compgen, as in old versions.
  const script = `source ${scripts}/bash
while IFS= read -r line; do
  IFS=' ' read -ra COMP_WORDS <<<"video-to-json \${line//=/ = }"
  [[ $line == *' ' ]] && COMP_WORDS+=("")
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _video_to_json
  printf '%s|' "\${COMPREPLY[@]}"; echo
done`;
  const shell = run("bash", ["--norc", "--noprofile", "-c", script], { cwd: folder });
  shell.child.stdin?.end(`${lines.map(([line]) => line).join("\n")}\n`);
  const { stdout, stderr } = await shell;
  expect(stderr).toBe("");
  expect(offers(stdout)).toEqual(lines);
});

test("a person at bash completes commands, values and files with the Tab key", async () => {
  const shell = startScriptInTerminal("exec bash --norc --noprofile -i", {
    HOME: folder,
    PATH: process.env.PATH ?? "",
    PS1: "$ ",
  });
  const type = (keys: string) => shell.child.stdin.write(keys);
  type(`cd ${folder}; bind 'set enable-bracketed-paste off'; source ${scripts}/bash; echo rea''dy\n`);
  await shell.until(/[\r\n]ready\r/);
  type("video-to-json comp\tz\t");
  await shell.until(/video-to-json completion zsh /);
  type("\u0015video-to-json jobs --sta\tfa\t--lim\t");
  await shell.until(/jobs --status failed --limit /);
  type("\u0015video-to-json jobs --status=su\t");
  await shell.until(/jobs --status=succeeded /);
  type("\u0015video-to-json extract cl\t--out\tfo\t");
  await shell.until(/extract clip\\ one\.mp4 --output folder\//);
  type("\u0015video-to-json extract -i @no\t");
  await shell.until(/extract -i @notes\.txt /);
  type("\u0015exit\n");
  await shell.ended;
});

test.skipIf(!isThere("fish"))("fish gets the same", async () => {
  const script = `source ${scripts}/fish
while read --line line
  echo (complete --do-complete "video-to-json $line" | string replace --regex '\\t.*' '' | string join '|')
end`;
  const shell = run("fish", ["--no-config", "-c", script], { cwd: folder, env: { ...process.env, HOME: folder } });
  shell.child.stdin?.end(`${lines.map(([line]) => line).join("\n")}\n`);
  const { stdout, stderr } = await shell;
  expect(stderr).toBe("");
  expect(offers(stdout)).toEqual(lines);
});

test.skipIf(!isThere("zsh"))("a person at zsh completes the same", async () => {
  const shell = startScriptInTerminal("exec zsh -f -i", {
    TERM: "dumb",
    HOME: folder,
    PATH: process.env.PATH ?? "",
    PS1: "$ ",
  });
  const type = (keys: string) => shell.child.stdin.write(keys);
  type(`cd ${folder}; autoload -U compinit; compinit -u -D; source ${scripts}/zsh; echo rea''dy\n`);
  await shell.until(/[\r\n]ready\r/);
  type("video-to-json comp\tz\t");
  await shell.until(/completion[ \b]+zsh/);
  type("\u0015video-to-json jobs --sta\tfa\t--lim\t");
  await shell.until(/--status[ \b]+failed[ \b]+--limit/);
  type("\u0015video-to-json extract cl\t--out\tfo\t");
  await shell.until(/clip\\ one\.mp4[ \b]+--output[ \b]+folder/);
  type("\u0015exit\n");
  await shell.ended;
});

/** Reads the offers, one per line. */
function offers(text: string): [string, string[]][] {
  const found = text.trimEnd().split("\n");
  return lines.map(([line], index) => {
    const words = (found[index] ?? "").split("|").filter((word) => word !== "");
    return [line, words.map((word) => word.replace(/^--[a-z]+=|\/$/g, "")).toSorted()];
  });
}
