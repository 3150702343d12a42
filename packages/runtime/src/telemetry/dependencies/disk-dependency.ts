import { statfs } from "node:fs/promises";
import type { Metrics } from "../metrics/open-metrics.ts";
import type { Dependency } from "./watch-dependencies.ts";

/** Each check of a bucket is a request that costs money. */
const bucketMs = 5000;

type Disk = {
  name: "storage" | "scratch";
  address: string;
  /** The directory to measure. Undefined for a storage that is not a disk. */
  directory: string | undefined;
  /** Rejects if files cannot be written. */
  ready(): Promise<unknown>;
};

/** Returns a disk as a dependency that the process cannot work without. Each check also measures its free space. */
export function diskDependency(
  metrics: Pick<Metrics, "diskFree" | "diskSize">,
  { name, address, directory, ready }: Disk,
): Dependency {
  const measure = async () => {
    if (directory === undefined) return;
    const { bavail, blocks, bsize } = await statfs(directory);
    metrics.diskFree.set({ disk: name }, bavail * bsize);
    metrics.diskSize.set({ disk: name }, blocks * bsize);
  };
  return {
    name,
    address,
    isRequired: true,
    // Also measures a disk that is not ready because it is full: otherwise the alert for full disks would not fire.
    check: () => ready().finally(measure),
  };
}

/** Returns the storage at a URL as a dependency. */
export function storageDependency(
  metrics: Pick<Metrics, "diskFree" | "diskSize">,
  url: string,
  ready: () => Promise<unknown>,
): Dependency {
  const { protocol, host, pathname } = new URL(url);
  const isDisk = protocol === "file:";
  const address = isDisk ? decodeURIComponent(pathname) : `${protocol}//${host}${pathname}`;
  const dependency = diskDependency(metrics, {
    name: "storage",
    address,
    directory: isDisk ? address : undefined,
    ready,
  });
  return isDisk ? dependency : { ...dependency, everyMs: bucketMs };
}
