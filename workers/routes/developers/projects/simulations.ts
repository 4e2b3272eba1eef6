import * as z from 'zod'
import type { HubContext } from '../../../context.ts'
import { ApiError, invalidField } from '../../../errors.ts'
import { example } from '../../../examples.ts'
import { json } from '../../../http/answer.ts'
import { bytesToBase64 } from '../../../http/base64.ts'
import { Bytes32, Timestamp } from '../../../http/formats.ts'
import { payForDirectRound } from '../../../middleware/rate-limit.ts'
import { simulate } from '../../../rounds/simulate.ts'
import { defineRoute, ok, reply } from '../../../route.ts'
import {
  type ListedSimulation,
  runningMax,
  type SimulatedResult,
  type SimulatedTask,
  type Simulation,
  SimulationStore,
  simulationsMax,
} from '../../../stores/simulations.ts'
import { findKnownModule } from '../../modules/known.ts'
import { hashesExample } from '../../projects/example.ts'
import { ProjectParams } from '../../projects/schema.ts'
import { readInput } from '../../tasks/input-bytes.ts'
import { requireDirectRounds, resultView } from '../../tasks/result.ts'
import { ExecuteResult, taskExample } from '../../tasks/schema.ts'
import { findSimulated, requireOwnOrDraft } from './simulated-manifest.ts'

const tasksMax = 10
const bodyBytesMax = 256 * 1024

const SimulationInput = z
  .strictObject({
    tasks: z
      .array(
        z
          .strictObject({
            function: z.string().min(1).max(256),
            input: z
              .unknown()
              .refine((input) => input !== undefined, 'is required')
              .describe('As for tasks: a string byte for byte, any other JSON value as its canonical text.'),
            gas_limit: z
              .int()
              .min(1)
              .optional()
              .describe('Default: the maximum of the project, or a part of what the hub runs at once.'),
          })
          .meta({ id: 'SimulationTask' }),
      )
      .min(1, 'must have at least 1 item')
      .max(tasksMax, `must have at most ${tasksMax} items`),
  })
  .meta({ id: 'SimulationInput' })

const SimulationView = z
  .strictObject({
    simulation_id: z.string(),
    project_id: Bytes32,
    status: z.enum(['running', 'passed', 'failed']),
    results: z
      .array(ExecuteResult)
      .optional()
      .describe(
        'Of the tasks on which a quorum agreed, in their order; absent in lists. Output and events above 4 KiB are left out, with the error `output_not_kept`.',
      ),
    logs: z.array(z.string()),
    started_at: Timestamp,
    completed_at: Timestamp.nullable(),
  })
  .meta({ id: 'Simulation' })

const SimulationList = z.strictObject({ items: z.array(SimulationView) }).meta({ id: 'SimulationList' })

const runningExample: z.output<typeof SimulationView> = {
  simulation_id: 'Tz5w8QmXc4LrB2kV',
  project_id: hashesExample.project_id,
  status: 'running',
  results: [],
  logs: [],
  started_at: example.time,
  completed_at: null,
}
const { results: _, ...listedExample } = runningExample
const passedExample: z.output<typeof SimulationView> = {
  ...runningExample,
  status: 'passed',
  results: [
    {
      ...{ round_id: `exec:${taskExample.input_hash}`, success: true, output: '42' },
      ...{ receipt_hash: taskExample.receipt_hash ?? '', gas_used: 81_230, events: [] },
      consensus: { state: 'finalized', votes: 4, quorum: 3 },
      error: null,
    },
  ],
  logs: ['loaded worker module', 'ran 1 task(s) on 4 validators', 'all receipts agree'],
  completed_at: example.time + 2,
}

const simulationView = (row: ListedSimulation & Partial<Pick<Simulation, 'results'>>) => ({
  simulation_id: row.simulationId,
  project_id: row.projectId,
  status: row.status,
  ...(row.results !== undefined && {
    results: (JSON.parse(row.results) as SimulatedResult[]).map(resultView),
  }),
  logs: row.logs,
  started_at: row.startedAt,
  completed_at: row.completedAt,
})

const ofOwnProject = { tag: 'Developers', errors: ['not_found', 'not_owner'] } as const

export const listSimulations = defineRoute(
  {
    method: 'get',
    path: '/v1/developers/projects/{project_id}/simulations',
    operationId: 'listSimulations',
    summary: 'List the simulations of your project, newest first',
    description: `The newest ${simulationsMax} are kept.`,
    ...ofOwnProject,
    auth: { session: true, apiKey: 'projects:read', project: 'project_id' },
    params: z.object(ProjectParams),
    responses: ok('All that are kept.', SimulationList, { items: [listedExample] }),
  },
  async (c, { params: { project_id } }) => {
    const [rows] = await Promise.all([
      c.var.services.store(SimulationStore).list(project_id),
      requireOwnOrDraft(c, project_id),
    ])
    return json({ items: rows.map(simulationView) })
  },
)

export const getSimulation = defineRoute(
  {
    method: 'get',
    path: '/v1/developers/projects/{project_id}/simulations/{simulation_id}',
    operationId: 'getSimulation',
    summary: 'Read a simulation of your project',
    description: 'It is `running` until each of its tasks has a result or has failed.',
    ...ofOwnProject,
    auth: { session: true, apiKey: 'projects:read', project: 'project_id' },
    params: z.object({
      ...ProjectParams,
      simulation_id: z.string().max(64).meta({ example: runningExample.simulation_id }),
    }),
    responses: ok('The simulation.', SimulationView, passedExample),
  },
  async (c, { params: { project_id, simulation_id } }) => {
    const [simulation] = await Promise.all([
      c.var.services.store(SimulationStore).find(simulation_id),
      requireOwnOrDraft(c, project_id),
    ])
    if (simulation?.projectId !== project_id)
      throw new ApiError('not_found', `The project has no simulation ${simulation_id}.`)
    return json(simulationView(simulation))
  },
)

export const createSimulation = defineRoute(
  {
    method: 'post',
    path: '/v1/developers/projects/{project_id}/simulations',
    operationId: 'createSimulation',
    summary: 'Have all validators run tasks of your project',
    description: `Works before the project is listed, with its newest version, also one that is not published yet, and before it is submitted: with your draft whose \`project_id\` is that of the path and whose \`data\` is the manifest. Each task is a direct round, as of \`POST /v1/execute\`, and uses its budgets. At most ${runningMax} simulations of a project run at once. A hub may turn direct rounds off: 403 \`forbidden\`.`,
    tag: 'Developers',
    auth: { session: true, apiKey: 'projects:write', project: 'project_id' },
    idempotent: true,
    budget: 'execute',
    stores: 'records',
    params: z.object(ProjectParams),
    json: {
      schema: SimulationInput,
      example: { tasks: [{ function: 'fold', input: [1, 2, 3] }] },
      bytesMax: bodyBytesMax,
    },
    errors: ['not_found', 'not_owner', 'no_validators', 'too_large'],
    responses: reply(202, 'Begun. It is over within a minute.', SimulationView, runningExample, {
      Location: 'Path of the simulation.',
    }),
  },
  async (c, { params: { project_id: projectId }, json: { tasks: given } }) => {
    requireDirectRounds(c)
    const { clock, derived, store, validators } = c.var.services
    const simulated = await findSimulated(c, projectId)
    const simulationId = derived.alphanumerics(c.var.operation, 'simulation id', 16)
    const simulations = store(SimulationStore)
    const made = c.var.operation.isRetry ? await simulations.find(simulationId) : null
    if (made === null) {
      const tasks = await readTasks(c, simulated, given)
      const now = await clock.now()
      if ((await validators.at(now)) === null)
        throw new ApiError('no_validators', 'The network has no validators yet to run it.')
      await beginPaid(c, tasks, async () => {
        if ((await simulations.begin(simulationId, projectId, tasks, now)) === 'busy') throw busy()
        return simulationId
      })
    }
    const begun = made ?? (await simulations.find(simulationId))
    if (begun === null) throw new Error(`the simulation ${simulationId} was stored and no longer exists`)
    const Location = `/v1/developers/projects/${projectId}/simulations/${simulationId}`
    return json(simulationView(begun), 202, { Location })
  },
)

const busy = () =>
  new ApiError(
    'rate_limited',
    `${runningMax} simulations of the project run already. Try again in a minute.`,
    {
      headers: { 'Retry-After': '60' },
    },
  )

/** Pays for the rounds, and runs them once the answer is sent. @throws {@link ApiError} 429 `rate_limited`; what `begin` throws. */
async function beginPaid(
  c: HubContext,
  tasks: readonly SimulatedTask[],
  begin: () => Promise<string>,
): Promise<void> {
  const { promise: begun, resolve, reject } = Promise.withResolvers<void>()
  const gas = tasks.reduce((sum, { gasLimit }) => sum + gasLimit, 0)
  const nothing = { gas: 0, bytes: 0 }
  const run = async () => {
    const simulationId = await begin().catch(reject)
    if (simulationId === undefined) return { result: null, use: nothing }
    resolve()
    const ran = simulate(c.var.services, { simulationId, requests: JSON.stringify(tasks) })
    const use = await ran.catch((error) => {
      console.error(`the simulation ${simulationId} stopped; the schedule takes it up again`, error)
      return { ...nothing, gas }
    })
    return { result: null, use }
  }
  c.executionCtx.waitUntil(payForDirectRound(c, gas, run, tasks.length).catch(reject))
  await begun
}

/** The tasks of a manifest. @throws {@link ApiError} 400 `invalid_field`. */
async function readTasks(
  c: HubContext,
  { modules, work }: Awaited<ReturnType<typeof findSimulated>>,
  given: z.output<typeof SimulationInput>['tasks'],
): Promise<SimulatedTask[]> {
  const module = await findKnownModule(c, modules.worker)
  if (module === null) throw new ApiError('not_found', `The worker ${modules.worker} was not uploaded.`)
  const most = Math.min(work.max_gas_limit, c.var.settings.DIRECT_GAS_MAX)
  const usual = Math.min(most, Math.floor(c.var.settings.DIRECT_GAS_MAX / given.length))
  return given.map(({ function: name, input, gas_limit: gasLimit = Math.max(1, usual) }, index) => {
    if (!work.functions.includes(name))
      throw invalidField(`tasks[${index}].function`, `must be one of ${work.functions.join(', ')}`)
    if (gasLimit > most) throw invalidField(`tasks[${index}].gas_limit`, `must be at most ${most}`)
    const { bytes, hash } = readInput({ input })
    return { module: modules.worker, function: name, input: bytesToBase64(bytes), inputHash: hash, gasLimit }
  })
}
