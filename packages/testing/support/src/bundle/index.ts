export { type BundledApp, type BundleFile, bundleFiles, contentOf, entryFiles } from "./bundle-files.ts";
export { migrations, view, writeBundle } from "./write-bundle.ts";
