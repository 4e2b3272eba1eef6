import type { CheckName } from '../checks.ts'
import { number } from '../format.ts'
import { agreeing, type Frame, type Ring } from '../ring.ts'
import { plural, stateWord } from './words.ts'

/** State of a round that is final although its function failed. */
export const runFailed = 'Function failed'

export const ring = {
  sentence(ring: Ring, frame: Frame): string {
    const votes = ring.votes.slice(0, frame.votes)
    const equal = agreeing(votes)
    const parts: string[] = []
    if (!ring.isTask) parts.push('Validators vote on it, without a committee.')
    else if (ring.seats.length === 0) parts.push('No committee: validators run the task.')
    else if (frame.step === 'received') parts.push('The task waits for its committee.')
    else {
      const backups = ring.seats.filter((seat) => seat.backup).length
      const drawn = plural(ring.seats.length - backups, 'device')
      parts.push(`Committee of ${drawn}${backups > 0 ? ` and ${plural(backups, 'backup')}` : ''}.`)
      if (votes.length > 0)
        parts.push(`${votes.length} voted, ${equal} with the same result; ${ring.quorum} must agree.`)
      else parts.push(frame.asked ? 'All were asked, nobody voted yet.' : 'Nobody was asked yet.')
    }
    if (
      ring.isTask &&
      ring.seats.length > 0 &&
      (frame.signed > 0 || frame.step === 'rerun' || frame.step === 'final')
    ) {
      if (equal < ring.quorum) parts.push('So validators ran the task.')
      else if (ring.audited) parts.push('Validators ran the task too.')
    }
    if (frame.signed > 0) parts.push(`${frame.signed} of ${plural(ring.validators, 'validator')} signed.`)
    parts.push(`State: ${stateWord(frame.state)}.`)
    if (ring.runFailed && frame.state === 'finalized') parts.push(`${runFailed}.`)
    return parts.join(' ')
  },
  votes: (equal: number, needed: number) => `${equal} / ${needed}`,
  legend: {
    seat: 'device, by weight',
    backup: 'backup',
    vote: 'vote for the result',
    other: 'vote for another result',
    quorum: 'votes on the way to the quorum',
    validator: 'validator that signed',
  },
  key: 'How to read this',
}

export const steps = {
  received: 'Received',
  drawn: 'Committee drawn',
  asked: 'Devices asked',
  voted: (count: number, of: number) => `Vote ${count} of ${of}`,
  agreed: 'Committee agreed',
  rerun: 'Validators run the task',
  signed: (count: number, needed: number) => `Signature ${count} of ${needed}`,
  final: 'Final',
  failed: 'Failed',
}

export const rounds = {
  title: 'Rounds',
  lead: 'A round is one task on its way to a final result.',
  columns: {
    round: 'Round',
    state: 'State',
    project: 'Project',
    fn: 'Function',
    votes: 'Votes',
    gas: 'Gas',
    took: 'Took',
    when: 'When',
  },
  kind: 'Kind',
  kinds: { task: 'Tasks', exec: 'Direct', epoch: 'Epochs' } as Record<string, string>,
  filter: 'State',
  all: 'All',
  none: 'No rounds here',
  noneHint: 'A round appears as soon as somebody submits a task.',
  noneStep: 'Submit one',
  audited: 'Audited',
  voted: (equal: number, of: number) => `${equal} / ${of} votes`,
  gas: (gas: number) => `${number(gas)} gas`,
  /** In the place of votes, where no committee was available. */
  validators: 'validators',
}

export const round = {
  title: 'Round',
  slider: 'Step',
  replay: 'Play again',
  result: 'Result',
  facts: {
    id: 'Round',
    project: 'Project',
    fn: 'Function',
    module: 'Module',
    epoch: 'Epoch',
    place: 'Number in the epoch',
    input: 'Hash of the input',
    gas: 'Gas',
    receipt: 'Receipt',
    created: 'Received',
    took: 'Time to final',
    set: 'Committee set',
    audited: 'Audited by validators',
  },
  committee: 'Committee',
  committeeHint: 'Drawn from the devices of the epoch, by collateral and reputation.',
  noCommittee: 'No committee was available. The validators ran the task themselves.',
  columns: { device: 'Device', role: 'Role', weight: 'Weight', vote: 'Vote', paid: 'Pays to' },
  roles: { primary: 'Primary', backup: 'Backup' } as Record<string, string>,
  noVote: 'no vote',
  same: 'Same result',
  other: 'Other result',
  signatures: 'Validators that signed',
  signaturesHint: 'A result is final when a quorum of the validators has signed the same record.',
  noSignature: 'No validator has signed yet.',
  yes: 'yes',
  no: 'no',
  epoch: 'The round of an epoch: validators sign what everybody earned. Its receipt has the amounts.',
  direct: 'A direct round: validators run it without a committee, and its votes are theirs.',
}

export const outcome = {
  failed: 'The function failed',
  claim:
    'These are words of the module, as the nodes that agree report them. No signature covers them: the receipt says only that the function failed.',
  silent: 'It gave no reason.',
  none: 'No result',
  empty: 'The output is empty.',
  reasons: {
    no_attested_snapshot: 'Validators attested no set of devices in time.',
    no_quorum:
      'Too few members of the committee gave the same result in time, and validators did not decide.',
    version_changed:
      'A later version of the project began while the task waited. It lacks the function, or allows less gas.',
    set_unreadable: 'The set of devices could not be read.',
    output_not_kept: 'The result is no longer stored. Its receipt is.',
  } as Record<string, string>,
}

export const verify = {
  title: 'Check it yourself',
  lead: 'This browser recomputes hashes, signatures and the draw from public records.',
  do: 'Verify in this browser',
  doing: 'Verifying',
  holds: 'Everything holds',
  partly: 'Not everything could be checked',
  fails: 'Something does not hold',
  took: (ms: number) => `${number(ms)} ms of computing and reading`,
  yes: 'Holds',
  no: 'Wrong',
  unchecked: 'Not checked',
  root: 'All signatures lead back to these two values and to the names and parameters of the network, which this hub itself told your browser. Compare them with what you know from elsewhere:',
  coordinator: 'Key of the coordinator',
  genesis: 'Hash of generation 0 of the validators',
  /** In a command, where the page does not know it. */
  input: 'write here what the task was given',
  notFinal: 'A result can be checked once it is final.',
  not: 'It does not run the module again. nodectl does:',
  checks: {
    task: 'The round id is the hash of the task that is shown',
    receipt: 'The receipt is of this task and has the hash of the result',
    payload: 'Your input and output have the hashes of the receipt',
    rules: 'The developer signed the rules that the task names, and the task keeps them',
    generations: 'Each generation of validators is signed by the one before and the coordinator',
    set: 'Validators attested the set of devices and its block',
    beacon: 'The randomness is computed from that block',
    draw: 'The draw gives exactly this committee',
    votes: 'Votes are signed by members, and enough are equal or validators ran the task',
    validators: 'A quorum of validators signed the result',
  } satisfies Record<CheckName, string>,
}
