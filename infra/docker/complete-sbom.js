// Writes the list of what an image contains (CycloneDX): the packages of the lock file, which pnpm has listed, the
// Debian packages whose files were copied, Node, and the ffmpeg that was built.
//   node complete-sbom.js <root of the image> <name of the image>
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [root, image] = process.argv.slice(2);
const listed = join(root, "app/packages.cdx.json");
const sbom = JSON.parse(readFileSync(listed, "utf8"));

/** Returns the records of Debian packages: one file each where files were copied, else those of the distribution. */
function debianRecords() {
  try {
    const folder = join(root, "var/lib/dpkg/status.d");
    return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  } catch {
    return readFileSync(join(root, "var/lib/dpkg/status"), "utf8").trim().split(/\n\n+/);
  }
}

function debianComponent(record) {
  const field = (name) => record.match(new RegExp(`^${name}: (.*)$`, "m"))?.[1];
  const [name, version] = [field("Package"), field("Version")];
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${field("Architecture")}`;
  return { type: "library", name, version, purl, "bom-ref": purl };
}

function program(name, version) {
  const purl = `pkg:generic/${name}@${version}`;
  return { type: "application", name, version, purl, "bom-ref": purl };
}

function builtPrograms() {
  const ffmpeg = join(root, "opt/ffmpeg/bin/ffmpeg");
  if (!existsSync(ffmpeg)) return [];
  const [, version = "unknown"] = /^ffmpeg version (\S+)/.exec(String(execFileSync(ffmpeg, ["-version"]))) ?? [];
  return [program("ffmpeg", version)];
}

sbom.metadata.component.name = `video-to-json-${image}`;
sbom.components.push(
  program("node", process.versions.node),
  ...builtPrograms(),
  ...debianRecords().map(debianComponent),
);
mkdirSync(join(root, "usr/share/sbom"), { recursive: true });
writeFileSync(join(root, "usr/share/sbom/video-to-json.cdx.json"), JSON.stringify(sbom));
rmSync(listed);
