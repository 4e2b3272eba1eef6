import { agreeing, type Frame, type Ring } from '../ring.ts'
import { plural, stateWord } from './words.ts'

/** By itself, because the hub writes it too and needs no other text. */
export function sentence(ring: Ring, frame: Frame): string {
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
  if (frame.signed > 0) parts.push(`${frame.signed} of ${plural(ring.validators, 'validator')} signed.`)
  parts.push(`State: ${stateWord(frame.state)}.`)
  return parts.join(' ')
}

export const ring = {
  sentence,
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
