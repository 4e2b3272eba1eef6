import type { ServeConfig } from './config.ts'

/** The capabilities of a node, in the words that it registers with. */
export const capabilitiesOf = ({ chunkStorage }: Pick<ServeConfig, 'chunkStorage'>): readonly string[] => [
  'execute',
  'modules',
  'ledger',
  ...(chunkStorage === null ? [] : ['chunks']),
]
