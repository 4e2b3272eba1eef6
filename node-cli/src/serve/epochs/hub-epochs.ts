import type { EpochReceipt } from '../../../../protocol/earnings/index.ts'
import { isUnsigned } from '../../../../protocol/encoding/index.ts'
import type { AnswerReader, HubClient } from '../hub/hub-client.ts'
import { HubError } from '../hub/hub-error.ts'
import { Members, readPages } from '../hub/members.ts'
import type { RequestSigner } from '../hub/request-signer.ts'
import type { ProjectEpoch } from '../store/epochs.ts'

export type Submitted =
  /** The hub has the receipt of the epoch, this one or another. */
  | { readonly status: 'settled' }
  /** The hub waits for rounds of the epoch, which the receipt may lack. */
  | { readonly status: 'early'; readonly reason: string; readonly retryAfterSeconds: number }
  | { readonly status: 'refused'; readonly reason: string }
  /** The same may be taken later. */
  | { readonly status: 'later'; readonly reason: string; readonly retryAfterSeconds: number }

/** More epochs than a week has. */
const takenMax = 200
const isTaken = (status: string): boolean => status !== 'open' && status !== 'closed'

const pageBounds = { itemsMax: 100, pagesMax: 10 }

export type HubEpochs = ReturnType<typeof hubEpochs>

/** The calls of a validator to the hub about epochs. */
export function hubEpochs(client: HubClient, signer: RequestSigner) {
  async function submit(receipt: EpochReceipt): Promise<Submitted> {
    const request = { method: 'POST', target: '/v1/nodes/epoch-receipts', body: receipt, signer } as const
    try {
      return await client.call(request, () => ({ status: 'settled' }))
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      if (error.status === 409 && error.code === 'duplicate') return { status: 'settled' }
      if (error.status === 425)
        return { status: 'early', reason: error.message, retryAfterSeconds: error.retryAfterSeconds ?? 0 }
      const isRefusal = error.failure === 'refused' && [400, 403, 422].includes(error.status ?? 0)
      if (isRefusal && !error.isPassing) return { status: 'refused', reason: error.message }
      return { status: 'later', reason: error.message, retryAfterSeconds: error.retryAfterSeconds ?? 0 }
    }
  }

  /** Whether the hub has the receipt of an epoch; false while it does not say. */
  async function isSettled(epoch: ProjectEpoch): Promise<boolean> {
    const status = await ask(epoch, (answer) => new Members(answer).text('status'))
    return status !== null && isTaken(status)
  }

  /** The number of open rounds of an epoch; null while the hub does not say. Its answer leaves out the number if it has a receipt. */
  function openRounds(epoch: ProjectEpoch): Promise<number | null> {
    return ask(
      epoch,
      (answer) => new Members(answer).optional('open_rounds', isUnsigned, 'a number of rounds') ?? 0,
    )
  }

  async function ask<T>({ projectId, epoch }: ProjectEpoch, read: AnswerReader<T>): Promise<T | null> {
    try {
      const target = `/v1/explorer/epochs/${projectId}/${epoch}`
      return await client.call({ method: 'GET', target }, read)
    } catch (error) {
      if (error instanceof HubError) return null
      throw error
    }
  }

  async function projects(): Promise<string[]> {
    const readId = (item: Members) => item.text('project_id')
    const pages = readPages('/v1/projects', pageBounds, readId, (target, read) =>
      client.call({ method: 'GET', target }, read),
    )
    const found: string[] = []
    for await (const ids of pages) for (const id of ids) found.push(id)
    return found
  }

  /** The epochs of a project that are over and have no receipt, as far as the hub lists them. @throws {@link HubError} */
  function closed(projectId: string): Promise<number[]> {
    const target = `/v1/explorer/epochs?project_id=${projectId}&status=closed&limit=10`
    return client.call({ method: 'GET', target }, (answer) =>
      new Members(answer).objects('items', 10).map((item) => item.get('epoch', isUnsigned, 'an epoch')),
    )
  }

  /** The newest epochs of a project of which the hub has a receipt. @throws {@link HubError} */
  function taken(projectId: string): Promise<number[]> {
    const target = `/v1/explorer/epochs?project_id=${projectId}&limit=${takenMax}`
    return client.call({ method: 'GET', target }, (answer) =>
      new Members(answer)
        .objects('items', takenMax)
        .filter((item) => isTaken(item.text('status')))
        .map((item) => item.get('epoch', isUnsigned, 'an epoch')),
    )
  }

  return { submit, isSettled, openRounds, projects, closed, taken }
}
