import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient as heyApi } from "@hey-api/openapi-ts";
import { type BorrowedService, borrowService } from "@video-to-json/stack/service";
import { repositoryRoot, runsAllTests } from "@video-to-json/testing";
import openapiTypescript, { astToString } from "openapi-typescript";
import { generate as orval } from "orval";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const ownRoot = join(repositoryRoot, "packages/testing/end-to-end");

let service: BorrowedService;
let directory: string;
beforeAll(async () => {
  service = await borrowService();
  directory = await mkdtemp(join(tmpdir(), "v2j-generated-"));
  await symlink(join(ownRoot, "node_modules"), join(directory, "node_modules"));
  await writeFile(join(directory, "package.json"), '{ "type": "module" }');
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const facts = `import { openAsBlob } from "node:fs";
const [url = "", key = "", path = ""] = process.argv.slice(2);
const video = new File([await openAsBlob(path)], "clip.mp4");
const schema = JSON.stringify({ main_color: "red|green|blue" });
`;

type Generator = {
  readonly name: string;
  readonly generate: (description: string, folder: string) => Promise<unknown>;
  /** The program of a user of the generated code. */
  readonly program: string;
};
const generators: Generator[] = [
  {
    name: "hey-api",
    generate: (input, folder) =>
      heyApi({
        input,
        output: { path: folder },
        plugins: ["@hey-api/client-fetch", "@hey-api/sdk"],
        logs: { level: "silent" },
      }),
    program: `import { client } from "./generated/client.gen";
import { extractVideo } from "./generated/sdk.gen";
client.setConfig({ baseUrl: url, auth: key });
const { data, error } = await extractVideo({ body: { schema, video } });
console.log(JSON.stringify(data ?? error));`,
  },
  {
    name: "orval",
    generate: (target, folder) =>
      orval({
        input: { target },
        output: { target: join(folder, "client.ts"), client: "fetch", baseUrl: service.baseUrl },
      }),
    program: `import { extractVideo } from "./generated/client";
const { data } = await extractVideo({ schema, video }, { headers: { authorization: \`Bearer \${key}\` } });
console.log(JSON.stringify(data));`,
  },
  {
    name: "openapi-typescript and openapi-fetch",
    generate: async (description, folder) =>
      writeFile(join(folder, "types.ts"), astToString(await openapiTypescript(new URL(description)))),
    program: `import createClient from "openapi-fetch";
import type { paths } from "./generated/types";
const client = createClient<paths>({ baseUrl: url, headers: { authorization: \`Bearer \${key}\` } });
const { data, error } = await client.POST("/v1/extract", {
  body: { schema, video },
  bodySerializer: (body) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(body)) form.set(name, value as string | File);
    return form;
  },
});
console.log(JSON.stringify(data ?? error));`,
  },
];

test.runIf(runsAllTests).for(generators)(
  "a client of $name compiles, and sends a video",
  async ({ generate, program }) => {
    const folder = await mkdtemp(join(directory, "client-"));
    await mkdir(join(folder, "generated"));
    await generate(`${service.baseUrl}/docs/openapi-for-generators.json`, join(folder, "generated"));
    const source = join(folder, "program.ts");
    await writeFile(source, facts + program);
    const flags =
      "--strict --noEmit --skipLibCheck --types node --module esnext --moduleResolution bundler --target es2023";
    await run(join(ownRoot, "node_modules/.bin/tsc"), [...flags.split(" "), source]);
    const file = join(folder, "program.js");
    await (await rolldown({ input: source, platform: "node" })).write({ file });
    const { stdout } = await run(process.execPath, [file, service.baseUrl, service.apiKey, service.video]);
    expect(JSON.parse(stdout)).toMatchObject({ data: { main_color: expect.stringMatching(/^(red|green|blue)$/) } });
  },
);
