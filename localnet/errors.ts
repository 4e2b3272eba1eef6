import { CommandError } from '../tools/command/errors.ts'

/** Thrown when the local network cannot start, with what to do about it. */
export class StartError extends CommandError {
  override readonly name = 'StartError'
}
