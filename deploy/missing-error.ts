import { CommandError } from '../scripts/command/errors.ts'

/** Something that the operator has to do before. */
export class MissingError extends CommandError {
  override readonly exitCode = 2
}
