import { postgresAnswers } from "../servers/postgres-answers.ts";
import type { ContainerServer } from "./start-container-server.ts";

/** Runs Postgres in a container. */
export const containerPostgres: ContainerServer = {
  name: "postgres",
  image: "postgres:17",
  port: 5432,
  volume: "/var/lib/postgresql/data",
  readyLine: /database system is ready to accept connections/,
  environment: (password) => ({ POSTGRES_PASSWORD: password }),
  command: () => ["postgres", ...["fsync=off", "max_connections=300", "timezone=UTC"].flatMap((s) => ["-c", s])],
  urlAt: (port, password) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
  probe: postgresAnswers,
};
