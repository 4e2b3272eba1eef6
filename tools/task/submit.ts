import { privateKeys } from '../../localnet/private-keys.ts'
import { sampleSlug } from '../../localnet/sample/manifest.ts'
import { deriveProjectId } from '../../protocol/identity/index.ts'
import type { ProjectManifest } from '../../protocol/manifest/index.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'
import { CommandError } from '../../scripts/command/errors.ts'
import type { Network } from '../../scripts/hub/network.ts'
import type { Schemas } from '../../sdk/index.ts'

export type Task = Schemas['Task']

/** A task to submit to a project. */
export interface TaskRequest {
  /** Undefined for the sample project of a local network. */
  readonly project: string | undefined
  readonly name: string
  readonly input: Uint8Array
  /** Null for as much as the project allows. */
  readonly gasLimit: number | null
}

/** Submits a task to a project. @throws {@link CommandError} */
export async function submitTask(
  { hub, profile, client }: Pick<Network, 'hub' | 'profile' | 'client'>,
  { project, name, input, gasLimit }: TaskRequest,
): Promise<Task> {
  const project_id = project ?? deriveProjectId(profile, evmAddress(privateKeys.developer), sampleSlug)
  const params = { path: { project_id } }
  const found = await client.find('GET /v1/projects/{project_id}/manifest', params)
  if (found === null)
    throw new CommandError(
      project === undefined
        ? `${hub} has no sample project. Name one with --project PROJECT, its id or its slug.`
        : `${hub} has no project ${project}, or it is not public: a new project waits until an operator approves it.`,
    )
  const { functions } = (found.manifest as unknown as ProjectManifest).consensus.work
  if (!functions.includes(name))
    throw new CommandError(`The project has no function "${name}". It has: ${functions.join(', ')}.`)
  const body = {
    function: name,
    input_b64: Buffer.from(input).toString('base64'),
    ...(gasLimit !== null && { gas_limit: gasLimit }),
  }
  return client.call('POST /v1/projects/{project_id}/tasks', { ...params, body })
}
