import { writeFileSync } from "node:fs";
import { errorDocument } from "@video-to-json/contract";

writeFileSync(new URL("../docs/errors.md", import.meta.url), errorDocument());
