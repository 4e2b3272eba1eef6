import type { EpochReceipt } from '../../../../protocol/earnings/index.ts'
import { isUnsigned } from '../../../../protocol/encoding/index.ts'
import type { HubClient } from '../hub/hub-client.ts'
import { HubError } from '../hub/hub-error.ts'
import { Members } from '../hub/members.ts'
import type { RequestSigner } from '../hub/request-signer.ts'
import type { ProjectEpoch } from '../store/epochs.ts'

/** What became of a receipt at the hub. */
export type Submitted =
  /** The hub has the receipt of the epoch, this one or another. */
  | { readonly status: 'settled' }
  /** The hub waits for rounds of the epoch, which the receipt may lack. */
  | { readonly status: 'early'; readonly reason: string; readonly retryAfterSeconds: number }
  /** The hub takes no such receipt. */
  | { readonly status: 'refused'; readonly reason: string }
  /** The same may be taken later. */
  | { readonly status: 'later'; readonly reason: string; readonly retryAfterSeconds: number }

const projectsOfPage = 100
const projectPagesMax = 10

/** What a validator asks the hub about epochs, and tells it. */
export class HubEpochs {
  readonly #client: HubClient
  readonly #signer: RequestSigner

  constructor(client: HubClient, signer: RequestSigner) {
    this.#client = client
    this.#signer = signer
  }

  async submit(receipt: EpochReceipt): Promise<Submitted> {
    const request = {
      method: 'POST',
      target: '/v1/nodes/epoch-receipts',
      body: receipt,
      signer: this.#signer,
    } as const
    try {
      return await this.#client.call(request, () => ({ status: 'settled' }))
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
  async isSettled({ projectId, epoch }: ProjectEpoch): Promise<boolean> {
    try {
      const target = `/v1/explorer/epochs/${projectId}/${epoch}`
      const status = await this.#client.call({ method: 'GET', target }, (answer) =>
        new Members(answer).text('status'),
      )
      return status !== 'open' && status !== 'closed'
    } catch (error) {
      if (error instanceof HubError) return false
      throw error
    }
  }

  /** The number of open rounds of an epoch; null while the hub does not say. Its answer leaves out the number if it has a receipt. */
  async openRounds({ projectId, epoch }: ProjectEpoch): Promise<number | null> {
    const target = `/v1/explorer/epochs/${projectId}/${epoch}`
    try {
      return await this.#client.call(
        { method: 'GET', target },
        (answer) => new Members(answer).optional('open_rounds', isUnsigned, 'a number of rounds') ?? 0,
      )
    } catch (error) {
      if (error instanceof HubError) return null
      throw error
    }
  }

  /** The ids of the listed projects. @throws {@link HubError} */
  async projects(): Promise<string[]> {
    const found: string[] = []
    let cursor: string | null = null
    for (let page = 0; page < projectPagesMax; page++) {
      const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const target = `/v1/projects?limit=${projectsOfPage}${after}`
      cursor = await this.#client.call({ method: 'GET', target }, (answer) => {
        const members = new Members(answer)
        for (const item of members.objects('items', projectsOfPage)) found.push(item.text('project_id'))
        return members.cursor()
      })
      if (cursor === null) break
    }
    return found
  }

  /** The epochs of a project that are over and have no receipt, as far as the hub lists them. @throws {@link HubError} */
  closed(projectId: string): Promise<number[]> {
    const target = `/v1/explorer/epochs?project_id=${projectId}&status=closed&limit=10`
    return this.#client.call({ method: 'GET', target }, (answer) =>
      new Members(answer).objects('items', 10).map((item) => item.get('epoch', isUnsigned, 'an epoch')),
    )
  }
}
