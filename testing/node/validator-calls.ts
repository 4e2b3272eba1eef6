import { expect } from 'vitest'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import type { Reply } from '../../testing/node/serving-node.ts'
import { createTestProject, type TestProject } from '../../testing/node/test-project.ts'
import {
  callSigned,
  createValidators,
  startKnowing,
  startTestHub,
  validatorSeeds,
} from '../../testing/node/validator-network.ts'

export const keys = validatorSeeds.map(ed25519PublicKey)

/** One validator of four, that runs, and its hub. */
export async function startOne(project: TestProject = createTestProject(), flags: string[] = []) {
  const hub = await startTestHub(project)
  const [validator, ...others] = await createValidators(hub)
  const node = await startKnowing(validator!, 4, flags)
  return { project, hub, node, validator: validator!, others }
}

/** The same, which has attested the set of the project. */
export async function startAttesting(project?: TestProject) {
  const started = await startOne(project)
  const { status } = await callSigned(started.node, '/consensus/committee-sets', started.project.snapshot)
  expect(status).toBe(200)
  return started
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
