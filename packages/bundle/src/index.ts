export { type BundledApp, type BundleFile, bundleFiles, contentOf } from "./bundle-files.ts";
export { migrations, writeBundle } from "./write-bundle.ts";
