/** Where uploads are kept. */
export type StorageAddress = { readonly kind: "directory"; readonly url: string } | S3Address;

/** A part of a bucket on a server that speaks S3. */
export type S3Address = {
  readonly kind: "s3";
  readonly bucket: string;
  /** The prefix of our objects' names: empty, or text that ends with a slash. */
  readonly prefix: string;
  /** The server's address. By default, Amazon's for the region. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /** Whether requests name the bucket in their path, not in their host name. */
  readonly pathStyle: boolean;
  /** What each object asks to be encrypted with; undefined for what the bucket does by itself. */
  readonly encryption:
    | { readonly algorithm: (typeof algorithms)[number]; readonly keyId: string | undefined }
    | undefined;
};

const algorithms = ["AES256", "aws:kms", "aws:kms:dsse"] as const;

const forms = "Use file:///an/absolute/directory or s3://bucket/prefix?endpoint=https://host&region=name.";
const bucketName = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/;
const prefixPart = /^[A-Za-z0-9!_.*'()-]+$/;
const parameters = new Set(["endpoint", "region", "path-style", "encryption", "encryption-key"]);

/**
 * Reads the setting STORAGE_URL. Throws an Error that says what is wrong and which URLs are supported. The error never
 * quotes the URL, because it may contain a password.
 *
 * @example parseStorageUrl("s3://videos/uploads?endpoint=http://minio:9000");
 */
export function parseStorageUrl(text: string): StorageAddress {
  const url = URL.parse(text);
  if (url?.protocol === "file:" && !url.host && !url.search && !url.hash) return { kind: "directory", url: text };
  if (url?.protocol === "s3:") return parseS3Url(url);
  throw new Error(`Storage at a ${url?.protocol ?? "malformed"} URL is not supported. ${forms}`);
}

function parseS3Url(url: URL): S3Address {
  const { hostname: bucket, searchParams } = url;
  if (url.username || url.password)
    throw fault("has credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead");
  if (url.port) throw fault("has a port. The server's address goes into the parameter `endpoint`");
  if (url.hash) throw fault("has a fragment");
  if (!bucketName.test(bucket)) throw fault("names no valid bucket");
  for (const name of searchParams.keys()) {
    if (!parameters.has(name)) throw fault(`has the unknown parameter \`${name}\``);
    if (searchParams.getAll(name).length > 1) throw fault(`has the parameter \`${name}\` twice`);
  }
  const endpoint = searchParams.get("endpoint") || undefined;
  if (endpoint !== undefined && !isEndpoint(endpoint)) {
    throw fault("has an `endpoint` that is not http://host:port or https://host:port");
  }
  const pathStyle = searchParams.get("path-style") ?? String(endpoint !== undefined);
  if (!/^(true|false)$/.test(pathStyle)) throw fault("has a `path-style` that is neither true nor false");
  const region = searchParams.get("region") || undefined;
  if (region !== undefined && !/^[A-Za-z0-9-]+$/.test(region)) throw fault("has an invalid `region`");
  const encryption = encryptionOf(searchParams);
  return { kind: "s3", bucket, prefix: prefixOf(url), endpoint, region, pathStyle: pathStyle === "true", encryption };
}

function encryptionOf(parameters: URLSearchParams): S3Address["encryption"] {
  const given = parameters.get("encryption") || undefined;
  const keyId = parameters.get("encryption-key") || undefined;
  const algorithm = algorithms.find((each) => each === given);
  if (given !== algorithm) throw fault(`has an \`encryption\` that is not ${algorithms.join(", ")}`);
  if (keyId !== undefined && !algorithm?.startsWith("aws:kms")) {
    throw fault("has an `encryption-key` without `encryption=aws:kms`");
  }
  if (keyId !== undefined && !/^[\x21-\x7e]{1,2048}$/.test(keyId)) throw fault("has an invalid `encryption-key`");
  return algorithm && { algorithm, keyId };
}

function isEndpoint(text: string): boolean {
  const { protocol, username, password, search, hash } = URL.parse(text) ?? {};
  return /^https?:$/.test(protocol ?? "") && !username && !password && !search && !hash;
}

function prefixOf({ pathname }: URL): string {
  const path = pathname.replace(/^\//, "").replace(/\/$/, "");
  if (path === "") return "";
  // Servers and proxies rewrite other names in paths.
  const isPlain = path.split("/").every((part) => prefixPart.test(part) && !/^\.+$/.test(part));
  if (!isPlain) throw fault("has a prefix with an empty part, a part of dots, or a character that is not safe in S3");
  return `${path}/`;
}

function fault(what: string): Error {
  return new Error(`The URL ${what}. ${forms}`);
}
