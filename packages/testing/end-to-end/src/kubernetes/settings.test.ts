import { defaultLimits } from "@video-to-json/contract";
import { readSettings, type SettingName, settingNames } from "@video-to-json/runtime/settings";
import { describe, expect, test } from "vitest";
import { environmentOf, installations, objectOf } from "./installations.ts";

/** Settings that the AWS SDK itself reads. */
const ofTheSdk = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
const processes = ["Deployment/api", "Deployment/worker", "Job/migrate"];

describe.each(installations)("$name", ({ objects, name: installation }) => {
  test.each(processes)("each variable of %s is a setting with a valid value", (name) => {
    const { values, secrets } = environmentOf(objects, name);
    const names = [...Object.keys(values), ...secrets.map((secret) => secret.name)];
    expect(names.filter((each) => !ofTheSdk.includes(each) && !settingNames.includes(each as SettingName))).toEqual([]);
    expect(() => readSettings(values, Object.keys(values) as SettingName[])).not.toThrow();
  });

  test("each process gets the secrets that it needs, and no other", () => {
    const secretsOf = (name: string) =>
      environmentOf(objects, name)
        .secrets.map((secret) => (secret.optional ? `${secret.name}?` : secret.name))
        .sort();
    const bucket = installation === "production" ? ofTheSdk.map((name) => `${name}?`) : [];
    expect(secretsOf("Job/migrate")).toEqual(["DATABASE_URL", "OWNER_DATABASE_URL"]);
    expect(secretsOf("Deployment/worker")).toEqual([
      ...bucket,
      "CHAT_API_KEY?",
      "DATABASE_URL",
      "GEMINI_API_KEY?",
      "REDIS_URL",
    ]);
    expect(secretsOf("Deployment/api")).toEqual([
      ...bucket,
      "DATABASE_URL",
      "REDIS_URL",
      "SESSION_SECRET?",
      "SMTP_URL?",
    ]);
  });

  test("nothing secret is in a manifest", () => {
    const text = JSON.stringify([...objects.values()]);
    expect([...objects.keys()].filter((name) => name.startsWith("Secret/"))).toEqual([]);
    expect(text).not.toMatch(/postgres:\/\/|redis:\/\/|smtps?:\/\//);
    const { data } = objectOf(objects, "ConfigMap/video-to-json");
    expect(Object.keys(data).filter((name) => /KEY|SECRET|PASSWORD|DATABASE_URL|REDIS_URL/.test(name))).toEqual([]);
  });

  test("API and workers share the directory of STORAGE_URL, or a bucket", () => {
    const { STORAGE_URL } = environmentOf(objects, "Deployment/api").values;
    for (const name of ["Deployment/api", "Deployment/worker"]) {
      const pod = objects.get(name)?.spec.template.spec;
      const shared = pod.volumes.find((volume: { name: string }) => volume.name === "shared");
      const mounts: { name: string; mountPath: string }[] = pod.containers[0].volumeMounts;
      if (installation === "production") {
        expect(STORAGE_URL).toMatch(/^s3:\/\//);
        expect(shared).toBeUndefined();
      } else {
        const claim = objects.get(`PersistentVolumeClaim/${shared.persistentVolumeClaim.claimName}`);
        expect(claim?.spec.accessModes).toEqual(["ReadWriteMany"]);
        const { mountPath } = mounts.find((mount) => mount.name === "shared") ?? {};
        // Not the root of the volume, which may contain a directory `lost+found`.
        expect(STORAGE_URL).toMatch(new RegExp(`^file://${mountPath}/\\w+$`));
      }
    }
    const scratch = environmentOf(objects, "Deployment/worker").values.SCRATCH_DIR;
    expect(scratch).toMatch(/^\/var\/lib\/video-to-json\/scratch\/\w+$/);
  });

  test("the connections to PostgreSQL are within what it accepts", () => {
    const each = Number(environmentOf(objects, "Deployment/api").values.DATABASE_CONNECTIONS) + 1;
    // During a release, there may be one more API and a quarter more workers.
    const apis = (objects.get("HorizontalPodAutoscaler/api")?.spec.maxReplicas ?? 2) + 1;
    const workers = Math.ceil((objects.get("ScaledObject/worker")?.spec.maxReplicaCount ?? 2) * 1.25);
    // PostgreSQL accepts 100 by default. README.md says what production needs.
    expect((apis + workers) * each).toBeLessThanOrEqual(installation === "small" ? 97 : 297);
  });

  test("the ingress allows the longest and the largest request of the service", () => {
    const { metadata, spec } = objectOf(objects, "Ingress/video-to-json");
    const annotation = (name: string) => metadata?.annotations?.[`nginx.ingress.kubernetes.io/${name}`];
    const form = defaultLimits.maxUploadBytes + 2 ** 20;
    expect(Number.parseInt(annotation("proxy-body-size") ?? "", 10) * 2 ** 20).toBeGreaterThan(form);
    expect(Number(annotation("proxy-read-timeout"))).toBeGreaterThan(defaultLimits.jobTimeoutSeconds + 30);
    expect(annotation("proxy-request-buffering")).toBe("off");
    const { service } = spec.rules[0].http.paths[0].backend;
    const port = objects.get(`Service/${service.name}`)?.spec.ports[0];
    const [container] = objects.get("Deployment/api")?.spec.template.spec.containers ?? [];
    expect(port.name).toBe(service.port.name);
    expect(container.ports).toContainEqual({ name: port.targetPort, containerPort: port.port });
    const { values } = environmentOf(objects, "Deployment/api");
    expect(Number(values.PORT)).toBe(port.port);
    expect(values.PUBLIC_URL).toBe(`https://${spec.rules[0].host}`);
    expect(values.TRUST_PROXIES).toBe("1");
  });
});
