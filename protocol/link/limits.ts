/** Bounds of the relay beyond the two of the network parameters. */

/** Most offers that a node works on at once. */
export const slotsMax = 64

/** Most offers that a node says it holds: those it works on, and votes that it was never told are stored. */
export const holdingMax = 4 * slotsMax

/** Largest input that an offer carries itself, in bytes; of a larger one it has an address. */
export const inlineInputBytesMax = 262_144

/** Most bytes that a vote frame has beside output and events. */
export const voteFrameBytesMax = 4_096

/** Most rounds in a frame that has a validator decide them, and most answers in a frame of a validator. */
export const frameRoundsMax = 100

/** Most committee sets in a frame that has a validator attest them, and most answers in a frame of a validator. */
export const frameSetsMax = 100

/** Most finality votes in a frame. */
export const frameVotesMax = 2_000

/** A hub collects no more bytes than this for one frame to a validator, unless a single request is larger. */
export const batchBytesMax = 262_144

/** Frames that break a rule before the hub closes the socket. */
export const badFramesMax = 3

/** Seconds between two attempts to connect, drawn at random from this range unless the hub asks for more. */
export const reconnectSecs = { min: 1, max: 60 } as const

/** Seconds in which a node comes back to a hub that asks for no more. */
export const returnSecsMin = 4

/** The most that a hub asks for. */
export const returnSecsMax = 3_600

/**
 * Seconds in which `links` nodes come back: 1,000 nodes in each second up to 60,000 nodes, one minute up to 100,000, and
 * 100,000 nodes in each minute above; at least {@link returnSecsMin} and at most {@link returnSecsMax}.
 */
export const returnSecs = (links: number): number =>
  Math.min(
    returnSecsMax,
    Math.max(returnSecsMin, Math.ceil(Math.min(links / 1_000, Math.max(60, (60 * links) / 100_000)))),
  )

/** Longest ticket, in characters. */
export const ticketLengthMax = 512

/** How long after its socket was lost a node may come back with its ticket, in seconds. */
export const ticketSecs = 3_600

/** Most versions of frames that `hello` names. */
export const framesNamedMax = 64

/** A node pings this often, in seconds. */
export const pingSecs = 30

/** A node that has pinged and then not for this many seconds is gone, whatever its socket says. */
export const silentAfterSecs = 90

/** A device without a socket for this many seconds is offline. */
export const offlineAfterSecs = 60

/** Invalid votes within {@link faultyWindowSecs} that make a device faulty. */
export const invalidVotesMax = 3

/** How long an invalid vote counts against a device, in seconds. */
export const faultyWindowSecs = 86_400

/**
 * Most values in a frame, lists and objects included. The events of a run, 64 of 16 KiB, hold fewer than these; a frame
 * of two bytes for each value would take twenty times its size in memory.
 */
export const frameValuesMax = 600_000
