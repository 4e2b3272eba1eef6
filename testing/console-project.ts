import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { manifestLike, sampleSlug } from '../localnet/sample/manifest.ts'
import { readNetwork } from '../scripts/hub/network.ts'
import { runTool } from './run-tool.ts'

interface Wanted {
  readonly slug: string
  readonly name: string
  /** The private key of its developer; left out, that of the sample project. */
  readonly key?: string
  /** The members of its listing that differ from the usual ones. */
  readonly listing?: object
  /** An artifact of its own, with its address; left out, the module of the sample project. */
  readonly worker?: {
    readonly address: string
    readonly bytes: Uint8Array
    readonly functions: readonly string[]
  }
}

/** Registers a project. @returns Its id; it waits for a review. */
export async function registerProject(hub: string, { slug, name, key, listing: changed, worker }: Wanted) {
  const { profile, client } = await readNetwork(hub)
  const { manifest } = await client.call('GET /v1/projects/{project_id}/manifest', {
    path: { project_id: sampleSlug },
  })
  const { modules, work, economics } = manifest.consensus
  const folder = mkdtempSync(path.join(tmpdir(), 'console-project-'))
  try {
    const file = path.join(folder, 'manifest.json')
    const artifact = path.join(folder, 'worker.hbc')
    if (worker) writeFileSync(artifact, worker.bytes)
    const parts = {
      profile,
      developer: manifest.developer,
      worker: worker?.address ?? modules.worker,
      functions: worker?.functions ?? work.functions,
      token: economics.reward_token,
      vault: economics.vault,
    }
    const { listing, ...rest } = manifestLike({ slug, name, tagline: '', description: '' }, parts)
    writeFileSync(file, JSON.stringify({ ...rest, listing: { ...listing, ...changed } }))
    const args = [file, worker ? artifact : modules.worker, ...(key ? ['--key-env', 'OWNER_KEY'] : [])]
    const env = { HUB_URL: hub, ...(key && { OWNER_KEY: key }) }
    const { code, stdout, stderr } = await runTool('tools/submit.ts', args, env)
    if (code !== 0) throw new Error(`The project could not be registered: ${stderr}`)
    return String(/0x[0-9a-f]{64}(?=\s*$)/.exec(stdout))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
