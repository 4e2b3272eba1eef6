import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createReceipt, hashPayload } from '../../../../protocol/execution/index.ts'
import { deriveProjectId, resolveProfile } from '../../../../protocol/identity/index.ts'
import { createExecutionVote } from '../../../../protocol/rounds/index.ts'
import { resumeSimulations } from '../../../rounds/simulate.ts'
import { services } from '../../../services.ts'
import { simulationsMax } from '../../../stores/simulations.ts'
import {
  bodyOf,
  type Client,
  client,
  expectInvalid,
  expectRefusal,
  itemsOf,
  statusesOf,
} from '../../../test/client.ts'
import { createDeveloper } from '../../../test/project.ts'
import { createKey, SimulatedRounds, setEffective } from '../../../test/rounds.ts'
import { createListedProject } from '../../../test/subscription.ts'
import { emptyTables, rowOf, runSql, scalarOf, setListingStatus } from '../../../test/tables.ts'

const rounds = new SimulatedRounds()
const profile = resolveProfile()
let path: string
let developer: Client
beforeAll(async () => {
  await rounds.begin()
  path = `/v1/developers/projects/${rounds.projectId}/simulations`
  developer = rounds.developer!.client
})
beforeEach(async () => {
  rounds.install()
  runs(['', '', '', ''])
  await emptyTables('simulations')
})

/** Has a validator answer as nodes do: with its salt before the input, and a failure of the module where it is `fail`. */
function runs(salts: readonly (string | undefined)[], outputLength = 0): void {
  for (const [i, validator] of rounds.validators.entries())
    validator.instead = (at, body) => {
      const salt = salts[i]
      if (at !== '/execute' || salt === undefined) return new Response(null, { status: 503 })
      const { round, input_b64 } = body as {
        round: { module_address: string; function: string }
        input_b64: string
      }
      const input = new Uint8Array(Buffer.from(input_b64, 'base64'))
      const said = salt === 'fail' ? '' : `${salt}${new TextDecoder().decode(input)}`
      const text = said.padEnd(outputLength, '.')
      const { module_address, function: called } = round
      const output = new TextEncoder().encode(text)
      const run = {
        module_address,
        function: called,
        input,
        output,
        events: [],
        gas_used: 9,
        success: salt !== 'fail',
      }
      const receipt = createReceipt(run)
      const payout_address = `0x${'a1'.repeat(20)}`
      const vote = createExecutionVote(profile, validator.node.key, {
        round: round as never,
        receipt,
        payout_address,
      })
      return Response.json({ success: run.success, output: text, events: [], receipt, vote })
    }
}

const task = { function: 'echo', input: 'hi' }
const begin = (tasks: object[] = [task], by = developer) => by.post(path, { tasks })
/** The outcome of a simulation: calls in tests wait for the work that continues after the answer. */
const outcomeOf = async (answer: Promise<Response>) => {
  const { simulation_id } = await bodyOf(answer)
  return bodyOf(developer.get(`${path}/${simulation_id}`))
}

describe('POST …/simulations', () => {
  test('runs the tasks on every validator, and stores their results', async () => {
    const answer = await begin([task, { ...task, input: { b: 1 }, gas_limit: 1_000 }])
    const { simulation_id, ...begun } = await bodyOf(answer)
    expect([answer.status, answer.headers.get('location')]).toEqual([202, `${path}/${simulation_id}`])
    expect(begun).toMatchObject({
      project_id: rounds.projectId,
      status: 'running',
      results: [],
      completed_at: null,
    })
    const over = await bodyOf(developer.get(`${path}/${simulation_id}`))
    expect(over).toMatchObject({
      status: 'passed',
      results: [
        {
          success: true,
          output: 'hi',
          gas_used: 9,
          events: [],
          consensus: { state: 'finalized', quorum: 3 },
        },
        { output: '{"b":1}', error: null },
      ],
      logs: ['loaded worker module', expect.stringMatching(/^ran 2 task/), 'all receipts agree'],
      completed_at: expect.any(Number),
    })
    const { results: _, ...listed } = over
    expect(await itemsOf(developer.get(path))).toEqual([listed])
    expect(await services(env).rounds.find(over.results[0].round_id)).toMatchObject({ kind: 'exec' })
    expect(await scalarOf('SELECT requests FROM simulations')).toBeNull()
  })

  test('fails if the validators do not agree, or if the module fails', async () => {
    runs(['', '', 'lie ', 'other lie '])
    expect(await outcomeOf(begin())).toMatchObject({
      status: 'failed',
      results: [],
      logs: [{}, {}, 'task 1: the validators did not agree: 4 answered, and 3 must agree'].map((log) =>
        typeof log === 'string' ? log : expect.any(String),
      ),
    })
    runs(['fail', 'fail', 'fail'])
    expect(await outcomeOf(begin())).toMatchObject({
      status: 'failed',
      results: [{ success: false, error: 'failed' }],
    })
  })

  test('stores no output above 4 KiB, and keeps only the newest simulations', async () => {
    runs(['', '', '', ''], 5_000)
    expect(await outcomeOf(begin())).toMatchObject({
      status: 'passed',
      results: [{ output: '', error: 'output_not_kept' }],
    })
    await runSql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      INSERT INTO simulations SELECT 's' || i, ?1, NULL, 'passed', '[]', '[]', i, i, 1, 1 FROM n`,
      ...[rounds.projectId, simulationsMax],
    )
    await begin()
    expect(await itemsOf(developer.get(path))).toHaveLength(simulationsMax)
    expect(await rowOf('SELECT count(*) AS n, min(started_at) AS first FROM simulations')).toEqual({
      n: simulationsMax,
      first: 3,
    })
  })

  test('works before the project is listed, with the newest version', async () => {
    await setListingStatus(rounds.projectId, 'submitted')
    expect((await begin()).status).toBe(202)
    await runSql(
      `INSERT INTO project_versions (project_id, version, status, manifest_hash, consensus_hash, manifest, signature, token,
        tiers_changed, boundary_secs, epoch_secs, submitted_at) SELECT project_id, 2, 'submitted', '0x2', '0x2',
        replace(manifest, '"echo"', '"later"'), signature, token, '["consensus"]', 3600, 3600, 2 FROM project_versions
        WHERE project_id = ?`,
      rounds.projectId,
    )
    await expectInvalid(begin(), 'tasks[0].function')
    expect((await begin([{ ...task, function: 'later' }])).status).toBe(202)
    await runSql('DELETE FROM project_versions WHERE version = 2 AND project_id = ?', rounds.projectId)
    await setListingStatus(rounds.projectId, 'listed')
  })

  test('works before the project is submitted, with the draft of its developer', async () => {
    const { address } = rounds.developer!
    const slug = 'drafted'
    const projectId = deriveProjectId(profile, address, slug)
    const of = `/v1/developers/projects/${projectId}/simulations`
    const post = (by = developer) => by.post(of, { tasks: [task] })
    const text = await scalarOf(
      'SELECT manifest FROM project_versions WHERE project_id = ?',
      rounds.projectId,
    )
    const { consensus } = JSON.parse(String(text))
    const draft = (data: object, by = developer) =>
      by.fetch('/v1/developers/me/drafts/drafted', { method: 'PUT', json: { project_id: projectId, data } })
    await expectRefusal(post(), '404 not_found')
    await draft({ slug: 'another', consensus })
    await expectRefusal(post(), '404 not_found')
    await draft({ slug, consensus: { ...consensus, work: {} } })
    await expectInvalid(post(), 'consensus.work.functions', 'consensus.work.max_gas_limit')
    await draft({ slug, consensus })
    const { simulation_id } = await bodyOf(post())
    expect(await bodyOf(developer.get(`${of}/${simulation_id}`))).toMatchObject({
      ...{ project_id: projectId, status: 'passed', results: [{ output: 'hi' }] },
    })
    expect(await itemsOf(developer.get(of))).toMatchObject([{ simulation_id }])
    // The same draft of another wallet is of another project.
    const other = (await createDeveloper()).client
    await draft({ slug, consensus }, other)
    for (const answer of [post(other), other.get(of), other.get(`${of}/${simulation_id}`)])
      await expectRefusal(answer, '404 not_found')
  })

  test('429 rate_limited: more than two running simulations, also in a race', async () => {
    await runSql(
      "INSERT INTO simulations VALUES ('s1', ?, '[]', 'running', '[]', '[]', 1, NULL, 9999999999, 1)",
      rounds.projectId,
    )
    runs([undefined])
    expect((await statusesOf([begin(), begin(), begin()])).filter((status) => status === 429)).not.toEqual([])
    await runSql("UPDATE simulations SET status = 'running', claimed_until = 9999999999")
    const other =
      "INSERT INTO simulations VALUES ('s2', ?, '[]', 'running', '[]', '[]', 1, NULL, 9999999999, 1)"
    await runSql(other, rounds.projectId)
    const { headers } = await expectRefusal(begin(), '429 rate_limited')
    expect(headers.get('retry-after')).toBe('60')
  })

  test('429 rate_limited: the gas of one address is used up; no simulation is stored', async () => {
    const caller = client({ token: rounds.developer!.token, bindings: { DIRECT_GAS_MAX: '8000000000' } })
    await runSql(
      `UPDATE project_versions SET manifest = replace(manifest, '"max_gas_limit":10000000', '"max_gas_limit":9000000000')`,
    )
    await expectRefusal(
      begin(Array(8).fill({ ...task, gas_limit: 8_000_000_000 }), caller),
      '429 rate_limited',
    )
    expect(await scalarOf('SELECT count(*) FROM simulations')).toBe(0)
    await runSql(
      `UPDATE project_versions SET manifest = replace(manifest, '"max_gas_limit":9000000000', '"max_gas_limit":10000000')`,
    )
  })

  test('400 invalid_field, 403 forbidden, 413 too_large, 503 no_validators', async () => {
    await expectInvalid(begin([]), 'tasks')
    await expectInvalid(begin(Array(11).fill(task)), 'tasks')
    await expectInvalid(begin([{ function: 'echo' }]), 'tasks[0].input')
    await expectInvalid(begin([task, { ...task, gas_limit: 10_000_001 }]), 'tasks[1].gas_limit')
    const off = client({ token: rounds.developer!.token, bindings: { DIRECT_ROUNDS_ENABLED: 'false' } })
    await expectRefusal(begin([task], off), '403 forbidden', { details: { reason: 'turned_off' } })
    await expectRefusal(begin([{ ...task, input: 'x'.repeat(300_000) }]), '413 too_large')
    await setEffective(Number.MAX_SAFE_INTEGER)
    await expectRefusal(begin(), '503 no_validators')
    await setEffective(0)
  })
})

test('another developer is refused, and a key needs the scope of the call', async () => {
  const grace = await createDeveloper()
  const { simulation_id } = await bodyOf(begin())
  const one = `${path}/${simulation_id}`
  for (const call of [grace.client.get(path), grace.client.get(one), begin([task], grace.client)])
    await expectRefusal(call, '403 not_owner')
  const hers = await createListedProject({}, grace)
  const elsewhere = `/v1/developers/projects/${hers}/simulations`
  await expectRefusal(grace.client.get(`${elsewhere}/${simulation_id}`), '404 not_found')
  await expectRefusal(developer.get(`${path}/unknown`), '404 not_found')

  await setListingStatus(hers, 'submitted')
  for (const call of [
    developer.get(elsewhere),
    developer.get(`${elsewhere}/x`),
    developer.post(elsewhere, { tasks: [task] }),
  ])
    await expectRefusal(call, '404 not_found')
  const reader = client({ token: await createKey(developer, rounds.projectId, ['projects:read']) })
  expect(await statusesOf([reader.get(path), reader.get(one)])).toEqual([200, 200])
  await expectRefusal(begin([task], reader), '403 scope_missing')
})

describe('a simulation whose process ended', () => {
  const stored = async (attempts: number) => {
    const input = {
      module: `0x${'0b'.repeat(32)}`,
      function: 'echo',
      input: Buffer.from('hi').toString('base64'),
    }
    const inputHash = hashPayload(new TextEncoder().encode('hi'))
    await runSql(
      "INSERT INTO simulations VALUES ('lost', ?, ?, 'running', '[]', '[]', 1, NULL, 5, ?)",
      ...[rounds.projectId, JSON.stringify([{ ...input, inputHash, gasLimit: 1_000 }]), attempts],
    )
  }

  test('is resumed by the schedule', async () => {
    await stored(2)
    await resumeSimulations(services(env))
    expect(await bodyOf(developer.get(`${path}/lost`))).toMatchObject({
      status: 'passed',
      results: [{ output: 'hi' }],
    })
  })

  test('fails after its last attempt', async () => {
    await stored(3)
    await resumeSimulations(services(env))
    expect(await bodyOf(developer.get(`${path}/lost`))).toMatchObject({
      status: 'failed',
      completed_at: expect.any(Number),
    })
  })
})
