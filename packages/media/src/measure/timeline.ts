/** One packet as the container holds it; times in seconds, null where the container gives none. */
export type Packet = {
  stream: number;
  pts: number | null;
  dts: number | null;
  duration: number | null;
  bytes: number;
  /** Decoded but not shown: before the start of an edit. */
  discarded: boolean;
};

/** How long one stream runs, and what its packets come to that are shown. */
export type StreamLength = {
  seconds: number;
  packets: number;
  bytes: number;
  /** The durations of all packets, in seconds, wherever they lie. */
  summedSeconds: number;
};

/** What the packets seen so far come to. */
export type Timeline = {
  add(packet: Packet): void;
  /** Length of these streams together: from the first start to the last end, or the longest where time jumps. */
  total(streams: readonly number[]): number;
  /** What the clock of these streams shows at their first packet, in seconds; 0 where it is set anew on the way. */
  start(streams: readonly number[]): number;
  stream(index: number): StreamLength;
};

/**
 * Adds up packets, in file order, to lengths. Where decoding time falls back by more than a second a new segment begins
 * and lengths are summed. In a transport or programme stream (`broadcast`) a fall of a tenth of a second does so, and a
 * jump ahead of more than ten seconds too; in other containers that is a real gap.
 */
export function createTimeline(options: { broadcast: boolean }): Timeline {
  const streams = new Map<number, Track>();
  return {
    add(packet) {
      const track = streams.get(packet.stream) ?? emptyTrack();
      streams.set(packet.stream, track);
      extend(track, packet, options.broadcast);
    },
    total(indexes) {
      const tracks = indexes.flatMap((index) => streams.get(index) ?? []).filter((track) => track.end > track.start);
      const lengths = tracks.map(lengthOf);
      if (tracks.length === 0) return 0;
      const starts = tracks.map((track) => track.start);
      const jumps = tracks.some((track) => track.segments > 1);
      const apart = options.broadcast && Math.max(...starts) - Math.min(...starts) > jumpAhead;
      if (jumps || apart) return Math.max(...lengths);
      return Math.max(...tracks.map((track) => track.end)) - Math.min(...starts);
    },
    start(indexes) {
      const tracks = indexes.flatMap((index) => streams.get(index) ?? []).filter((track) => track.end > track.start);
      if (tracks.length === 0 || tracks.some((track) => track.segments > 1)) return 0;
      return Math.min(...tracks.map((track) => track.start));
    },
    stream(index) {
      const track = streams.get(index);
      const { packets, bytes, summedSeconds } = track ?? emptyTrack();
      return { seconds: track ? lengthOf(track) : 0, packets, bytes, summedSeconds };
    },
  };
}

const fallBack = 1;
/** Below this ffmpeg takes a fall for jitter and goes on counting where it was; from here on it cuts. */
const broadcastFallBack = 0.1;
const jumpAhead = 10;
/** A last packet without a duration is taken to last as long as the one before, but no longer than this. */
const longestGuess = 1;

type Track = Omit<StreamLength, "seconds"> & {
  segments: number;
  closedSeconds: number;
  start: number;
  end: number;
  /** Decoding time at which the segment starts; null where it is not given. */
  firstDecoded: number | null;
  lastOrder: number | null;
  /** `lastOrder` is a decoding time. */
  lastDecoded: boolean;
  step: number;
};

function emptyTrack(): Track {
  return {
    packets: 0,
    bytes: 0,
    summedSeconds: 0,
    segments: 1,
    closedSeconds: 0,
    start: Number.POSITIVE_INFINITY,
    end: Number.NEGATIVE_INFINITY,
    firstDecoded: null,
    lastOrder: null,
    lastDecoded: false,
    step: 0,
  };
}

function lengthOf(track: Track): number {
  return track.closedSeconds + Math.max(0, track.end - track.start);
}

function extend(track: Track, packet: Packet, broadcast: boolean): void {
  if (packet.discarded) return;
  track.packets += 1;
  track.bytes += packet.bytes;
  track.summedSeconds += packet.duration ?? 0;
  const shown = packet.pts ?? packet.dts;
  const order = packet.dts ?? packet.pts;
  if (shown === null || order === null) return;
  const step = track.lastOrder === null ? 0 : order - track.lastOrder;
  // Pictures are shown out of order, so that only decoding time may be held to the tighter bound.
  const decoded = packet.dts !== null && track.lastDecoded;
  if (step < -(broadcast && decoded ? broadcastFallBack : fallBack) || (broadcast && step > jumpAhead)) {
    track.closedSeconds = lengthOf(track);
    track.segments += 1;
    track.start = Number.POSITIVE_INFINITY;
    track.end = Number.NEGATIVE_INFINITY;
    track.firstDecoded = null;
  } else if (step > 0) track.step = Math.min(step, longestGuess);
  track.lastOrder = order;
  track.lastDecoded = packet.dts !== null;
  if (track.start === Number.POSITIVE_INFINITY) track.firstDecoded = packet.dts;
  track.start = Math.min(track.start, shown);
  const delay = broadcast && packet.pts === null ? decodingDelay(track) : 0;
  track.end = Math.max(track.end, shown + delay + (packet.duration ?? track.step));
}

/** How long before it is shown a picture is decoded, for pictures of a programme stream that give only the latter. */
function decodingDelay(track: Track): number {
  return track.firstDecoded === null ? 0 : Math.min(longestGuess, Math.max(0, track.start - track.firstDecoded));
}
