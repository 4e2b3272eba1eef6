import type { NodeLinkObject } from '../../durable-objects/link/object.ts'
import { allInTime } from '../deadline.ts'
import type { Validator } from '../stores/validators.ts'

export type ValidatorLink = Pick<NodeLinkObject, 'decide' | 'tellFinality'>

/** The object of a link that takes longer than this is asked no more. */
const takenMsMax = 1_000

/**
 * Gives something to the links of validators, all at once: no connection waits for their answers. @returns The validators whose
 * links took it, and the others.
 */
export async function overLinks(
  validators: readonly Validator[],
  give: (validator: Validator) => Promise<boolean>,
): Promise<{ taken: readonly Validator[]; others: readonly Validator[] }> {
  const given = await allInTime(
    validators.map(async (validator) => give(validator)),
    takenMsMax,
  )
  const isTaken = validators.map(({ publicKey }, at) => {
    const one = given[at] as PromiseSettledResult<boolean>
    if (one.status === 'rejected')
      console.error(`the link of the validator ${publicKey} does not answer`, one.reason)
    return one.status === 'fulfilled' && one.value
  })
  return {
    taken: validators.filter((_, at) => isTaken[at]),
    others: validators.filter((_, at) => !isTaken[at]),
  }
}
