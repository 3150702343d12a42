type Variable = {
  name: string;
  /** Undefined if the operator has to set it. */
  default: string | undefined;
  desc: string;
  /** Whether the file sets the variable instead of showing it as a comment, because Compose has a different default. */
  isSet?: true;
};

/** The variables of the compose files that are not settings of the processes, in the order of infra/.env.example. */
export const composeVariables: Readonly<Record<string, readonly Variable[]>> = {
  "To fill in": [
    {
      name: "POSTGRES_PASSWORD",
      default: undefined,
      desc: "Password of the database's owner. Choose it once. Use letters and digits only, because it becomes part of a URL: `openssl rand -hex 24` makes one.",
    },
    {
      name: "SERVICE_PASSWORD",
      default: undefined,
      desc: "Password of the processes' database user, which can add ledger rows and cannot change them. Make this password with the same command.",
    },
    {
      name: "REDIS_PASSWORD",
      default: undefined,
      desc: "Password of Redis. Make this password with the same command.",
    },
  ],
  "The installation": [
    {
      name: "COMPOSE_PROJECT_NAME",
      default: "video-to-json",
      desc: "Prefix of the names of containers, network and volumes.",
      isSet: true,
    },
    {
      name: "API_LISTEN",
      default: "127.0.0.1:3000",
      desc: "Address and port of this machine at which the API listens.",
    },
    { name: "IMAGES", default: "video-to-json", desc: "First part of the names of the images, with their registry." },
    { name: "VERSION", default: "local", desc: "Tag of the images." },
    {
      name: "SITE_ADDRESS",
      default: "",
      desc: "Name by which callers reach this machine, for compose.tls.yaml, such as api.example.com.",
    },
    {
      name: "ARCHIVE",
      default: "archive",
      desc: "Directory for the archive of compose.archive.yaml, such as /mnt/archive on another disk; by default a volume.",
    },
    {
      name: "PROBE_URL",
      default: "http://api:3000",
      desc: "Address at which the prober sends its request each minute: the public address, to see what callers see.",
    },
    {
      name: "MODEL_DIRECTORY",
      default: "./models",
      desc: "Directory with the model of compose.local-model.yaml, such as /mnt/models.",
    },
    { name: "MODEL_FILE", default: "", desc: "Name of the model in that directory, a GGUF file." },
    { name: "MODEL_PROJECTOR", default: "", desc: "Name of its projector in that directory, which makes it see." },
    { name: "WORKERS", default: "1", desc: "Number of workers, unless a command names another number." },
    { name: "API_MEMORY", default: "2g", desc: "Memory limit of each API." },
    { name: "WORKER_MEMORY", default: "4g", desc: "Memory limit of each worker with its runs of ffmpeg." },
    {
      name: "REQUIRE_CONFINEMENT",
      default: "on",
      desc: "Whether a worker refuses to start if a part of ffmpeg's confinement is missing: `on` or `off`.",
    },
    { name: "POSTGRES_MEMORY", default: "2g", desc: "Memory limit of PostgreSQL." },
    { name: "REDIS_MEMORY", default: "1g", desc: "Memory limit of Redis, more than twice REDIS_MAXMEMORY." },
    { name: "REDIS_MAXMEMORY", default: "384mb", desc: "How much Redis stores before it refuses to write." },
    { name: "API_CPUS", default: "0", desc: "Processors that each API may use; 0 means all." },
    { name: "WORKER_CPUS", default: "0", desc: "Processors that each worker may use; 0 means all." },
    {
      name: "GRAFANA_PASSWORD",
      default: "",
      desc: "First password of Grafana's user `admin`, for the profile `monitoring`. Without one it is `admin`, which Grafana asks to change.",
    },
    { name: "GRAFANA_LISTEN", default: "127.0.0.1:3001", desc: "Address and port of Grafana." },
    { name: "PROMETHEUS_LISTEN", default: "127.0.0.1:9090", desc: "Address and port of Prometheus." },
    { name: "PROMETHEUS_RETENTION", default: "30d", desc: "How long Prometheus keeps metrics." },
  ],
};

/** The settings that the compose files or the images set. The bucket of compose.s3.yaml replaces STORAGE_URL. */
export const setByCompose: ReadonlySet<string> = new Set([
  "HOST",
  "PORT",
  "METRICS_PORT",
  "DATABASE_URL",
  "OWNER_DATABASE_URL",
  "REDIS_URL",
  "SCRATCH_DIR",
  "FFMPEG_DIRECTORY",
  "REQUIRE_CONFINEMENT",
]);
