const firstSeconds = 1
const longestSeconds = 60

/**
 * How long to wait after a number of failures in a row: twice as long after each, up to a minute, and each node another part
 * of that, so that a hub that comes back is not called by all at once.
 *
 * @param random from 0 to 1.
 */
export const backoffSeconds = (failures: number, random: number): number =>
  Math.min(firstSeconds * 2 ** Math.min(failures, 10), longestSeconds) * (0.5 + random / 2)
