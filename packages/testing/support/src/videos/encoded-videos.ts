import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ffmpegEach, ffmpegHas, inputsOf } from "./ffmpeg.ts";

/** The expected result of measuring a file: its length within a tolerance, or an error code. */
export type Expectation =
  | { ok: true; durationMs: number; toleranceMs: number }
  | { ok: false; code: "media_unreadable" | "video_too_long" };

export const unreadable: Expectation = { ok: false, code: "media_unreadable" };
export const tooLong: Expectation = { ok: false, code: "video_too_long" };

/** Expects a length in seconds. */
export function lasts(seconds: number, toleranceMs = 150): Expectation {
  return { ok: true, durationMs: seconds * 1000, toleranceMs };
}

/** A file that ffmpeg writes with these arguments. It may read files that come before it in the list. */
export type EncodedVideo = {
  name: string;
  file: string;
  args: readonly string[];
  expect: Expectation;
  /** Another file shows the same kind, in another container or with another cut. No other video is made from it. */
  isFurther: boolean;
};

const picture = (seconds: number, size = "64x48", rate: number | string = 10) =>
  `-f lavfi -i testsrc=size=${size}:rate=${rate}:duration=${seconds}`;
const tone = (seconds: number) => `-f lavfi -i sine=duration=${seconds}`;
const copyOf = (file: string) => `-i ${file} -map 0 -c copy`;
const h264 = "-c:v libx264 -preset ultrafast -g 10";
const both = `${picture(5)} ${tone(5)}`;

const textUrl = (text: string) => `data:text/plain;base64,${Buffer.from(text).toString("base64")}`;
const captions = textUrl("1\n00:00:00,000 --> 00:00:40,000\nHello\n");
const chapters = textUrl(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=60\ntitle=All\n");

// The columns: the file, its name, the arguments of ffmpeg, the length in seconds or the error, and "all" for a further one.
/** A valid video in each container and codec that callers send. */
const containerVideos = rowsOf(`
plain.mp4 | plain MP4 | ${both} ${h264} -c:a aac | 5
plain.mov | QuickTime | ${copyOf("plain.mp4")} | 5 | all
plain.mkv | Matroska | ${copyOf("plain.mp4")} | 5
plain.flv | Flash | ${copyOf("plain.mp4")} | 5
plain.ts | transport stream | ${copyOf("plain.mp4")} | 5
disc.m2ts | transport stream of a disc | ${copyOf("plain.mp4")} -mpegts_m2ts_mode 1 | 5 | all
plain.avi | AVI | ${both} -c:v mpeg4 -c:a mp2 | 5
plain.mpg | programme stream | ${picture(5, "64x48", 25)} ${tone(5)} -c:v mpeg2video -c:a mp2 | 5
plain.wmv | Windows Media | ${both} -c:v wmv2 -c:a wmav2 | 5 ± 0.25
plain.webm | WebM with VP8 | ${both} -c:v libvpx -deadline realtime -c:a libopus | 5
vp9.webm | WebM with VP9 | ${picture(5)} -c:v libvpx-vp9 -deadline realtime -cpu-used 8 | 5
plain.ogv | Ogg with Theora | ${both} -c:v libtheora -c:a libvorbis | 5
telephone.3gp | 3GP of an old telephone | ${picture(5, "176x144")} ${tone(5)} -c:v h263 -c:a aac | 5
prores.mov | ProRes with a timecode track | ${both} -c:v prores_ks -c:a pcm_s16le -timecode 01:00:00:00 | 5
hevc.mp4 | HEVC | ${picture(5)} -c:v libx265 -preset ultrafast -x265-params log-level=none | 5
av1.mp4 | AV1 | ${picture(2)} -c:v libaom-av1 -cpu-used 8 | 2
mjpeg.avi | motion JPEG | ${picture(5)} -c:v mjpeg | 5
ffv1.mkv | lossless FFV1 | ${picture(5)} -c:v ffv1 | 5
`);

/** Videos whose length is easily measured wrong. Some are made from those above. */
const timingVideos = rowsOf(`
silent.mp4 | without sound | ${picture(5)} ${h264} | 5
header-first.mp4 | header first | ${copyOf("plain.mp4")} -movflags +faststart | 5
gap.mp4 | a gap of eighteen seconds between two pictures | ${picture(5)} -vf setpts='if(lt(N,20),N,N+180)/10/TB' -fps_mode vfr ${h264} | 23
long-last-picture.mp4 | a last picture that stays for six seconds | -i plain.mp4 -map 0:v -c copy -bsf:v setts=duration='if(eq(N,49),60*DURATION,DURATION)' | 10.9
long-sound.mp4 | sound longer than the picture | ${picture(3)} ${tone(8)} ${h264} -c:a aac | 8
short-sound.mp4 | picture longer than the sound | ${picture(6)} ${tone(2)} ${h264} -c:a aac | 6
late-sound.mkv | sound that starts late | ${picture(3)} -itsoffset 4 ${tone(3)} ${h264} -c:a aac | 7
second-picture.mp4 | a second picture track that is longer | ${picture(3)} ${picture(7)} -map 0 -map 1 ${h264} | 7
many-tracks.mp4 | forty sound tracks | -i plain.mp4 -map 0:v ${"-map 0:a ".repeat(40)}-c copy | 5 | all
two-pictures.mp4 | two pictures only | ${picture(0.2)} ${h264} | 0.2 ± 0.02
slow-motion.mp4 | 240 pictures a second | ${picture(2, "64x48", 240)} ${h264} | 2 | all
late-start.ts | time stamps that start at an hour | ${copyOf("plain.mp4")} -output_ts_offset 3600 | 5
wrap.ts | time stamps that wrap around | ${copyOf("plain.mp4")} -output_ts_offset 95440 | 5
piece.ts | nine tenths of a second of a transport stream | ${picture(0.9)} ${tone(0.9)} ${h264} -c:a aac | 0.9 ± 0.06
piece.mpg | nine tenths of a second of a programme stream | ${picture(0.9, "64x48", 30)} -c:v mpeg2video | 0.9 ± 0.02
from-ten-plain.mp4 | a clock that starts at ten seconds, plain.mp4 | ${copyOf("plain.mp4")} -output_ts_offset 10 | 5 ± 0.25 | all
from-ten-plain.mkv | a clock that starts at ten seconds, plain.mkv | ${copyOf("plain.mkv")} -output_ts_offset 10 | 5 ± 0.25 | all
from-ten-plain.mov | a clock that starts at ten seconds, plain.mov | ${copyOf("plain.mov")} -output_ts_offset 10 | 5 ± 0.25 | all
from-ten-plain.wmv | a clock that starts at ten seconds, plain.wmv | ${copyOf("plain.wmv")} -output_ts_offset 10 | 5 ± 0.25 | all
second-piece.webm | the second piece of a recording, with the clock of the whole | ${copyOf("plain.webm")} -output_ts_offset 600 | 5
slides.mkv | a picture a minute | ${picture(300, "64x48", "1/60")} ${h264} | 300 | all
day.mp4 | two pictures in a day | ${picture(86400, "64x48", "1/43200")} ${h264} -bf 0 | video_too_long
ten-a-second.mpg | a programme stream of three seconds, ten pictures a second | ${picture(3, "96x64")} -c:v mpeg2video | 3 ± 0.01 | all
streamed.avi | an AVI that was written without coming back to its header | ${both} -c:v mpeg4 -c:a mp2 -seekable 0 | 5
long-chapter.mp4 | a chapter that ends long after the video | -i plain.mp4 -f ffmetadata -i ${chapters} -map 0 -map_chapters 1 -c copy | 5 | all
recording.webm | a browser's recording, without length or index | ${copyOf("plain.webm")} -f webm -live 1 | 5
fragments.mp4 | in fragments | ${copyOf("plain.mp4")} -movflags frag_keyframe+empty_moov | 5
indexed.mp4 | in fragments with an index | ${copyOf("plain.mp4")} -movflags dash+global_sidx | 5
fragment-each.mp4 | a fragment for every picture | ${copyOf("plain.mp4")} -movflags frag_every_frame+empty_moov | 5 | all
just-short-enough.mp4 | 600.4 s long | ${picture(600.4, "16x16", 5)} ${h264} | 600.4
just-too-long.mp4 | 600.6 s long | ${picture(600.6, "16x16", 5)} ${h264} | video_too_long
hour.mkv | an hour long | ${picture(3600, "16x16", 1)} ${h264} | video_too_long | all
hour-of-sound.mp4 | short, with an hour of sound | ${picture(1)} -f lavfi -i anullsrc=r=8000:cl=mono -t 60 ${h264} -c:a aac -bsf:a setts=ts=TS*60:duration=DURATION*60 | video_too_long
`);

/** Videos with unusual tracks: none that moves, or more than one. Some are made from those above. */
const streamVideos = rowsOf(`
captions.mp4 | captions longer than the video | -i plain.mp4 -f srt -i ${captions} -map 0 -map 1 -c copy -c:s mov_text | 5
captions.mkv | captions in Matroska longer than the video | -i plain.mp4 -f srt -i ${captions} -map 0 -map 1 -c copy -c:s srt | 5 | all
still.png | a still image | ${picture(1)} -frames:v 1 | media_unreadable
cover.mp4 | a video with cover art | -i plain.mp4 -i still.png -map 0 -map 1 -c copy -disposition:v:1 attached_pic | 5
cover.m4a | sound with cover art | -i plain.mp4 -i still.png -map 0:a -map 1 -c copy -disposition:v:0 attached_pic -f mp4 | media_unreadable
sound.mp4 | sound only | ${tone(5)} -c:a aac | media_unreadable
sound.mka | sound only in Matroska | ${copyOf("sound.mp4")} | media_unreadable | all
mp3.mp4 | an MP3 | ${tone(5)} -f mp3 | media_unreadable
wav.mp4 | a WAV | ${tone(5)} -f wav | media_unreadable | all
one-picture.mp4 | one picture | ${picture(1)} -frames:v 1 ${h264} | media_unreadable
one-picture.mkv | one picture for ten seconds under sound | ${picture(0.1)} ${tone(10)} ${h264} -c:a aac | media_unreadable
gif.mp4 | an animated GIF | ${picture(2)} -f gif | media_unreadable
apng.mp4 | an animated PNG | ${picture(2)} -f apng | media_unreadable | all
webp.mp4 | an animated WebP | ${picture(1)} -c:v libwebp_anim -f webp | media_unreadable | all
jpeg.mp4 | a JPEG | ${picture(1)} -frames:v 1 -c:v mjpeg -f image2pipe | media_unreadable | all
still.avif | an AVIF still | ${picture(1)} -frames:v 1 -c:v libaom-av1 -still-picture 1 -cpu-used 8 | media_unreadable | all
raw.mp4 | a raw H.264 stream | -i plain.mp4 -map 0:v -c copy -f h264 | media_unreadable
encrypted.mp4 | encrypted | ${copyOf("plain.mp4")} -encryption_scheme cenc-aes-ctr -encryption_key 76a6c65c5ea762046bd749a2e632ccbb -encryption_kid a7e61c373e219033c21091fa607bf3b8 | media_unreadable
huge.mp4 | pictures of 48 million points | -f lavfi -i color=size=8000x6000:rate=2:duration=1,format=gray ${h264} | media_unreadable
`);

/** All encoded videos, in an order in which each comes after its inputs. */
export const encodedVideos = [...containerVideos, ...timingVideos, ...streamVideos];

function rowsOf(table: string): EncodedVideo[] {
  return table
    .trim()
    .split("\n")
    .map((row) => {
      const [file = "", name = "", args = "", result = "", further] = row.split(" | ");
      const [seconds, tolerance = "0.12"] = result.split(" ± ");
      const expect =
        { media_unreadable: unreadable, video_too_long: tooLong }[result] ??
        lasts(Number(seconds), 1000 * Number(tolerance));
      return { name, file, args: args.split(" "), expect, isFurther: further === "all" };
    });
}

/** The encoders that not every build of ffmpeg has. */
const optionalEncoder = /^lib(?:vpx|theora|x265|aom|webp)/;

/**
 * Makes videos in an existing folder, in an order in which each comes after its inputs. Those with the same inputs take
 * one start of ffmpeg, which costs more than to encode most of them. Returns those that the installed ffmpeg can
 * encode.
 */
export async function makeEncodedVideos(videos: readonly EncodedVideo[], folder: string): Promise<EncodedVideo[]> {
  const made: EncodedVideo[] = [];
  const absent = new Set<string>();
  for (const video of videos) {
    const encoders = video.args.filter((argument) => optionalEncoder.test(argument));
    const known = await Promise.all(encoders.map((encoder) => ffmpegHas("encoder", encoder)));
    if (known.includes(false) || video.args.some((argument) => absent.has(argument))) absent.add(video.file);
    else made.push(video);
  }
  const byInputs = Map.groupBy(made, ({ args }) => JSON.stringify(inputsOf(args)));
  for (const group of byInputs.values()) {
    const lists = group.map(({ args, file }) => [...args, file]);
    await ffmpegEach(lists, folder);
  }
  return made;
}

/** Makes a valid video of some seconds in each container and codec that the installed ffmpeg writes. */
export async function makeContainerVideos(folder: string): Promise<{ name: string; bytes: Buffer }[]> {
  const made = await makeEncodedVideos(containerVideos, folder);
  return Promise.all(made.map(async ({ name, file }) => ({ name, bytes: await readFile(join(folder, file)) })));
}
