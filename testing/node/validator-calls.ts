import { expect } from 'vitest'
import type { Reply } from '../../testing/node/serving-node.ts'
import { shared } from '../../testing/node/shared.ts'
import { createTestProject, type ProjectOptions, type TestProject } from '../../testing/node/test-project.ts'
import {
  callSigned,
  createValidators,
  startKnowing,
  startKnowingProcess,
  startTestHub,
  validatorSeeds,
} from '../../testing/node/validator-network.ts'
import { publicKeyOf } from './signers.ts'

export const keys = validatorSeeds.map(publicKeyOf)

export const attestSet = (node: { url: string }, { snapshot }: Pick<TestProject, 'snapshot'>) =>
  callSigned(node, '/consensus/committee-sets', snapshot)

async function createOne(project: TestProject = createTestProject()) {
  const hub = await startTestHub(project)
  const [validator] = await createValidators(hub)
  return { project, hub, validator: validator! }
}

/** One validator of four, that runs, and its hub. */
export async function startOne(project?: TestProject) {
  const created = await createOne(project)
  return { ...created, node: await startKnowing(created.validator) }
}

/** The same in a process of its own. */
export async function startOneProcess() {
  const created = await createOne()
  return { ...created, node: await startKnowingProcess(created.validator) }
}

/** Has a validator attest the set of its project. */
export async function afterAttesting<Started extends Awaited<ReturnType<typeof startOne>>>(
  starting: Promise<Started>,
): Promise<Started> {
  const started = await starting
  expect((await attestSet(started.node, started.project)).status).toBe(200)
  return started
}

/** A validator that tests share, each with projects of its own. @returns What gives it a project, which it has attested. */
export function sharedValidator() {
  const one = shared(startOne)
  let projects = 0
  const withProject = (options: ProjectOptions = {}) => {
    const project = createTestProject({ slug: `project-${projects++}`, ...options })
    one().hub.showProject(project)
    return { ...one(), project }
  }
  return {
    withProject,
    attesting: (options?: ProjectOptions) => afterAttesting(Promise.resolve(withProject(options))),
  }
}

export const decide = (node: { url: string }, body: object) =>
  callSigned(node, '/consensus/task-rounds', body)

export const vote = (node: { url: string }, body: object, seed?: string) =>
  callSigned(node, '/consensus/votes', body, seed === undefined ? {} : { seed })

export const shown = (node: { url: string }, roundId: string) =>
  callSigned(node, `/consensus/rounds/${encodeURIComponent(roundId)}`)

export const problemsOf = ({ status, json }: Reply) => ({
  status,
  error: json.error,
  paths: json.details?.problems?.map(({ path }: { path: string }) => path),
})

export const refused = (...paths: string[]) => ({ status: 422, error: 'invalid_evidence', paths })
