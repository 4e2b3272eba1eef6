/** The votes that decide among n members, everywhere in the protocol: `floor(2n / 3) + 1`. */
export const quorum = (n: number): number => Math.floor((2 * n) / 3) + 1
