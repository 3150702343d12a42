import { S3Client } from "@aws-sdk/client-s3";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import type { S3Address } from "@video-to-json/contract";

/** A bucket, and the naming of its objects. */
export type Bucket = {
  readonly client: S3Client;
  readonly name: string;
  readonly prefix: string;
};

const connectMs = 3000;
/** A server that transfers no byte for this time counts as hung. */
const defaultSilentMs = 4000;
/** A server may send nothing while it joins the parts of a large object. */
const joiningMs = 120_000;
const attempts = 3;

/** Opens a bucket. The AWS SDK finds the credentials, and the region if the address does not name it. */
export async function openBucket(
  { bucket, prefix, endpoint, region, pathStyle }: S3Address,
  { silentMs = defaultSilentMs }: { silentMs?: number | undefined },
): Promise<Bucket> {
  const client = new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(await regionOf({ endpoint, region })),
    forcePathStyle: pathStyle,
    // Servers other than Amazon's refuse newer checksums, and some never answer `Expect: 100-continue`.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    expectContinueHeader: false,
    maxAttempts: attempts,
    requestHandler: createHandler(silentMs),
  });
  return { client, name: bucket, prefix };
}

/** Most servers at a custom address ignore the region, but a signature needs one. */
async function regionOf({ endpoint, region }: Pick<S3Address, "endpoint" | "region">): Promise<{ region?: string }> {
  if (region !== undefined) return { region };
  if (endpoint === undefined) return {};
  const client = new S3Client({ endpoint });
  return { region: await client.config.region().catch(() => "us-east-1") };
}

type Handle = NodeHttpHandler["handle"];

/** Returns an HTTP handler with a time limit for every request. */
function createHandler(silentMs: number): NodeHttpHandler {
  const limits = { connectionTimeout: connectMs, throwOnRequestTimeout: true };
  const patient = new NodeHttpHandler({ ...limits, socketTimeout: joiningMs });
  const handler = new NodeHttpHandler({
    ...limits,
    socketTimeout: silentMs,
    httpAgent: { maxSockets: 200 },
    httpsAgent: { maxSockets: 200 },
  });
  const handle = handler.handle.bind(handler);
  handler.handle = ((request, options) => {
    const joins = request.method === "POST" && request.query?.uploadId !== undefined;
    return joins ? patient.handle(request, options) : handle(request, options);
  }) as Handle;
  return handler;
}
