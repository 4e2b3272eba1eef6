import { BaseError, ContractFunctionRevertedError, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { roleHash } from '../verify.ts'
import { type Network, startNetwork } from './network.ts'

/** The network of the tests that run, after {@link useNetwork}. */
export let network: Network

/**
 * Gives the tests of a `describe` a chain of its own.
 * @param prepare makes the state in which each of the tests begins.
 */
export function useNetwork(prepare: () => unknown): void {
  let snapshot: Hex
  beforeAll(async () => {
    network = await startNetwork()
    await prepare()
    snapshot = await network.client.snapshot()
  })
  beforeEach(async () => {
    await network.client.revert({ id: snapshot })
    snapshot = await network.client.snapshot()
  })
  afterAll(() => network?.stop())
}

/** The error a simulated call is refused with: its name and arguments. A call that would succeed is a failure here. */
export async function refusal(simulated: Promise<unknown>): Promise<unknown[]> {
  let result: unknown
  try {
    result = await simulated
  } catch (error) {
    const reverted =
      error instanceof BaseError && error.walk((one) => one instanceof ContractFunctionRevertedError)
    if (!(reverted instanceof ContractFunctionRevertedError)) throw error
    return [reverted.data?.errorName ?? reverted.reason ?? reverted.signature, ...(reverted.data?.args ?? [])]
  }
  throw new Error(`not refused, but answered with ${JSON.stringify(result, (_, value) => String(value))}`)
}

export async function refused(simulated: Promise<unknown>, error: readonly unknown[]): Promise<void> {
  expect(await refusal(simulated)).toEqual(error)
}

/** The same with an error of whose arguments nothing is said. */
export async function refusedAs(simulated: Promise<unknown>, name: string): Promise<void> {
  expect((await refusal(simulated))[0]).toBe(name)
}

export const unauthorized = (account: string, role: string): unknown[] => [
  'AccessControlUnauthorizedAccount',
  account,
  roleHash(role),
]
