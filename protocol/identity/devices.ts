/** Roles of a node in the network. */
export const nodeRoles = ['miner', 'validator'] as const
export type NodeRole = (typeof nodeRoles)[number]

/** States of a node's approval by operators. */
export const nodeStatuses = ['pending', 'approved', 'revoked'] as const
export type NodeStatus = (typeof nodeStatuses)[number]

/** States that a node reports in a heartbeat. */
export const nodeHealths = ['online', 'idle', 'faulty'] as const
export type NodeHealth = (typeof nodeHealths)[number]

/** States of a device, as everybody sees it (section 9). */
export const deviceStatuses = ['online', 'idle', 'offline', 'faulty', 'banned'] as const
export type DeviceStatus = (typeof deviceStatuses)[number]

/** How a device reaches the network. */
export const connectionKinds = ['wifi', 'ethernet', 'cellular', 'none'] as const
export type ConnectionKind = (typeof connectionKinds)[number]

/** Name of the benchmark suite that scores are of. It is the same in every deployment. */
export const benchmarkSuite = 'bench-v1'

/** Most cases of a suite. */
export const benchmarkCasesMax = 64

/** Longest label that an owner gives a device, in characters. */
export const deviceLabelMax = 64

/** The shape of a version of nodectl, of at most {@link nodectlVersionLengthMax} characters. */
export const nodectlVersionPattern = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/

/** Longest version of nodectl, in characters. */
export const nodectlVersionLengthMax = 64

export const isNodectlVersion = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= nodectlVersionLengthMax && nodectlVersionPattern.test(value)
