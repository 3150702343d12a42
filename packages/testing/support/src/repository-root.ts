import { fileURLToPath } from "node:url";

/** The absolute path of the repository, without a slash at the end. */
export const repositoryRoot = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/\/$/, "");
