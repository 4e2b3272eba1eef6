import type { NodeLinkObject } from '../../durable-objects/link/object.ts'
import { inTime } from '../deadline.ts'
import type { Validator } from '../stores/validators.ts'

export type ValidatorLink = Pick<NodeLinkObject, 'decide' | 'tellFinality'>

/** The object of a link that takes longer than this is asked no more. */
const takenMsMax = 1_000

/** Gives something to the links of validators, all at once: no connection waits for what they answer. @returns Whose links took it, and the others. */
export async function overLinks(
  validators: readonly Validator[],
  give: (validator: Validator) => Promise<boolean>,
): Promise<{ taken: readonly Validator[]; others: readonly Validator[] }> {
  const areTaken = await Promise.all(
    validators.map(async (validator) => {
      try {
        return await inTime(give(validator), takenMsMax)
      } catch (error) {
        console.error(`the link of the validator ${validator.publicKey} does not answer`, error)
        return false
      }
    }),
  )
  return {
    taken: validators.filter((_, at) => areTaken[at]),
    others: validators.filter((_, at) => !areTaken[at]),
  }
}
