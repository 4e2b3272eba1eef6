import { type Address, encodeFunctionData, type Hex, zeroHash } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { adminDelaySecs } from '../creations.ts'
import {
  bytes32,
  eth,
  hasAnvil,
  type Network,
  owner,
  params,
  refusal,
  roles,
  startNetwork,
  stranger,
} from './network.ts'

const asAdmin = { account: roles.admin }
const delaySecs = BigInt(adminDelaySecs(params))

describe.skipIf(!hasAnvil)('AdminTimelock', () => {
  let network: Network
  let snapshot: Hex
  let arbiterRole: Hex
  beforeAll(async () => {
    network = await startNetwork()
    arbiterRole = await network.staking.read.ARBITER_ROLE()
    snapshot = await network.client.snapshot()
  })
  beforeEach(async () => {
    await network.client.revert({ id: snapshot })
    snapshot = await network.client.snapshot()
  })
  afterAll(() => network?.stop())

  const grant = (account: Address) =>
    encodeFunctionData({ abi: network.staking.abi, functionName: 'grantRole', args: [arbiterRole, account] })
  const operation = (account: Address) =>
    [network.staking.address, 0n, grant(account), zeroHash, zeroHash] as const
  const schedule = (account: Address) =>
    network.adminTimelock.write.schedule([...operation(account), delaySecs], asAdmin)
  const isArbiter = (account: Address) => network.staking.read.hasRole([arbiterRole, account])

  test('a role is given only after everybody could see it coming', async () => {
    const { adminTimelock, mined } = network
    expect(await adminTimelock.read.getMinDelay()).toBe(delaySecs)
    await mined(schedule(stranger.address))
    await network.pass(delaySecs - 10n)
    expect(
      (await refusal(adminTimelock.simulate.execute([...operation(stranger.address)], asAdmin)))[0],
    ).toBe('TimelockUnexpectedOperationState')
    await network.pass(10n)
    await mined(adminTimelock.write.execute([...operation(stranger.address)], asAdmin))
    expect(await isArbiter(stranger.address)).toBe(true)
  })

  test('an owner who unbonds when a change is announced is out before it', async () => {
    const { adminTimelock, staking, token, mined } = network
    const asOwner = { account: owner.address }
    await network.give(owner.address, eth(100))
    await mined(token.write.approve([staking.address, eth(100)], asOwner))
    await mined(staking.write.bond([bytes32(1), bytes32(2), eth(100)], asOwner))
    const id = await staking.read.subscriptionIdOf([bytes32(1), owner.address, bytes32(2)])
    await mined(schedule(roles.admin))
    await network.pass(3_600n)
    await mined(staking.write.unbond([id], asOwner))
    await network.pass(params.unbonding_secs)
    expect((await refusal(adminTimelock.simulate.execute([...operation(roles.admin)], asAdmin)))[0]).toBe(
      'TimelockUnexpectedOperationState',
    )
    await mined(staking.write.withdraw([id], asOwner))
    expect(await network.balanceOf(owner.address)).toBe(eth(100))
  })

  test('the admin takes no shortcut: not past the timelock, nor with a shorter delay', async () => {
    const { adminTimelock, staking } = network
    expect((await refusal(staking.simulate.grantRole([arbiterRole, roles.admin], asAdmin)))[0]).toBe(
      'AccessControlUnauthorizedAccount',
    )
    expect(
      await refusal(adminTimelock.simulate.schedule([...operation(roles.admin), delaySecs - 1n], asAdmin)),
    ).toEqual(['TimelockInsufficientDelay', delaySecs - 1n, delaySecs])
    expect(await refusal(adminTimelock.simulate.updateDelay([0n], asAdmin))).toEqual([
      'TimelockUnauthorizedCaller',
      roles.admin,
    ])
  })

  test('what was announced by mistake is taken back', async () => {
    const { adminTimelock, mined } = network
    await mined(schedule(stranger.address))
    const id = await adminTimelock.read.hashOperation([...operation(stranger.address)])
    await mined(adminTimelock.write.cancel([id], asAdmin))
    await network.pass(delaySecs)
    expect(
      (await refusal(adminTimelock.simulate.execute([...operation(stranger.address)], asAdmin)))[0],
    ).toBe('TimelockUnexpectedOperationState')
    expect(await isArbiter(stranger.address)).toBe(false)
  })

  test('a guardian takes any role but the admin’s away at once, and can do nothing else', async () => {
    const { staking, factory, token, faucet, registry, mined } = network
    const asGuardian = { account: roles.guardian }
    const held = [
      [token, await token.read.MINTER_ROLE(), roles.minter],
      [faucet, await faucet.read.DRIPPER_ROLE(), roles.dripper],
      [registry, await registry.read.REVIEWER_ROLE(), roles.reviewer],
      [staking, await staking.read.PROPOSER_ROLE(), roles.proposer],
      [staking, arbiterRole, roles.arbiter],
      [factory, await factory.read.POSTER_ROLE(), roles.poster],
    ] as const
    for (const [{ address }, role, account] of held) {
      const contract = network.at(staking.abi, address)
      const refused = async (attempt: Promise<unknown>) => (await refusal(attempt))[0]
      const unauthorized = 'AccessControlUnauthorizedAccount'
      const change = [role, account] as const
      expect(await refused(contract.simulate.revokeRole(change, { account: stranger.address }))).toBe(
        unauthorized,
      )
      expect(await refused(contract.simulate.grantRole(change, asGuardian))).toBe(unauthorized)
      const admin = [zeroHash, network.adminTimelock.address] as const
      expect(await refused(contract.simulate.revokeRole(admin, asGuardian))).toBe(unauthorized)
      await mined(contract.write.revokeRole(change, asGuardian))
      expect(await contract.read.hasRole(change)).toBe(false)
    }
    expect((await refusal(staking.simulate.cancelSlash([bytes32(1)], { account: roles.arbiter })))[0]).toBe(
      'AccessControlUnauthorizedAccount',
    )
    // What a guardian took, the admin gives again.
    await mined(schedule(roles.arbiter))
    await network.pass(delaySecs)
    await mined(network.adminTimelock.write.execute([...operation(roles.arbiter)], asAdmin))
    expect(await isArbiter(roles.arbiter)).toBe(true)
  })

  test('nobody else announces, carries out or takes back anything', async () => {
    const { adminTimelock, mined } = network
    await mined(schedule(roles.arbiter))
    await network.pass(delaySecs)
    const id = await adminTimelock.read.hashOperation([...operation(roles.arbiter)])
    for (const account of [stranger.address, roles.arbiter, roles.poster]) {
      const as = { account }
      for (const attempt of [
        () => adminTimelock.simulate.schedule([...operation(account), delaySecs], as),
        () => adminTimelock.simulate.execute([...operation(roles.arbiter)], as),
        () => adminTimelock.simulate.cancel([id], as),
      ])
        expect((await refusal(attempt()))[0]).toBe('AccessControlUnauthorizedAccount')
    }
  })
})
