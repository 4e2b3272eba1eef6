import { attestSnapshot, hashSnapshot, type Snapshot } from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import {
  deriveNodeId,
  hashNetworkParams,
  profileStrings,
  readRequestSignature,
  verifyRequestSignature,
} from '../../protocol/identity/index.ts'
import { createFinalityVote, type FinalityRecord } from '../../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { coordinatorSeed, params, unixNow } from '../node/network.ts'
import { probeFunctions } from '../node/probe.ts'
import type { Answered, Asked, ValidatorFault, ValidatorParts } from './validator-fault.ts'

const strangerSeed = hashText('a stranger')
const coordinatorKey: string = ed25519PublicKey(coordinatorSeed)
const isSet = ({ target }: Asked) => target === '/consensus/committee-sets'
const isRound = ({ target }: Asked) => target === '/consensus/task-rounds'

/** The header of a signed call. */
const header = ({ headers }: Asked, { profile }: ValidatorParts, name: 'key' | 'nonce' | 'timestamp') =>
  headers[profileStrings(profile)[`${name === 'key' ? 'public_key' : name}_header`].toLowerCase()]

/** Takes calls that are wrong in one way. */
const takes = (
  name: string,
  clause: string,
  isWrong: (asked: Asked, parts: ValidatorParts) => boolean,
): ValidatorFault => ({ name, breaks: [clause], takes: isWrong })

/** Attests sets that are wrong in one way. */
const attests = (
  name: string,
  clause: string,
  isWrong: (set: Snapshot, asked: Asked, parts: ValidatorParts) => boolean,
): ValidatorFault => ({
  name,
  breaks: [clause],
  answers: (asked, _, parts) =>
    isSet(asked) && isWrong(asked.body, asked, parts)
      ? { status: 200, json: attestSnapshot(parts.profile, parts.seed, hashSnapshot(asked.body)) }
      : undefined,
})

/** Signs other records, where it signs one. */
const signs = (
  name: string,
  clause: string,
  change: (record: FinalityRecord, asked: Asked) => Partial<FinalityRecord>,
): ValidatorFault => ({
  name,
  breaks: [clause],
  answers: (asked, { status, json }, { profile, seed }) => {
    if (!isRound(asked) || status !== 200) return undefined
    const { finality } = json.vote
    return {
      status,
      json: { ...json, vote: createFinalityVote(profile, seed, { ...finality, ...change(finality, asked) }) },
    }
  },
})

/** Changes the vote itself. */
const votes = (
  name: string,
  clause: string,
  change: (vote: Record<string, unknown>, parts: ValidatorParts) => object,
): ValidatorFault => ({
  name,
  breaks: [clause],
  answers: (asked, { status, json }, parts) =>
    isRound(asked) && status === 200
      ? { status, json: { ...json, vote: change(json.vote, parts) } }
      : undefined,
})

/** Signs a record that a hub would like, for a round that may have none. */
function madeUp({ body: { task, votes: cast } }: Asked, { profile, seed }: ValidatorParts): Answered {
  const [first] = cast
  const record: FinalityRecord = {
    ...{
      v: 1,
      round_id: first.round_id,
      project_id: task.project_id,
      epoch: task.epoch,
      set_hash: task.set_hash,
    },
    ...{ receipt_hash: first.receipt_hash, gas_used: first.receipt.gas_used, audited: false, voters: [] },
  }
  return { status: 200, json: { vote: createFinalityVote(profile, seed, record), run: null } }
}

/** Signs a record for requests that are wrong in one way. */
const decides = (name: string, clause: string, isWrong: (asked: Asked) => boolean): ValidatorFault => ({
  name,
  breaks: [clause],
  answers: (asked, answered, parts) =>
    isRound(asked) && answered.status !== 200 && isWrong(asked) ? madeUp(asked, parts) : undefined,
})

const withVoter = (record: FinalityRecord, asked: Asked, position: number) => {
  const { public_key, payout_address } = asked.body.votes[position]
  const voters = [...record.voters, { public_key, payout_address }]
  return { voters: voters.toSorted((a, b) => (a.public_key < b.public_key ? -1 : 1)) }
}
/** Whether the third vote of a request is not signed by its member; then, whether it is from a node that was not drawn. */
const isForged = ({ body: { votes: cast } }: Asked) =>
  cast.length === 3 && cast[2].round_signature === cast[1].round_signature
const isStrange = ({ body: { votes: cast } }: Asked) =>
  cast.length === 3 && cast[2].public_key === ed25519PublicKey(hashText('conformance stranger'))
const isSplit = ({ body: { votes: cast } }: Asked) =>
  cast.length === 3 &&
  cast[0].receipt_hash === cast[1].receipt_hash &&
  cast[0].receipt_hash !== cast[2].receipt_hash

const isAhead = ({ epoch, epoch_secs }: Snapshot) => epoch > unixNow() / epoch_secs + 2
/** The second set of an epoch lacks a member of the first. */
const isSecond = ({ entries }: Snapshot) => entries.length < 3
const isAscending = (set: Snapshot) =>
  set.entries.every(({ node_key }, i) => i === 0 || set.entries[i - 1]!.node_key < node_key)

export const validatorFaults: readonly ValidatorFault[] = [
  takes('needs no signature', 'V1.1', (asked, parts) => header(asked, parts, 'nonce') === undefined),
  takes('does not verify signatures', 'V1.2', (asked, { profile }) => {
    const signature = readRequestSignature(
      profile,
      (name) => asked.headers[name.toLowerCase()],
      unixNow(),
      params.max_skew,
    )
    return (
      signature !== null &&
      asked.body === null &&
      !verifyRequestSignature(profile, { method: 'GET', target: asked.target, body: '' }, signature)
    )
  }),
  takes(
    'does not look at the time',
    'V1.3',
    (asked, parts) => Math.abs(Number(header(asked, parts, 'timestamp')) - unixNow()) > params.max_skew,
  ),
  takes('takes a nonce twice', 'V1.4', (asked, parts) => {
    const nonce = header(asked, parts, 'nonce')
    if (nonce === undefined) return false
    const isKnown = parts.memory.has(nonce)
    parts.memory.set(nonce, true)
    return isKnown
  }),
  takes(
    'takes calls of strangers',
    'V1.5',
    (asked, parts) => (header(asked, parts, 'key') ?? coordinatorKey) !== coordinatorKey,
  ),

  {
    name: 'attests nothing the second time',
    breaks: ['V2.1'],
    answers: (asked, answered, { memory }) => {
      if (!isSet(asked) || answered.status !== 200) return undefined
      const isFirst = !memory.has('attested')
      memory.set('attested', true)
      return isFirst ? undefined : { status: 409, json: null }
    },
  },
  {
    name: 'signs another set than it is brought',
    breaks: ['V2.2'],
    answers: (asked, answered, { profile, seed }) =>
      isSet(asked) && answered.status === 200
        ? { status: 200, json: attestSnapshot(profile, seed, hashText('another set')) }
        : undefined,
  },
  {
    name: 'attests with another key',
    breaks: ['V2.2'],
    answers: (asked, answered, { profile }) =>
      isSet(asked) && answered.status === 200
        ? { status: 200, json: attestSnapshot(profile, strangerSeed, hashSnapshot(asked.body)) }
        : undefined,
  },
  attests('does not compare parameters', 'V2.3', (set) => set.params_hash !== hashNetworkParams(params)),
  attests('does not look at the order of entries', 'V2.4', (set) => !isAscending(set)),
  attests('does not compute weight_cap', 'V2.5', ({ weight_cap }) => weight_cap === '1'),
  attests('does not compute the beacon', 'V2.6', ({ beacon }) => beacon.value === hashText('chosen')),
  attests('attests sets that are far ahead', 'V2.7', isAhead),
  {
    name: 'does not check who signed the project rules',
    breaks: ['V2.8'],
    answers: (asked, { status, json }, { profile, seed }) =>
      isSet(asked) && status === 422 && JSON.stringify(json).includes('consensus_hash')
        ? { status: 200, json: attestSnapshot(profile, seed, hashSnapshot(asked.body)) }
        : undefined,
  },
  attests('attests two sets of an epoch', 'V2.9', (set, { isRestarted }) => !isRestarted && isSecond(set)),
  {
    ...attests(
      'forgets its sets when it is killed',
      'V2.10',
      (set, { isRestarted }) => isRestarted && isSecond(set),
    ),
    restarts: true,
  },

  votes('leaves a member of its votes out', 'V3.1', ({ signature: _, ...vote }) => vote),
  votes('adds a member to its votes', 'V3.1', (vote) => ({ ...vote, more: 1 })),
  {
    name: 'does not decide',
    breaks: ['V3.1', 'V3.16'],
    answers: (asked, { status }) =>
      isRound(asked) && status === 200 ? { status: 503, json: null } : undefined,
  },
  votes('votes under another id', 'V3.2', (vote, { profile }) => ({
    ...vote,
    node_id: deriveNodeId(profile, ed25519PublicKey(strangerSeed)),
  })),
  votes('votes with another key', 'V3.2', (vote, { profile }) =>
    createFinalityVote(profile, strangerSeed, vote.finality as FinalityRecord),
  ),
  votes('signs another record', 'V3.3', (vote, { profile, seed }) => {
    const record = vote.finality as FinalityRecord
    const { signature } = createFinalityVote(profile, seed, { ...record, gas_used: 1 })
    return { ...vote, signature }
  }),
  votes('signs another round', 'V3.4', (vote, { profile, seed }) => {
    const record = vote.finality as FinalityRecord
    const { round_signature } = createFinalityVote(profile, seed, { ...record, gas_used: 1 })
    return { ...vote, round_signature }
  }),
  signs('names another epoch', 'V3.5', ({ epoch }) => ({ epoch: epoch + 1 })),
  signs('names another set', 'V3.5', () => ({ set_hash: hashText('another set') })),
  signs('counts no gas', 'V3.6', ({ audited }, asked) =>
    audited && !isForged(asked) && !isStrange(asked) ? {} : { gas_used: 0 },
  ),
  signs('credits nobody', 'V3.7', ({ audited, voters }, asked) =>
    audited || isForged(asked) || isStrange(asked) ? { voters } : { voters: [] },
  ),
  signs('does not sort voters', 'V3.7', ({ audited, voters }, asked) =>
    audited || isForged(asked) || isStrange(asked) ? {} : { voters: voters.toReversed() },
  ),
  signs('says of no round that it is audited', 'V3.8', (_, asked) =>
    isForged(asked) || isStrange(asked) ? {} : { audited: false },
  ),
  signs('believes the committee of an audited round', 'V3.9', ({ receipt_hash, audited }, asked) =>
    audited && isSplit(asked) ? { receipt_hash: asked.body.votes[0].receipt_hash } : { receipt_hash },
  ),
  signs('credits who was wrong in an audited round', 'V3.9', (record, asked) =>
    record.audited && isSplit(asked) ? withVoter(record, asked, 0) : {},
  ),
  signs('counts votes that are not signed', 'V3.10', (record, asked) =>
    isForged(asked) ? withVoter(record, asked, 2) : {},
  ),
  signs('counts votes of strangers', 'V3.11', (record, asked) =>
    isStrange(asked) ? withVoter(record, asked, 2) : {},
  ),
  decides(
    'does not read the functions of a project',
    'V3.12',
    ({ body: { task } }) => !probeFunctions.includes(task.function),
  ),
  decides('does not limit gas', 'V3.12', ({ body: { task } }) => task.gas_limit > 250_000_000),
  {
    name: 'does not know the set of a task',
    breaks: ['V3.13'],
    answers: (asked, { status }, parts) => {
      if (isSet(asked) && status === 200) parts.memory.set(hashSnapshot(asked.body), true)
      const isUnknown = isRound(asked) && status !== 200 && !parts.memory.has(asked.body.task.set_hash)
      return isUnknown ? madeUp(asked, parts) : undefined
    },
  },
  decides('does not hash the input', 'V3.14', ({ body }) => body.input_b64 === 'b3RoZXI='),
  decides('takes an audit block before the agreement', 'V3.15', hasEarlyBlock),
  {
    name: 'decides a round again',
    breaks: ['V3.16'],
    answers: (asked, { status, json }, { profile, seed, memory }) => {
      if (!isRound(asked) || status !== 200) return undefined
      const { finality } = json.vote
      const isAgain = memory.has(finality.round_id)
      memory.set(finality.round_id, true)
      const other = { ...finality, voters: finality.voters.slice(1) }
      return isAgain
        ? { status, json: { ...json, vote: createFinalityVote(profile, seed, other) } }
        : undefined
    },
  },
  {
    name: 'decides again after it was killed',
    breaks: ['V3.17'],
    restarts: true,
    answers: (asked, { status, json }, { profile, seed }) => {
      if (!isRound(asked) || status !== 200 || !asked.isRestarted) return undefined
      const { finality } = json.vote
      return {
        status,
        json: { ...json, vote: createFinalityVote(profile, seed, { ...finality, voters: [] }) },
      }
    },
  },
]

function hasEarlyBlock({ body: { audit_block, agreed_at } }: Asked): boolean {
  return audit_block !== undefined && audit_block.timestamp <= agreed_at
}
