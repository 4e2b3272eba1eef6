import * as z from 'zod'
import type { RefusedTask, Taken, TakenTask } from '../../../durable-objects/project/tasks.ts'
import { addressSubject } from '../../../protocol/encoding/index.ts'
import { openStatuses, publicStatuses } from '../../../protocol/manifest/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField, unavailable } from '../../errors.ts'
import { type Answer, json } from '../../http/answer.ts'
import { requireKeyProject } from '../../middleware/authenticate.ts'
import { readIdempotencyKey } from '../../middleware/idempotency.ts'
import { spendAddressBudget } from '../../middleware/rate-limit.ts'
import { notSetUp } from '../../missing-settings.ts'
import { findTask, type TaskRecord } from '../../rounds/find-round.ts'
import { defineRoute, reply } from '../../route.ts'
import type { ProjectRecord } from '../../stores/projects.ts'
import type { PublishedRound } from '../../stores/rounds.ts'
import { findInForce, unknownProject } from '../projects/access.ts'
import { ProjectParams } from '../projects/schema.ts'
import { manifestOf } from '../projects/view.ts'
import { inlineInput, readInput } from './input-bytes.ts'
import { inputBodyBytesMax, inputValuesMax, TaskInput, TaskView, taskExample, Wait } from './schema.ts'
import { taskView } from './view.ts'
import { waitForTask } from './wait.ts'

const idLength = 24
/** After how long there may be room again. */
const roomSeconds = 5

export const submitTask = defineRoute(
  {
    method: 'post',
    path: '/v1/projects/{project_id}/tasks',
    operationId: 'submitTask',
    tag: 'Tasks',
    summary: 'Submit a task to a project',
    description:
      'Needs an API key of the developer with `tasks:submit`, unless the project accepts tasks from everybody.',
    params: z.object(ProjectParams),
    query: z.strictObject({
      wait: Wait.describe('Seconds to wait for the result that `accept` names.'),
      accept: z
        .enum(['final', 'agreed'])
        .optional()
        .describe('The result to wait for: the final one, or that of the committee. Default: `final`.'),
    }),
    json: {
      schema: TaskInput,
      example: { function: 'echo', input: { hello: 'world' }, gas_limit: 1_000_000 },
      bytesMax: inputBodyBytesMax,
      valuesMax: inputValuesMax,
    },
    stores: 'records',
    idempotent: true,
    errors: ['forbidden', 'scope_missing', 'not_found', 'conflict', 'invalid_state', 'no_validators'],
    responses: {
      ...reply(200, 'The task reached the requested result, or it failed.', TaskView, taskExample, {
        Location: 'Path of the task.',
      }),
      ...reply(
        202,
        'The task is on its way.',
        TaskView,
        {
          ...taskExample,
          status: 'running',
          success: null,
          output: null,
          receipt_hash: null,
          gas_used: null,
          finalized_at: null,
        },
        { Location: 'Path of the task.' },
      ),
    },
  },
  async (c, { params: { project_id: projectId }, query: { wait = 0, accept = 'final' }, json: body }) => {
    const { clock, committees, derived, roundFiles, validators } = c.var.services
    const { location } = c.var.operation
    const made = location === undefined ? null : await findTask(c.var.services, idOfPath(location))
    if (made !== null) return taskAnswer(c, made, 200)
    const [record, since, now] = await Promise.all([
      requireOpen(c, projectId),
      validators.since(),
      clock.now(),
    ])
    const caller = await admitCaller(c, record)
    const { work } = manifestOf(record.current).consensus
    if (!work.functions.includes(body.function))
      throw invalidField('function', `must be one of ${work.functions.join(', ')}`)
    const gasLimit = body.gas_limit ?? work.max_gas_limit
    if (gasLimit > work.max_gas_limit)
      throw invalidField('gas_limit', `must be at most ${work.max_gas_limit}, the limit of the project`)
    const input = readInput(body)
    if (since === null || since > now)
      throw new ApiError('no_validators', 'The network has no validators yet, so no result can become final.')
    if (committees === null) throw notSetUp('The chain', c.var.settings, 'chain')
    const taskId = derived.alphanumerics(c.var.operation, 'task', idLength)
    // A request that may be repeated finds its task also when that is over.
    const ownKey = readIdempotencyKey(c) === null ? null : `operation\n${taskId}`
    const request = {
      taskId,
      function: body.function,
      gasLimit,
      inputHash: input.hash,
      input: inlineInput(input),
      idempotencyKey: body.idempotency_key === undefined ? ownKey : `${caller}\n${body.idempotency_key}`,
      underfunded: record.project.listingStatus === 'underfunded',
    }
    if (request.input === null) {
      // Nothing is kept of a task that is refused; and a task that is taken has its input, whatever ends in between.
      const refused = await committees(projectId).refusal(projectId, request)
      if (refused !== null) throw refusalError(refused)
      await roundFiles.putPayload(input.hash, input.bytes)
    }
    const { begun, ...taken } = requireTaken(await committees(projectId).submit(projectId, request))
    const found = {
      task: { ...taken, projectId, function: body.function, gasLimit, inputHash: input.hash, error: null },
      round: begun?.round ?? null,
    }
    const { record: task, isReached } = await waitForTask(c, found, accept, wait)
    return taskAnswer(c, task, isReached ? 200 : 202)
  },
)

const tasksPath = '/v1/tasks/'
const idOfPath = (path: string): string => decodeURIComponent(path.slice(tasksPath.length))

async function taskAnswer(c: HubContext, record: TaskRecord, status: number): Promise<Answer> {
  const view = await taskView(c, record)
  const answer = json(view, status, { Location: tasksPath + encodeURIComponent(view.task_id) })
  return { ...answer, canBeRemade: true }
}

/** The project, while it takes tasks. @throws {@link ApiError} 404 `not_found`; its developer reads 409 `invalid_state`. */
async function requireOpen(c: HubContext, projectId: string): Promise<ProjectRecord> {
  const record = await findInForce(c, projectId)
  if (record === null) throw unknownProject(projectId)
  const { listingStatus } = record.project
  if (openStatuses.includes(listingStatus)) return record
  if (!isDeveloper(c, record) && !publicStatuses.includes(listingStatus)) throw unknownProject(projectId)
  throw new ApiError(
    'invalid_state',
    `The project is ${listingStatus}; it accepts tasks only while it is listed.`,
    { details: { listing_status: listingStatus } },
  )
}

const isDeveloper = ({ var: { principal } }: HubContext, { project }: ProjectRecord): boolean =>
  (principal?.kind === 'api_key' || principal?.kind === 'session') && principal.address === project.developer

/** The submitter of a task: the developer with a key that has `tasks:submit`, or, in a project that is open to everybody, the client address. */
async function admitCaller(c: HubContext, record: ProjectRecord): Promise<string> {
  const { principal } = c.var
  if (principal?.kind === 'api_key' && isDeveloper(c, record)) {
    requireKeyProject(c, record.project.projectId)
    if (!principal.scopes.includes('tasks:submit'))
      throw new ApiError('scope_missing', 'This API key lacks the scope tasks:submit.', {
        details: { scope: 'tasks:submit' },
      })
    return principal.address
  }
  if (!manifestOf(record.current).scheduling.public_tasks)
    throw new ApiError(
      'forbidden',
      'This project accepts tasks only from its developer, with an API key that has the scope tasks:submit.',
    )
  await spendAddressBudget(c, 'public_tasks')
  return addressSubject(c.req.header('cf-connecting-ip'))
}

function requireTaken(
  submitted: Taken<PublishedRound> | { status: 'none' },
): TakenTask & { begun?: PublishedRound | null } {
  if ('taskId' in submitted) return submitted
  throw refusalError(submitted)
}

function refusalError(refused: RefusedTask | { status: 'none' }): ApiError {
  switch (refused.status) {
    case 'conflict':
      return new ApiError('conflict', 'This idempotency_key was used for another task. Use a fresh key.')
    case 'full':
      return new ApiError(
        'unavailable',
        refused.what === 'open'
          ? 'The project has the maximum number of open rounds. Try again shortly.'
          : 'The task queue of the project is full. Try again shortly.',
        { headers: { 'Retry-After': String(roomSeconds) } },
      )
    case 'none':
      return unavailable('The committee of the project')
  }
}
