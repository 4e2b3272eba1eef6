import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { unixNow } from '../../../durable-objects/clock.ts'
import { type EpochReceipt, hashPayoutLeaf, verifyPayoutProof } from '../../../protocol/earnings/index.ts'
import { services } from '../../services.ts'
import { signIn } from '../../test/callers.ts'
import { client, expectInvalid, itemsOf } from '../../test/client.ts'
import {
  createProject,
  createValidators,
  epochPath,
  indexPosted,
  indexState,
  miner,
  receiptOf,
  settleEpoch,
  type TestProject,
} from '../../test/epochs.ts'
import { emptyTables } from '../../test/tables.ts'

const validators = await createValidators(3)
let project: TestProject
beforeEach(async () => {
  await emptyTables('epoch_receipts', 'epoch_shares', 'chain_states', 'hub_actions')
  project = await createProject()
})

/** Seven recipients: the odd nodes of the tree move up unchanged. */
const units = (first: string) =>
  [first, ...[2, 3, 4, 5, 6, 7].map(miner)].sort().map((one, i) => ({ miner: one, units: i + 1 }))

/** An epoch that pays the wallet, `back` epochs before the last one; posted, and released at `releaseAt`. */
const settle = (account: string, { back = 0, releaseAt = unixNow() - 1, of = project } = {}) =>
  settleEpoch(of, { by: validators, epoch: of.lastEpoch - back, units: units(account), releaseAt })

const claim = ({ vault_address, round }: EpochReceipt, account: string) =>
  indexState('claim', `${vault_address}:${round}:${account}`, { claimed_at: 7, claimed_tx: '0x07' })

const claimsOf = (query: string, by = client()) => itemsOf(by.get(`/v1/me/claims${query}`))

describe('GET /v1/me/claims', () => {
  test('lists released payouts with proofs that lead to the posted root', async () => {
    const { address, token } = await signIn()
    const [first, last] = [unixNow() - 9, unixNow() - 5]
    const receipts = [
      await settle(address, { back: 1, releaseAt: first }),
      await settle(address, { releaseAt: last }),
    ]
    const items = await claimsOf('', client({ token }))
    expect(items.map(({ epoch }) => epoch)).toEqual(receipts.map(({ round }) => round))
    expect(items.map(({ claimable_at }) => claimable_at)).toEqual([first, last])
    for (const [i, { project_id, vault, epoch, account, amount, proof }] of items.entries()) {
      const receipt = receipts[i] as EpochReceipt
      const share = receipt.compute_units.find((one) => one.miner === address)
      expect({ project_id, vault, account, amount }).toEqual({
        project_id: project.projectId,
        vault: receipt.vault_address,
        account: address,
        amount: share?.amount,
      })
      const leaf = hashPayoutLeaf(project_id, epoch, { miner: account, amount })
      expect(verifyPayoutProof(receipt.merkle_root, leaf, proof)).toBe(true)
    }
    expect(await claimsOf(`?address=${address.toUpperCase().replace('0X', '0x')}`)).toEqual(items)
  })

  test('has a separate proof for every recipient', async () => {
    const receipt = await settle(miner(1))
    for (const { miner: account, amount } of receipt.compute_units) {
      const [item] = await claimsOf(`?address=${account}`)
      const leaf = hashPayoutLeaf(receipt.project_id, receipt.round, { miner: account, amount })
      expect(verifyPayoutProof(receipt.merkle_root, leaf, item.proof)).toBe(true)
    }
  })

  test('omits unreleased, vetoed and claimed payouts, and lists a payout again if its claim is reverted', async () => {
    const account = miner(1)
    const [released, vetoed] = [
      await settle(account, { back: 3 }),
      await settle(account, { back: 2 }),
      await settle(account, { back: 1, releaseAt: unixNow() + 60 }),
    ]
    await indexState('epoch', `${vetoed.vault_address}:${vetoed.round}`, { vetoed: true })
    const epochs = async () => (await claimsOf(`?address=${account}`)).map(({ epoch }) => epoch)
    expect(await epochs()).toEqual([released.round])
    await claim(released, account)
    expect(await epochs()).toEqual([])
    // Of another recipient nothing was claimed.
    expect(await claimsOf(`?address=${miner(2)}`)).toMatchObject([{ epoch: released.round }])
    await services(env).chainIndex.forget({ operator: account, reason: null }, unixNow())
    await settleAgain(released)
    expect(await epochs()).toEqual([released.round])
  })

  /** As after a reindex of a chain whose blocks do not contain the claim. */
  const settleAgain = (receipt: EpochReceipt) => indexPosted(receipt, 7)

  test('considers postings and claims from before the receipt arrived', async () => {
    const receipt = receiptOf(project, { by: validators, units: units(miner(1)) })
    await settleAgain(receipt)
    await claim(receipt, miner(1))
    expect((await validators[0]?.call('POST', epochPath, receipt))?.status).toBe(202)
    expect(await claimsOf(`?address=${miner(1)}`)).toEqual([])
    expect(await claimsOf(`?address=${miner(2)}`)).toMatchObject([{ epoch: receipt.round }])
  })

  test('filters by project', async () => {
    const other = await createProject()
    await settle(miner(1))
    await settle(miner(1), { of: other })
    expect(await claimsOf(`?address=${miner(1)}`)).toHaveLength(2)
    expect(await claimsOf(`?address=${miner(1)}&project_id=${other.projectId}`)).toMatchObject([
      { project_id: other.projectId },
    ])
  })

  test('400 invalid_field: neither a session nor an address', async () => {
    await expectInvalid(client().get('/v1/me/claims'), 'address')
  })
})
