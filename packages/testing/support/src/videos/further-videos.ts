/**
 * The files of a kind that another file shows too, in another container or with another cut. Only
 * `./scripts/test --all` measures them. No video outside this list is made from them.
 */
export const furtherVideos: ReadonlySet<string> = new Set([
  // A container.
  ...["disc.m2ts", "plain.mov"],
  // Times.
  ...["many-tracks.mp4", "slow-motion.mp4", "from-ten-plain.mkv", "from-ten-plain.mov", "from-ten-plain.wmv"],
  ...["from-ten-plain.mp4", "long-chapter.mp4"],
  ...["slides.mkv", "ten-a-second.mpg", "hour.mkv", "fragment-each.mp4", "captions.mkv"],
  ...["fall-back.ts", "short-pieces.mpg", "tracks-say-more.mp4", "says-more.mp4", "rotated.mp4"],
  // Files without a moving picture.
  ...["sound.mka", "wav.mp4", "apng.mp4", "webp.mp4", "jpeg.mp4", "still.avif"],
  // Files like those of packages/media/src/measure/hostile-files.fixture.ts.
  ...["four-million.mp4", "empty-boxes.mp4", "half-header-first.mp4"],
  // Cuts.
  ...["half-from-ten-plain.mkv", "half-plain.flv", "half-plain.wmv", "half-plain.webm", "half-indexed.mp4"],
  ...["most-plain.mkv"],
]);
