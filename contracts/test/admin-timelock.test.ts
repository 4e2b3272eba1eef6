import { type Address, encodeFunctionData, type Hex, zeroHash } from 'viem'
import { describe, expect, test } from 'vitest'
import { adminDelaySecs } from '../creations.ts'
import { by, bytes32, eth, hasAnvil, heldRoles, owner, params, roles, stranger } from './network.ts'
import { network, refused, refusedAs, useNetwork } from './use-network.ts'

const unauthorized = 'AccessControlUnauthorizedAccount'
const delaySecs = BigInt(adminDelaySecs(params))

describe.skipIf(!hasAnvil)('AdminTimelock', () => {
  let arbiterRole: Hex
  useNetwork(async () => {
    arbiterRole = await network.staking.read.ARBITER_ROLE()
  })

  const grant = (account: Address) =>
    encodeFunctionData({ abi: network.staking.abi, functionName: 'grantRole', args: [arbiterRole, account] })
  const operation = (account: Address) =>
    [network.staking.address, 0n, grant(account), zeroHash, zeroHash] as const
  const schedule = (account: Address) =>
    network.adminTimelock.write.schedule([...operation(account), delaySecs], by.admin)
  const execute = (account: Address) =>
    network.mined(network.adminTimelock.write.execute([...operation(account)], by.admin))
  const isNotReady = (account: Address) =>
    refusedAs(
      network.adminTimelock.simulate.execute([...operation(account)], by.admin),
      'TimelockUnexpectedOperationState',
    )
  const isArbiter = (account: Address) => network.staking.read.hasRole([arbiterRole, account])

  test('a role is granted only after the delay of the timelock', async () => {
    expect(await network.adminTimelock.read.getMinDelay()).toBe(delaySecs)
    await network.mined(schedule(stranger.address))
    await network.pass(delaySecs - 10n)
    await isNotReady(stranger.address)
    await network.pass(10n)
    await execute(stranger.address)
    expect(await isArbiter(stranger.address)).toBe(true)
  })

  test('an owner who unbonds after the announcement of a change can withdraw before the change', async () => {
    const { staking, token, mined } = network
    await network.give(owner.address, eth(100))
    await mined(token.write.approve([staking.address, eth(100)], by.owner))
    await mined(staking.write.bond([bytes32(1), bytes32(2), eth(100)], by.owner))
    const id = await staking.read.subscriptionIdOf([bytes32(1), owner.address, bytes32(2)])
    await mined(schedule(roles.admin))
    await network.pass(3_600n)
    await mined(staking.write.unbond([id], by.owner))
    await network.pass(params.unbonding_secs)
    await isNotReady(roles.admin)
    await mined(staking.write.withdraw([id], by.owner))
    expect(await network.balanceOf(owner.address)).toBe(eth(100))
  })

  test('the admin can neither bypass the timelock nor shorten its delay', async () => {
    const { adminTimelock, staking } = network
    await refusedAs(staking.simulate.grantRole([arbiterRole, roles.admin], by.admin), unauthorized)
    await refused(adminTimelock.simulate.schedule([...operation(roles.admin), delaySecs - 1n], by.admin), [
      'TimelockInsufficientDelay',
      delaySecs - 1n,
      delaySecs,
    ])
    await refused(adminTimelock.simulate.updateDelay([0n], by.admin), [
      'TimelockUnauthorizedCaller',
      roles.admin,
    ])
  })

  test('the admin can cancel an announced change', async () => {
    const { adminTimelock, mined } = network
    await mined(schedule(stranger.address))
    const id = await adminTimelock.read.hashOperation([...operation(stranger.address)])
    await mined(adminTimelock.write.cancel([id], by.admin))
    await network.pass(delaySecs)
    await isNotReady(stranger.address)
    expect(await isArbiter(stranger.address)).toBe(false)
  })

  test('a guardian can revoke any role except the admin’s at once, and can do nothing else', async () => {
    const { staking, mined } = network
    for (const { contract, change } of heldRoles(network)) {
      await refusedAs(contract.simulate.revokeRole(change, by.stranger), unauthorized)
      await refusedAs(contract.simulate.grantRole(change, by.guardian), unauthorized)
      const admin = [zeroHash, network.adminTimelock.address] as const
      await refusedAs(contract.simulate.revokeRole(admin, by.guardian), unauthorized)
      await mined(contract.write.revokeRole(change, by.guardian))
      expect(await contract.read.hasRole(change)).toBe(false)
    }
    await refusedAs(staking.simulate.cancelSlash([bytes32(1)], by.arbiter), unauthorized)
    // The admin grants the role again that a guardian revoked.
    await mined(schedule(roles.arbiter))
    await network.pass(delaySecs)
    await execute(roles.arbiter)
    expect(await isArbiter(roles.arbiter)).toBe(true)
  })

  test('no other account can schedule, execute or cancel a change', async () => {
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
        await refusedAs(attempt(), unauthorized)
    }
  })
})
