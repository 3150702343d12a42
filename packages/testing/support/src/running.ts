export { cacheDirectory, cachedFile, cacheVariable, createTestCache } from "./cache/test-cache.ts";
export { ffmpegDirectory } from "./command-line/ffmpeg-directory.ts";
export { numberOption } from "./command-line/number-option.ts";
export { parseCommand } from "./command-line/parse-command.ts";
export { runCommand } from "./command-line/run-command.ts";
export { runsAllTests } from "./command-line/runs-all-tests.ts";
export { textTable } from "./command-line/text-table.ts";
export { containerRuns, docker, dockerAnswers } from "./containers/docker.ts";
export { removeVolume } from "./containers/start-container-server.ts";
export { damageBytes } from "./damage-bytes.ts";
export {
  control as emulatorControl,
  type Emulator,
  type EmulatorOptions,
  type EmulatorState,
} from "./emulator/emulator.ts";
export { startEmulator } from "./emulator/start-emulator.ts";
export { bundleApps } from "./processes/bundle-apps.ts";
export { findCommand } from "./processes/find-command.ts";
export { freePort } from "./processes/free-port.ts";
export { killGroup } from "./processes/process-group.ts";
export { startTimeOf } from "./processes/process-identity.ts";
export { bundlesVariable, compileCache, mainOf, runAdmin } from "./processes/run-app.ts";
export { type Environment, type RunningProcess, startProcess } from "./processes/start-process.ts";
export { untilReady } from "./processes/until-ready.ts";
export { removeOnExit } from "./processes/watchdog.ts";
export { type Random, randomFrom } from "./random.ts";
export { repositoryRoot } from "./repository-root.ts";
export { askRedis } from "./servers/ask-redis.ts";
export { substituteFor } from "./servers/data-directory.ts";
export { canStartS3, type S3Server, startS3Server } from "./servers/s3/start-s3-server.ts";
export type { Server, ServerOptions } from "./servers/server.ts";
export { type Nginx, nginxCommand, nginxConfiguration, startNginx } from "./servers/start-nginx.ts";
export { startPostgres } from "./servers/start-postgres.ts";
export { startRedis } from "./servers/start-redis.ts";
export { ffmpeg, ffmpegHas } from "./videos/ffmpeg.ts";
export { findFont } from "./videos/find-font.ts";
export { makeContainerVideos } from "./videos/make-container-videos.ts";
export { makeVideo, type SceneSpec, type VideoSpec, type VideoTruth } from "./videos/make-video.ts";
