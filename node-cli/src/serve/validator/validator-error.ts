import type { SourceKind } from '../hub/sources/fetch.ts'
import { SourceAway, type SourceRefused } from '../hub/sources/index.ts'
import { NotYet, type Refusal, refusal } from './refusal.ts'

const pathOf: Readonly<Record<SourceKind, string>> = {
  set: 'set_hash',
  rules: 'consensus_hash',
  module: 'module_address',
  round: 'round_id',
  input: 'input_b64',
}

/** A validator does not ask again for what the hub cannot give now: the coordinator sends its request again. */
export const validatorError = (error: SourceAway | SourceRefused): NotYet | Refusal =>
  error instanceof SourceAway
    ? new NotYet(error.message)
    : refusal(pathOf[error.kind], `${error.message}.`, error.code)
