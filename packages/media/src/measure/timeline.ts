/** One packet of a container. Times are in seconds, null if the container gives none. */
export type Packet = {
  stream: number;
  /** Display time. */
  pts: number | null;
  /** Decoding time. */
  dts: number | null;
  duration: number | null;
  bytes: number;
  /** Decoded but not shown, because an edit starts after it. */
  discarded: boolean;
};

/** The length of one stream, and the sums of its packets that are shown. */
export type StreamLength = {
  seconds: number;
  packets: number;
  bytes: number;
  /** The sum of the durations of the packets in seconds, regardless of their time stamps. */
  summedSeconds: number;
};

/** The lengths of the streams, from the packets added so far. */
export type Timeline = {
  add(packet: Packet): void;
  /** Returns the length of these streams together: from first start to last end, or the longest one if time jumps. */
  total(streams: readonly number[]): number;
  /** Returns the time stamp of the first packet of these streams in seconds; 0 if the clock restarts. */
  start(streams: readonly number[]): number;
  stream(index: number): StreamLength;
};

/**
 * Creates a timeline that computes lengths from packets in file order. A new segment starts where the decoding time
 * falls by more than a second; the lengths of segments are added up. In a transport or program stream (`broadcast`) a
 * fall of a tenth of a second starts a segment, and so does a jump of more than ten seconds; in other containers such a
 * jump is a gap.
 */
export function createTimeline({ broadcast }: { broadcast: boolean }): Timeline {
  const tracks = new Map<number, Track>();
  const nonEmpty = (streams: readonly number[]) =>
    streams.flatMap((stream) => tracks.get(stream) ?? []).filter((track) => track.end > track.start);
  return {
    add(packet) {
      const track = tracks.get(packet.stream) ?? emptyTrack();
      tracks.set(packet.stream, track);
      if (!packet.discarded) addToTrack(track, packet, broadcast);
    },
    total(streams) {
      const counted = nonEmpty(streams);
      if (counted.length === 0) return 0;
      const starts = counted.map((track) => track.start);
      const jumps = counted.some((track) => track.segments > 1);
      const isApart = broadcast && Math.max(...starts) - Math.min(...starts) > maxGapSeconds;
      if (jumps || isApart) return Math.max(...counted.map(lengthOf));
      return Math.max(...counted.map((track) => track.end)) - Math.min(...starts);
    },
    start(streams) {
      const counted = nonEmpty(streams);
      if (counted.length === 0 || counted.some((track) => track.segments > 1)) return 0;
      return Math.min(...counted.map((track) => track.start));
    },
    stream(index) {
      const track = tracks.get(index) ?? emptyTrack();
      const { packets, bytes, summedSeconds } = track;
      return { seconds: lengthOf(track), packets, bytes, summedSeconds };
    },
  };
}

/** A larger fall of time starts a new segment. */
const maxFallSeconds = 1;
/** The same limit for the decoding times of a broadcast. ffmpeg ignores a smaller fall as jitter and cuts at a larger one. */
const maxBroadcastFallSeconds = 0.1;
/** A larger gap in a broadcast starts a new segment. */
const maxGapSeconds = 10;
/** A last packet without a duration is assumed to last as long as the step before it, up to this limit. */
const maxGuessSeconds = 1;

type Track = Omit<StreamLength, "seconds"> & {
  segments: number;
  /** The length of the segments before the current one. */
  closedSeconds: number;
  /** Start and end of the current segment. */
  start: number;
  end: number;
  /** The decoding time at the start of the current segment; null if it has none. */
  firstDecoded: number | null;
  /** The last decoding time, or the last display time if no packet has a decoding time. */
  lastOrder: number | null;
  isLastOrderDecoded: boolean;
  /** The last forward step, up to `maxGuessSeconds`. */
  step: number;
  /** The durations of the packets before the first time stamp. Matroska has no time stamps below zero. */
  untimedSeconds: number;
};

function emptyTrack(): Track {
  return {
    ...{ packets: 0, bytes: 0, summedSeconds: 0 },
    ...{ segments: 1, closedSeconds: 0, ...emptySegment },
    ...{ lastOrder: null, isLastOrderDecoded: false, step: 0, untimedSeconds: 0 },
  };
}

const emptySegment = { start: Number.POSITIVE_INFINITY, end: Number.NEGATIVE_INFINITY, firstDecoded: null };

function lengthOf(track: Track): number {
  return track.closedSeconds + Math.max(0, track.end - track.start);
}

function addToTrack(track: Track, packet: Packet, broadcast: boolean): void {
  track.packets += 1;
  track.bytes += packet.bytes;
  track.summedSeconds += packet.duration ?? 0;
  const shown = packet.pts ?? packet.dts;
  const order = packet.dts ?? packet.pts;
  if (shown === null || order === null) {
    addUntimed(track, packet, broadcast);
    return;
  }
  if (track.lastOrder === null && track.untimedSeconds > 0) {
    track.start = shown - track.untimedSeconds;
    track.end = shown;
  }
  advance(track, order, { isDecoded: packet.dts !== null, broadcast });
  if (track.start === emptySegment.start) track.firstDecoded = packet.dts;
  track.start = Math.min(track.start, shown);
  const delay = broadcast && packet.pts === null ? decodingDelay(track) : 0;
  track.end = Math.max(track.end, shown + delay + (packet.duration ?? track.step));
}

/**
 * Counts a packet without a time stamp if it comes before the first time stamp of its track. A later one is between
 * others, and a broadcast may begin with some.
 */
function addUntimed(track: Track, packet: Packet, broadcast: boolean): void {
  if (broadcast || track.lastOrder !== null) return;
  track.untimedSeconds += packet.duration ?? 0;
  track.start = 0;
  track.end = track.untimedSeconds;
}

/** Moves the track to the next packet's time, and starts a new segment if time falls back or jumps. */
function advance(track: Track, order: number, options: { isDecoded: boolean; broadcast: boolean }): void {
  const step = track.lastOrder === null ? 0 : order - track.lastOrder;
  // Pictures are displayed out of order, so the tighter limit is for decoding times only.
  const isTight = options.broadcast && options.isDecoded && track.isLastOrderDecoded;
  const fellBack = step < -(isTight ? maxBroadcastFallSeconds : maxFallSeconds);
  const jumped = options.broadcast && step > maxGapSeconds;
  if (fellBack || jumped) {
    const closedSeconds = lengthOf(track);
    Object.assign(track, { closedSeconds, segments: track.segments + 1, ...emptySegment });
  } else if (step > 0) {
    track.step = Math.min(step, maxGuessSeconds);
  }
  track.lastOrder = order;
  track.isLastOrderDecoded = options.isDecoded;
}

/** Returns the time between decoding and display of the first picture, for pictures that have only a decoding time. */
function decodingDelay(track: Track): number {
  return track.firstDecoded === null ? 0 : Math.min(maxGuessSeconds, Math.max(0, track.start - track.firstDecoded));
}
