import type { Epoch } from './hub.ts'

const soonMs = 15_000
/** Only a veto of an operator changes a settled epoch before its payouts can be claimed. */
const settledMs = 300_000

/**
 * How often an epoch is read again by itself, with up to 10,000 payouts: never once it could not be read, or no more can become of it.
 * A vetoed one may be reopened, which somebody who comes back to its page sees.
 */
export function epochPollMs({
  state: { status, data },
}: {
  state: { status: string; data?: Pick<Epoch, 'status'> | undefined }
}): number | false {
  if (status === 'error' || data?.status === 'released' || data?.status === 'vetoed') return false
  return data?.status === 'settled' ? settledMs : soonMs
}
