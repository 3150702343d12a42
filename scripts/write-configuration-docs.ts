import { writeFileSync } from "node:fs";
import { configurationDocument } from "@video-to-json/settings";

writeFileSync(new URL("../docs/configuration.md", import.meta.url), configurationDocument());
