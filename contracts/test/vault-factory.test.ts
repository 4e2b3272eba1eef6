import { type Address, getAddress, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { deriveProjectId, deriveVaultAddress } from '../../protocol/identity/index.ts'
import { epochLengths } from '../../protocol/manifest/index.ts'
import { by, bytes32, developer, hasAnvil, profile, stranger, treasury } from './network.ts'
import { network, refused, refusedAs, useNetwork } from './use-network.ts'

const slug = 'tide-forecast'
const projectId = deriveProjectId(profile, developer.address.toLowerCase(), slug)
const cap = 10n ** 18n

describe.skipIf(!hasAnvil)('VaultFactory', () => {
  useNetwork(async () => {
    await register(slug)
  })

  const register = (one: string) =>
    network.mined(network.registry.write.register([one, bytes32(1), bytes32(2), bytes32(3)], by.developer))
  const create = (from = by.developer) =>
    network.factory.write.create([projectId, network.addresses.token, 3_600, cap], from)
  const creating = (
    over: Partial<{ id: Hex; token: Address; epochSecs: number; epochCap: bigint }> = {},
    from = by.developer,
  ) => {
    const { id = projectId, token = network.addresses.token, epochSecs = 3_600, epochCap = cap } = over
    return network.factory.simulate.create([id, token, epochSecs, epochCap], from)
  }
  const predicted = (id: string) =>
    getAddress(
      deriveVaultAddress(network.addresses.vault_factory, network.addresses.vault_implementation, id),
    )

  test('opens the vault at the address from the protocol, with the developer from the registry', async () => {
    const { factory, addresses } = network
    const vault = predicted(projectId)
    const terms = { epochSecs: 3_600, epochCap: cap }
    const parties = { projectId, developer: developer.address, token: getAddress(addresses.token) }
    const said = await network.events(factory, create())
    expect(said).toEqual([{ event: 'VaultCreated', vault, ...parties, ...terms }])
    const { read } = network.vaultAt(vault)
    expect(await read.summary()).toMatchObject(parties)
    expect(await read.treasury()).toBe(getAddress(treasury))
    expect(await read.factory()).toBe(getAddress(addresses.vault_factory))
    expect(await read.challengeSecs()).toBe(3_600n)
    expect(await read.latestTerms()).toEqual({ from: await network.now(), ...terms })
    expect(await read.withdrawalNoticeSecs()).toBe(172_800n)
    // The check of settlement times assumes this value.
    expect(await read.POSTING_SECS()).toBe(86_400n)
  })

  test('refuses a token that is not a contract, because a vault is opened only once', async () => {
    await refused(creating({ token: stranger.address }), ['NotAToken', stranger.address])
    await creating()
  })

  test('the address of a vault is predictable: 200 vaults are at their predicted addresses', async () => {
    const { client, factory, registry, addresses } = network
    const from = { ...by.developer, gas: 350_000n }
    // In as few blocks as they fit, so that the test measures addresses and not mining.
    await client.setAutomine(false)
    try {
      for (const one of Array.from({ length: 200 }, (_, i) => `project-${i}`)) {
        const id = deriveProjectId(profile, developer.address.toLowerCase(), one)
        await registry.write.register([one, bytes32(1), bytes32(2), bytes32(3)], from)
        await factory.write.create([id, addresses.token, 3_600, cap], from)
      }
      while ((await client.getTxpoolStatus()).pending > 0) await client.mine({ blocks: 1 })
    } finally {
      await client.setAutomine(true)
    }
    const created = await factory.getEvents.VaultCreated({}, { fromBlock: 0n })
    expect(created).toHaveLength(200)
    for (const { args } of created) expect(args.vault).toBe(predicted(args.projectId!))
    expect(await factory.read.vaultOf([projectId])).toBe(predicted(projectId))
  })

  test('a stranger cannot open the vault of a project with another token', async () => {
    const attempt = creating({ token: stranger.address }, by.stranger)
    await refused(attempt, ['NotDeveloper', projectId, stranger.address])
  })

  test('a vault needs an epoch length that manifests allow, and a cap above zero', async () => {
    for (const epochSecs of [0, 1, 1_800, 18_000, 172_800])
      await refusedAs(creating({ epochSecs }), 'InvalidTerms')
    await refusedAs(creating({ epochCap: 0n }), 'InvalidTerms')
    for (const epochSecs of epochLengths) await creating({ epochSecs })
  })

  test('a poster can open a vault for the developer, who stays its developer', async () => {
    await network.mined(create(by.poster))
    expect(await network.vaultAt(predicted(projectId)).read.developer()).toBe(developer.address)
  })

  test('a project has only one vault, and an unregistered project has none', async () => {
    const unknown = bytes32(0xdead)
    await refused(creating({ id: unknown }), ['UnknownProject', unknown])
    await network.mined(create())
    const again = creating({ token: network.addresses.faucet })
    await refused(again, ['VaultExists', projectId, predicted(projectId)])
  })

  test('only the factory can initialise a vault or the implementation that vaults share', async () => {
    const { addresses } = network
    await network.mined(create())
    for (const address of [predicted(projectId), addresses.vault_implementation])
      await refused(
        network
          .vaultAt(address)
          .simulate.initialize([projectId, developer.address, addresses.token, 3_600, cap], by.developer),
        ['NotFactory', developer.address],
      )
  })

  test('tokens sent before a vault was opened belong to the vault', async () => {
    await network.give(predicted(projectId), 7n)
    await network.mined(create())
    const vault = network.vaultAt(predicted(projectId))
    await network.mined(vault.write.fund([0n], by.developer))
    expect(await vault.read.freeBalance()).toBe(7n)
  })
})
