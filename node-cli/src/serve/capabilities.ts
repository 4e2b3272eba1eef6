import type { ServeConfig } from './config.ts'

/** What a node can be asked for, in the words that it registers with. */
export const capabilitiesOf = ({ chunkStorage }: Pick<ServeConfig, 'chunkStorage'>): readonly string[] => [
  'execute',
  'modules',
  'ledger',
  ...(chunkStorage === null ? [] : ['chunks']),
]
