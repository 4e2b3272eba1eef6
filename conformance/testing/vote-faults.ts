import { hashText } from '../../protocol/encoding/index.ts'
import { hashEvents, hashPayload } from '../../protocol/execution/index.ts'
import { profileStrings } from '../../protocol/identity/index.ts'
import type { TaskVote } from '../../protocol/rounds/index.ts'
import { signEd25519 } from '../../protocol/signatures/index.ts'
import {
  type Between,
  type Fault,
  type Frame,
  of,
  ofTask,
  strangerSeed,
  voteAgain,
  withReceipt,
} from './fault.ts'

/** A fault of every vote. */
const ofVote = (
  change: (vote: TaskVote, between: Between, frame: Frame) => TaskVote,
): Pick<Fault, 'fromNode'> =>
  of('vote', (frame, between) => [{ ...frame, vote: change(frame.vote, between, frame) }])

/** The same with another receipt, hashed and signed as if it were right. */
const ofReceipt = (
  change: (receipt: TaskVote['receipt']) => Partial<TaskVote['receipt']>,
): Pick<Fault, 'fromNode'> => ofVote((vote, between) => withReceipt(vote, between, change(vote.receipt)))

const otherPlace = (vote: TaskVote): TaskVote => ({
  ...vote,
  committee: { position: vote.committee.position + 1 },
})

/** Faults of every vote. */
export const voteFaults: readonly Fault[] = [
  {
    name: 'adds a member to the vote',
    breaks: ['N4.1'],
    ...ofVote((vote) => ({ ...vote, at: 1 }) as TaskVote),
  },
  {
    name: 'signs votes with another key',
    breaks: ['N4.2'],
    ...ofVote((vote, between) => voteAgain(between, vote, strangerSeed)),
  },
  {
    name: 'votes under another node id',
    breaks: ['N4.2'],
    ...ofVote((vote) => ({ ...vote, node_id: `${vote.node_id.slice(0, -16)}${'5a'.repeat(8)}` })),
  },
  {
    name: 'signs the receipt without its prefix',
    breaks: ['N4.3'],
    ...ofVote((vote, { seed }) => ({ ...vote, signature: signEd25519(seed, vote.receipt_hash) })),
  },
  {
    name: 'signs the round without its payout line',
    breaks: ['N4.4'],
    ...ofVote((vote, { seed, profile }) => ({
      ...vote,
      round_signature: signEd25519(
        seed,
        [profileStrings(profile).vote_line, 'task', vote.round_id, vote.receipt_hash].join('\n'),
      ),
    })),
  },
  {
    name: 'votes for another task',
    breaks: ['N4.5'],
    ...ofVote((vote, between) => ofTask(between, vote, { ...vote.task, seq: vote.task.seq + 1 })),
  },
  {
    name: 'hashes a member more',
    breaks: ['N4.6'],
    ...ofVote((vote, between) =>
      voteAgain(between, { ...vote, receipt_hash: hashText(JSON.stringify({ ...vote.receipt, at: 1 })) }),
    ),
  },
  {
    name: 'puts another function into the receipt',
    breaks: ['N4.7'],
    ...ofReceipt(() => ({ function: 'main' })),
  },
  {
    name: 'has the input of another run in the receipt',
    breaks: ['N4.7'],
    ...ofReceipt(() => ({ input_hash: hashText('another') })),
  },
  {
    name: 'is paid elsewhere than the set says',
    breaks: ['N4.8'],
    ...ofVote((vote, between) =>
      voteAgain(between, { ...vote, payout_address: hashText('elsewhere').slice(0, 42) }),
    ),
  },
  { name: 'names another place in the draw', breaks: ['N4.9'], ...ofVote(otherPlace) },
  {
    name: 'sends another output than it hashed',
    breaks: ['N4.10'],
    ...of('vote', (frame) => [{ ...frame, output_b64: 'b3RoZXI=' }]),
  },
  {
    name: 'does not send its events',
    breaks: ['N4.10'],
    ...of('vote', (frame) => [{ ...frame, events: [] }]),
  },
  {
    name: 'computes another output',
    breaks: ['N4.11'],
    ...of('vote', (frame, between) => {
      const output_hash = hashPayload(new TextEncoder().encode('other'))
      return [{ ...frame, output_b64: 'b3RoZXI=', vote: withReceipt(frame.vote, between, { output_hash }) }]
    }),
  },
  {
    name: 'loses events',
    breaks: ['N4.12'],
    ...of('vote', (frame, between) => [
      { ...frame, events: [], vote: withReceipt(frame.vote, between, { events_hash: hashEvents([]) }) },
    ]),
  },
  {
    name: 'counts a unit of gas too much',
    breaks: ['N4.13'],
    ...ofReceipt(({ gas_used }) => ({ gas_used: gas_used + 1 })),
  },
  {
    name: 'counts no gas of failed runs',
    breaks: ['N4.13'],
    ...ofReceipt(({ gas_used, success }) => ({ gas_used: success ? gas_used : 0 })),
  },
  { name: 'takes a failed run for a good one', breaks: ['N4.14'], ...ofReceipt(() => ({ success: true })) },
  {
    name: 'sends an error to hubs that do not know it',
    breaks: ['N4.15'],
    ...of('vote', (frame, { links }) => (links === 2 ? [{ ...frame, error: 'out of gas' }] : undefined)),
  },
]
