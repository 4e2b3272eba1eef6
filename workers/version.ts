import hub from '../package.json' with { type: 'json' }

export const hubVersion: string = hub.version

/** The oldest node tool this hub works with. */
export const nodectlVersionMin = '1.0.0'

/** The newest one. */
export const nodectlVersionLatest = '1.0.0'
