import { createWriteStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

// This file is the entry of a process: a server that only pipes the body of each request to a file of its own.
const directory = process.argv[2] ?? "";
let files = 0;
const server = createServer(async (request, response) => {
  const path = join(directory, `body-${files++}`);
  await pipeline(request, createWriteStream(path)).then(
    () => response.end(),
    () => response.destroy(),
  );
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit());
