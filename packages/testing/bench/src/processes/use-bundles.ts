import { bundleApps, bundlesVariable } from "@video-to-json/testing/running";

/** Bundles the apps, as for the images, and lets this process start them from the bundles. */
export async function useBundles(): Promise<void> {
  process.env[bundlesVariable] ??= await bundleApps();
}
