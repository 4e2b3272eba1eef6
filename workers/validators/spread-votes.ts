import type { EndedRound } from '../../durable-objects/round/types.ts'
import { partsOf } from '../stores/statements.ts'
import { isCallable, type Validator } from '../stores/validators.ts'
import { callValidator } from './ask-validator.ts'
import { overLinks } from './over-links.ts'
import { recentGeneration } from './recent-generation.ts'
import { keptOf, type ValidatorSources } from './round-votes.ts'

type Ended = Pick<EndedRound, 'epoch' | 'finalityVotes'>

/** A node takes votes of 256 KiB in one call. */
const bundleLengthMax = 200 * 1024

const utf8 = new TextEncoder()

/**
 * Sends every validator the others' finality votes of rounds of a project, over its link, or in one call or a few. A validator
 * that misses them asks its peers.
 */
export async function spreadVotes(
  sources: ValidatorSources,
  projectId: string,
  ended: readonly Ended[],
): Promise<void> {
  const epochs = new Set(ended.map(({ epoch }) => epoch))
  await Promise.all(
    [...epochs].map((epoch) =>
      spreadOf(
        sources,
        { project_id: projectId, epoch },
        ended.filter((one) => one.epoch === epoch),
      ),
    ),
  )
}

async function spreadOf(
  { validators, rules, links, calls, now }: ValidatorSources,
  task: { project_id: string; epoch: number },
  ended: readonly Ended[],
): Promise<void> {
  const written = ended
    .flatMap(({ finalityVotes }) => finalityVotes)
    .map((vote) => ({ publicKey: vote.public_key, text: JSON.stringify(vote) }))
  if (rules === null || written.length === 0) return
  const at = await now()
  const bundlesFor = ({ publicKey }: Validator) => {
    const texts = written.filter((vote) => vote.publicKey !== publicKey).map(({ text }) => text)
    return partsOf(texts, ({ length }) => length, bundleLengthMax)
  }
  const told = await overLinks(keptOf(await recentGeneration(validators, task)), async (validator) => {
    const link = links(validator.publicKey)
    for (const votes of bundlesFor(validator)) if (!(await link.tellFinality(votes))) return false
    return true
  })
  await calls.tell(told.others.filter(isCallable), async (validator, answerMsMax) => {
    for (const votes of bundlesFor(validator)) {
      const body = utf8.encode(`{"votes":[${votes.join()}]}`)
      const call = { path: '/consensus/votes', body, now: at, answerMsMax }
      if ((await callValidator(validator.url, call, rules)) === null) return false
    }
    return true
  })
}
