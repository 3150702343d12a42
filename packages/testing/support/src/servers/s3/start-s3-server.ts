import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../processes/free-port.ts";
import { type RunningProcess, startProcess } from "../../processes/start-process.ts";

const credentials = { accessKeyId: "test:tester", secretAccessKey: "testing" };
const bucket = "videos";
const program = fileURLToPath(new URL("./swift-server.py", import.meta.url));

/** Whether `startS3Server` finds what it needs on this machine. */
export const canStartS3 = existsSync("/usr/lib/python3/dist-packages/swift");

/** Starts OpenStack Swift with its S3 interface. Without Debian's `python3-swift`, the error says what to install. */
export async function startS3Server(given: { directory?: string; logFile?: string } = {}) {
  const directory = given.directory ?? mkdtempSync(join(tmpdir(), "video-to-json-s3-"));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const client = await openClient(endpoint);
  const start = () =>
    startProcess({
      name: "s3",
      // Debian's own interpreter has its packages.
      command: "/usr/bin/python3",
      args: [program, directory, String(port)],
      logFile: given.logFile ?? join(directory, "s3.log"),
      stopSignal: "SIGKILL",
      temporaryDirectory: directory,
      probe: () => createBucket(client),
    });
  let running = await start();
  return {
    endpoint,
    bucket,
    /** The credentials, as the AWS SDK reads them. */
    env: { AWS_ACCESS_KEY_ID: credentials.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey },
    get process(): RunningProcess {
      return running;
    },
    /** Returns the names of objects, and of open uploads in parts, which end with "?uploadId". */
    contents: (changedBefore?: Date) => contentsOf(client, changedBefore),
    async putObject(name: string) {
      await client.putObject({ Bucket: bucket, Key: name, Body: "x" });
    },
    /** Begins an upload in parts and leaves it open. */
    async openUpload(name: string) {
      await client.createMultipartUpload({ Bucket: bucket, Key: name });
    },
    /** Ends the server as a crash does. What it has stored stays. */
    kill: () => running.stop(0),
    async restart() {
      running = await start();
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      await running.stop(0);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

async function openClient(endpoint: string) {
  // Loading the library takes a while, and most tests do not use it.
  const { S3 } = await import("@aws-sdk/client-s3");
  const options = { endpoint, credentials, region: "us-east-1", forcePathStyle: true, maxAttempts: 1 };
  return new S3({ ...options, requestChecksumCalculation: "WHEN_REQUIRED" });
}

async function createBucket(client: Awaited<ReturnType<typeof openClient>>): Promise<void> {
  await client.createBucket({ Bucket: bucket }).catch((error) => {
    // After a restart of the server, the bucket still exists.
    if (error?.name !== "BucketAlreadyOwnedByYou") throw error;
  });
}

async function contentsOf(client: Awaited<ReturnType<typeof openClient>>, changedBefore?: Date): Promise<string[]> {
  const isWanted = (at = new Date(0)) => changedBefore === undefined || at < changedBefore;
  const { Versions: Contents = [] } = await client.listObjectVersions({ Bucket: bucket });
  const { Uploads = [] } = await client.listMultipartUploads({ Bucket: bucket });
  return [
    ...Contents.filter(({ LastModified }) => isWanted(LastModified)).map(({ Key = "" }) => Key),
    ...Uploads.filter(({ Initiated }) => isWanted(Initiated)).map(({ Key = "" }) => `${Key}?uploadId`),
  ];
}
