import { compose, extract, install, read } from "../installation.ts";
import { makeVideo, mp4 } from "../make-video.ts";
import type { Step } from "./step.ts";

/** Videos that a worker sends as they are, copies into another container, or encodes, with the options of ffmpeg. */
const encodings = {
  "H.264 and AAC in MP4": mp4.join(" "),
  "H.264 and AC-3 in MPEG-TS": "-c:v libx264 -pix_fmt yuv420p -c:a ac3 -f mpegts",
  "H.265 and FLAC in Matroska": "-c:v libx265 -x265-params log-level=error -c:a flac -f matroska",
  "VP8 and Vorbis in WebM": "-c:v libvpx -c:a libvorbis -f webm",
  "VP9 and Opus in WebM": "-c:v libvpx-vp9 -cpu-used 8 -c:a libopus -f webm",
  "MPEG-4 and MP3 in AVI": "-c:v mpeg4 -c:a libmp3lame -f avi",
  "MPEG-2 and MP2 in MPEG-PS": "-c:v mpeg2video -r 25 -c:a mp2 -f mpeg",
  "Theora and Vorbis in Ogg": "-c:v libtheora -c:a libvorbis -f ogg",
  "WMV and WMA in ASF": "-c:v wmv2 -c:a wmav2 -f asf",
  "Sorenson Spark in FLV": "-c:v flv -c:a libmp3lame -ar 44100 -f flv",
};

const schema = '{"title":"string?","scenes":[{"at":"timestamp","caption":"string"}]}';

/** Makes the worker start its programs in every possible way. */
export async function programs(step: Step): Promise<void> {
  const { docker, report } = step;
  const checks = { SECOND_LOOK: "times", COMPLETE_LISTS: "on", EXTRACTIONS_PER_MINUTE: "1000" };
  await using installation = await install(step, "programs", checks);
  for (const [what, encode] of Object.entries(encodings)) {
    const video = await makeVideo({ docker }, { encode: encode.split(" ") });
    const answers = [
      await extract(installation, video),
      await extract(installation, video, { fields: { clip: '{"start":"00:01","end":"00:04"}' } }),
    ];
    const codes = answers.map(({ status, body }) => (status === 200 ? status : body));
    report.same(`${what}: the whole video and a clip of it are answered`, codes, [200, 200]);
  }
  const long = await makeVideo({ docker }, { seconds: 135 });
  const answer = await extract(installation, long, { fields: { schema }, headers: { "extract-evidence": "fields" } });
  report.same("a long video with every check is answered", answer.status === 200 ? 200 : answer.body, 200);
  const evidence = await read(installation, answer.evidence ?? "");
  report.same("its evidence is there", ["complete", "partial"].includes(String(evidence.status)), true);
  report.same("a text was read on the screen", JSON.stringify(evidence).includes('"quote_found":true'), true);
  const log = (await compose(docker, installation, "logs", "--no-color", "worker")).stdout.toString();
  report.same("times were looked at in clips", log.includes("second look taken"), true);
  report.same("lists were completed", log.includes("lists completed"), true);
  const missing = log.split("\n").filter((line) => /No such filter|Unknown (en|de)coder|ENOENT/.test(line));
  report.same("the worker misses nothing that it starts", missing, []);
}
