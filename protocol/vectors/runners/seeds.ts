/** Seeds of the validators that attest where a case names none. */
export const attestationSeeds: readonly string[] = ['2a', '2b', '2c'].map((byte) => `0x${byte.repeat(32)}`)
