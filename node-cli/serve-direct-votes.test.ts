import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { hashBytes, utf8, zeroAddress } from '../protocol/encoding/index.ts'
import { computeStateRoot } from '../protocol/execution/index.ts'
import { deriveDirectRoundId } from '../protocol/identity/index.ts'
import { type ExecutionVote, parseExecutionVote } from '../protocol/rounds/index.ts'
import { collector, echo, spinner } from '../testing/node/artifacts.ts'
import {
  bring,
  collecting,
  conflict,
  echoing,
  execute,
  problemsOf,
  roundOf,
  spinning,
  vote,
} from '../testing/node/execution-calls.ts'
import { newFolder, temporaryFolder } from '../testing/node/folders.ts'
import { expectLogged, sharedNode, startNode, startNodeHere } from '../testing/node/serving-node.ts'
import { defaultProfile as profile } from './src/profile.ts'

const shared = sharedNode()

test('a node that is not a validator has the consensus routes too: it counts and shows votes, signs nothing', async () => {
  const node = shared()
  for (const path of ['committee-sets', 'task-rounds', 'direct-rounds', 'reward-proposals']) {
    const { status, json } = await node.call(`/consensus/${path}`, { method: 'POST', body: {} })
    expect([path, status, json.error, json.details]).toEqual([
      path,
      409,
      'invalid_state',
      { reason: 'no_validator' },
    ])
    expect((await node.call(`/consensus/${path}`, { method: 'POST', body: {}, token: null })).status).toBe(
      401,
    )
  }
  await bring(node, echo)
  const { json } = await vote(node, roundOf(echo))
  const { round_id: roundId } = json.vote
  expect(problemsOf(await node.call('/consensus/votes', { method: 'POST', body: {} })).status).toBe(422)
  expect((await node.call(`/consensus/rounds/${roundId}`, { token: null })).json.votes).toEqual([json.vote])
  expect((await node.call('/consensus/evidence', { token: null })).json).toEqual({
    items: [],
    next_cursor: null,
  })
})

describe('a vote', () => {
  test('matches the run, follows the rules, and says how the storage changed', async () => {
    const payout = `0x${'ab'.repeat(20)}`
    const node = await startNodeHere(newFolder(), { flags: ['--payout-address', payout] })
    await bring(node, collector)
    await execute(node, collecting)
    const round = roundOf(collector)
    const { status, json } = await vote(node, round)
    expect([status, json.output]).toEqual([200, 'xx'])
    const parsed: ExecutionVote = parseExecutionVote(profile, json.vote)
    const rootWith = (value: string) =>
      computeStateRoot(profile, [{ key: utf8('k'), value: utf8(value) }]).root
    expect(parsed).toMatchObject({
      round,
      round_id: deriveDirectRoundId(round),
      public_key: node.public_key,
      payout_address: payout,
      receipt_hash: json.receipt.receipt.receipt_hash,
      state: [
        {
          module_address: collector.address,
          pre_root: rootWith('x'),
          pre_seq: 1,
          post_root: rootWith('xx'),
          post_seq: 2,
        },
      ],
    })
  })

  test('has no state for a module without storage, and pays nobody if no address was given', async () => {
    const node = shared()
    await bring(node, echo)
    const { json } = await vote(node, roundOf(echo))
    expect(parseExecutionVote(profile, json.vote).payout_address).toBe(zeroAddress)
    expect(json.vote).not.toHaveProperty('state')
  })

  test('is always the same: asked again, at once, after a kill, with another payout address', async () => {
    const folder = newFolder()
    const first = await startNode(folder)
    await bring(first, collector)
    const round = roundOf(collector)
    const at = await Promise.all(Array.from({ length: 12 }, () => vote(first, round)))
    const texts = new Set(at.map(({ text }) => text))
    expect(texts.size).toBe(1)
    await first.kill()
    const second = await startNodeHere(folder, { flags: ['--payout-address', `0x${'cd'.repeat(20)}`] })
    expect((await vote(second, round)).text).toBe([...texts][0])
    // A round of which nobody says that it is decided writes nothing.
    expect((await execute(second, collecting)).json.output).toBe('x')
    expect((await second.call('/status')).json.counts).toMatchObject({ votes: 1, receipts: 2 })
  })

  test.each([
    [
      'of the whole directory',
      (backup: string, folder: string) => {
        rmSync(folder, { recursive: true })
        cpSync(backup, folder, { recursive: true })
      },
    ],
    [
      'of the database alone, over the file that is there',
      (backup: string, folder: string) =>
        cpSync(path.join(backup, 'node.sqlite'), path.join(folder, 'node.sqlite')),
    ],
  ])('survives a restore %s; rounds that the backup may lack get no vote', async (_, restore) => {
    const folder = newFolder()
    const backup = path.join(temporaryFolder(), 'backup')
    const first = await startNodeHere(folder)
    await bring(first, spinner)
    const before = roundOf(spinner)
    const given = await vote(first, before)
    await first.stop()
    cpSync(folder, backup, { recursive: true })
    const second = await startNodeHere(folder)
    const after = roundOf(spinner)
    await vote(second, after)
    await second.stop()
    restore(backup, folder)

    const restored = await startNodeHere(folder)
    expect((await vote(restored, before)).text).toBe(given.text)
    const withheld = await vote(restored, after)
    expect(withheld).toMatchObject(conflict('vote_withheld'))
    expect(withheld.json.message).toMatch(/^This data directory is a copy: /)
    expect((await restored.call('/status')).json.counts).toMatchObject({ votes: 1, receipts: 1 })
    // A run that needs no vote is still executed.
    expect((await execute(restored, spinning)).status).toBe(200)
    await restored.stop()
    expect(restored.log().map(({ message }) => message)).toContain(
      'the data directory is a copy or was restored: the node does not vote in rounds that began before',
    )
  })

  test('is refused for a round of another run, and for one that has not started', async () => {
    const node = shared()
    await bring(node, echo)
    const votes = async () => (await node.call('/status')).json.counts.votes
    const before = await votes()
    for (const [change, member] of [
      [{ module_address: spinner.address }, 'module_address'],
      [{ function: 'f' }, 'function'],
      [{ input_hash: hashBytes(utf8('x')) }, 'input_hash'],
      [{ gas_limit: 10_000_000_001 }, 'gas_limit'],
      [{ issued_at: Math.floor(Date.now() / 1000) + 3600 }, 'issued_at'],
    ] as const) {
      const round = roundOf(echo, change)
      const reply = await execute(node, { ...echoing, round })
      expect(problemsOf(reply)).toMatchObject({
        status: 400,
        problems: [[`round.${member}`, 'invalid_value']],
      })
    }
    const gas = await execute(node, { ...echoing, gas_limit: 7, round: roundOf(echo) })
    expect(problemsOf(gas)).toMatchObject({ status: 400, problems: [['round.gas_limit', 'invalid_value']] })
    expect(await votes()).toBe(before)
  })

  test('is returned again even if the module is gone', async () => {
    const folder = newFolder()
    const first = await startNodeHere(folder)
    await bring(first, spinner)
    const round = roundOf(spinner)
    const { text } = await vote(first, round)
    await first.stop()
    const db = new DatabaseSync(path.join(folder, 'node.sqlite'))
    db.exec('DELETE FROM modules')
    db.close()
    expect((await vote(await startNodeHere(folder), round)).text).toBe(text)
  })

  test('is not returned if it cannot be stored: 503, and later the same round gets a vote', async () => {
    const folder = newFolder()
    const node = await startNode(folder)
    await bring(node, collector)
    const db = new DatabaseSync(path.join(folder, 'node.sqlite'))
    db.exec('BEGIN IMMEDIATE')
    const round = roundOf(collector)
    const refused = await vote(node, round)
    db.exec('ROLLBACK')
    db.close()
    expect(refused).toMatchObject({
      status: 503,
      json: { error: 'unavailable' },
      headers: { 'retry-after': '10' },
    })
    expect(refused.text).not.toContain('signature')
    expect((await vote(node, round)).json).toMatchObject({ output: 'x', vote: { round } })
    expect((await node.call('/status')).json).toMatchObject({
      counts: { votes: 1, receipts: 1 },
      last_errors: [{ message: 'a request failed' }],
    })
  })

  test('is kept for a while; the oldest are deleted with all their data, and their rounds get no other', async () => {
    const node = await startNodeHere(newFolder(), { flags: ['--direct-rounds', '3'] })
    await bring(node, echo)
    const now = Math.floor(Date.now() / 1000)
    const rounds = Array.from({ length: 8 }, (_, i) =>
      roundOf(echo, { issued_at: now - 100 + i, nonce: `${i}`.repeat(32) }),
    )
    for (const round of rounds) expect((await vote(node, round)).status).toBe(200)
    expect((await node.call('/ledger')).json.receipts).toHaveLength(3)
    expect((await node.call('/status')).json.direct_rounds).toMatchObject({ rounds: 3 })
    const dropped = await vote(node, rounds[4]!)
    expect([dropped.status, dropped.json.details]).toEqual([409, { reason: 'vote_withheld' }])
    expect((await vote(node, rounds[5]!)).status).toBe(200)
  })

  test('is refused for more gas than the node runs directly', async () => {
    const node = await startNodeHere(newFolder(), { flags: ['--direct-gas', '999999'] })
    await bring(node, echo)
    expect(problemsOf(await vote(node, roundOf(echo)))).toMatchObject({
      status: 400,
      problems: [['round.gas_limit', 'invalid_value']],
    })
    const own = { ...echoing, input: '{}', gas_limit: 1_000_000 }
    expect((await execute(node, own)).status).toBe(200)
  })

  test('is refused while the disk has only the reserve for the other work of the node', async () => {
    const node = await startNodeHere(newFolder(), { flags: ['--disk-reserve', '1048576'] })
    await bring(node, echo)
    const refused = await vote(node, roundOf(echo))
    expect(refused).toMatchObject({
      status: 503,
      json: { error: 'unavailable' },
      headers: { 'retry-after': '60' },
    })
    expect((await execute(node, { ...echoing, input: '{}' })).status).toBe(200)
  })

  test('has the round id on each line of the log about it', async () => {
    const node = await startNodeHere()
    await bring(node, echo)
    const round = roundOf(echo)
    await vote(node, round)
    await node.stop()
    expectLogged(node, {
      message: 'executed',
      round_id: deriveDirectRoundId(round),
      module: echo.address,
    })
  })
})
